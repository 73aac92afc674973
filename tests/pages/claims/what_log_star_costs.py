"""What the captions of “What log* costs” say."""

from privsc_core.concepts.interval.towers import Domain, interior
from privsc_core.draw.style import integer
from privsc_core.exhibits.interval.staircase import Standing, bits, counted, staircase, stairs
from tests.pages.claims.setting import same

AT = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


def _found(s, **over):
    now = s.now
    given = {
        "epsilon": now["eps"],
        "delta": now["delta"],
        "alpha": now["alpha"],
        "beta": now["beta"],
    }
    return staircase(Standing(**(given | {"log2_d": now["L"]} | over)))


def _pure(s):
    free = same(s.need("erm", d=[s.d, 10**6]))
    return [
        f"Without privacy {free} examples",
        "d = 1,000,000",
        f"needs {s.need('exponential'):,} at d = {s.d}",
    ]


def _tree(s):
    at = {"distribution": "hard(alternating)"}
    return [
        f"At d = {s.d:,} it needs {s.need('tree', **at):,} examples",
        f"the exponential mechanism {s.need('exponential', **at):,}",
    ]


def _levels(s):
    found = _found(s)
    one, two, _ = found.here
    return [
        "from 3 to 5", f"At {bits(s.now['L'])} bits depth 1", f"with {one:,.0f} examples",
        f"depth 2 with {two:,.0f}",
    ]  # fmt: skip


def _pays(s):
    found = _found(s)
    (two, _), _ = found.stairs.pays
    (early, _), _ = stairs(Standing(**AT, delta=1e-4).anywhere).pays
    assert 1.5e7 < 2.0**two < 2.5e7  # “about twenty million”, the right choice
    return [
        f"Depth 2 pays from {counted(two)} bits", f"at δ = 10⁻⁴ from {counted(early)}", f"At {bits(s.now['L'])} bits",
        f"it needs {found.here[1]:,.0f} examples and one tree {found.here[0]:,.0f}",
    ]  # fmt: skip


def _game(s):
    at = {"epsilon": s.now["eps"], "delta": s.now["delta"], "beta": s.now["beta"]}
    n = [interior(Domain.of_height(height), **at).n for height in (5, 6, 7, 8)]
    more = same([n[1] - n[0], n[2] - n[1], n[3] - n[2]])
    return [
        "On towers of 5, 6, 7 and 8 twos", f"between {n[0]}, {n[1]}, {n[2]} and {n[3]} others",
        f"Each exponential adds {more} points", "about 1/δ",
    ]  # fmt: skip


def _costs(s):
    found = _found(s)
    _, two, three = found.here
    return [
        f"With {bits(s.now['L'])} bits depth 3 needs {three:,.0f} examples, depth 2 {integer(two)};",
        f"fewer than {found.lower}", "2023",
    ]  # fmt: skip


SCENES = (
    _pure,
    _tree,
    lambda _: [],
    _levels,
    lambda _: ["Depth 2", "Depth 1"],
    _pays,
    _game,
    _costs,
)
