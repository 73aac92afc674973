"""Print every sentence that the product can show, with its place, so that it can be read as a text."""

import argparse
import statistics

from tests.words.collect import claims, full, said, words


def main():
    """Print the sentences that the options choose, and how long they are."""
    parser = argparse.ArgumentParser(prog="python -m tests.words", description=__doc__)
    parser.add_argument(
        "place", nargs="*", help="parts of paths: pages/points.py, lectures, bounds"
    )
    parser.add_argument("--longer", type=int, default=0, metavar="N", help="more than N words only")
    parser.add_argument("--claims", action="store_true", help="only what is said of all learners")
    parser.add_argument("--labels", action="store_true", help="also labels, which are no sentences")
    given = parser.parse_args()
    chosen = [
        one
        for one in said()
        if (not given.place or any(part in one.place for part in given.place))
        and words(one.text) > given.longer
        and (given.labels or full(one.text))
        and (not given.claims or claims(one.text))
    ]
    before = ""
    for one in chosen:
        if one.path != before:
            before = one.path
            print(f"\n{one.path}")
        print(f"{one.line:5} {one.text}")
    lengths = sorted(words(one.text) for one in chosen) or [0]
    print(
        f"\n{len(chosen)} sentences, median {statistics.median(lengths):g} words, "
        f"{sum(n > 20 for n in lengths)} above 20, the longest {lengths[-1]}"
    )


main()
