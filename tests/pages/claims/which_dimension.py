"""What the captions of “Which dimension?” say."""

import numpy as np

from privsc_core.finite.families import priced
from privsc_core.finite.game import leaf_mistakes
from privsc_core.finite.ready import dimensions_of, points_of
from tests.pages.claims.setting import measured, same


def _look_alike(s):
    points, thresholds = (
        same(s.need("erm", concept=c, d=[32, 64, 1024])) for c in ("point", "interval")
    )
    for word in ("points-8", "thresholds-8"):
        assert measured(word, "vc") == 1
    return [
        "VC dimension 1", f"points take {points} examples at d = {s.d}", f"thresholds {thresholds}",
    ]  # fmt: skip


def _way_out(s):
    hashing = same(s.need("hash", d=[64, 1024, 10**6]))
    return [
        f"Littlestone dimension {measured('points-8', 'littlestone')}",
        f"takes {hashing} examples at every d", f"needs {s.need('exponential'):,} at d = {s.d:,}",
    ]  # fmt: skip


def _coins(s):
    of = dimensions_of(s.now["of"], epsilon=0.5, beta=0.1)
    ones = sum(1 << x for x in points_of(s.now["h"], of.of.points))
    wrong = list(leaf_mistakes(of.tree, ones))
    paths = [wrong.count(i) for i in range(4)]
    return [
        f"on {of.of.points} points: a tree of depth {measured(s.now['of'], 'littlestone')}",
        f"0, 1, 2 and 3 mistakes on {paths[0]}, {paths[1]}, {paths[2]} and {paths[3]} of the {len(wrong)}",
    ]


def _adaptive(s):
    vc, depth = (measured(s.now["of"], name) for name in ("vc", "littlestone"))
    return ["a grid of 4 × 4 points", f"VC dimension {vc}, but Littlestone dimension {depth}"]


def _any_size(s):
    found = {
        one.family.name: one for one in priced(s.now["axes"], epsilon=0.5, alpha=0.1, beta=0.1)
    }
    half, box = found["HS"], found["BOX"]
    at = int(np.flatnonzero(half.b == 16)[0]), int(np.flatnonzero(box.b == 16)[0])
    return [
        f"in {s.now['axes']} dimensions have VC dimension {same(half.vc.tolist())}",
        f"With 16 bits an axis every ε-DP learner needs {half.lower[at[0]]:.0f}",
        f"of VC dimension {same(box.vc.tolist())}, need {box.lower[at[1]]:.0f}",
    ]


def _all_two(s):
    names = ("vc", "littlestone", "threshold", "teaching")
    assert s.now["of"] == "lines-5"
    value = same([measured(f"lines-{p}", name) for p in (3, 5) for name in names])
    return ["modulo 5", f"are all {value}"]


def _blind(s):
    return [f"1 in {measured(s.now['of'], 'guess')} here", "log 1/ρ"]


SCENES = (
    _look_alike, _way_out,
    lambda s: [f"At d = {s.d:,} every", f"with fewer than {s.bound('littlestone')} examples"],
    _coins, _adaptive, _any_size, _all_two, _blind,
)  # fmt: skip
