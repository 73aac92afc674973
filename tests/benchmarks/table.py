"""The table that is printed: what, beside what, how much faster, and what was wanted."""

from tests.benchmarks.timing import compare, readable

ROW = "{:<5}{:<36}{:<42}{:>9} {:>9} {:>9}  {:<9}{}"


def head():
    """Print what the columns are."""
    print(ROW.format("goal", "what", "peer", "ours", "peer's", "ratio", "wanted", "met"))


def row(goal, what, peer, times, *, wanted, least=True):
    """Print one comparison: `ratio` must be at least (or at most) `wanted`, if anything."""
    ours, theirs, ratio = times
    sign, met = "", ""
    if wanted is not None:
        sign = f"{'>=' if least else '<='} {wanted:,}"
        met = "yes" if (ratio >= wanted) == least or ratio == wanted else "NO"
    shown = f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"
    print(
        ROW.format(goal, what, peer, readable(ours), readable(theirs), shown, sign, met), flush=True
    )


def faster(goal, what, peer, ours, theirs, *, wanted):
    """Print how many times faster ours is than the peer."""
    row(goal, what, peer, compare(ours, theirs), wanted=wanted)


def within(goal, what, peer, ours, theirs, *, wanted):
    """Print how many times as long ours takes as the peer."""
    reference, mine, ratio = compare(theirs, ours)
    row(goal, what, peer, (mine, reference, ratio), wanted=wanted, least=False)
