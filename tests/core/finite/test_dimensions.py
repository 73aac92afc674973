"""Classes given as a matrix: each search against its definition, and the table of witnesses."""

import itertools
import math
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
import pytest

import privsc_core as pv
from privsc_core.concepts.generic.littlestone import sharp_littlestone
from privsc_core.errors import InputError
from privsc_core.finite import READY, ZOO, FiniteClass, from_code, from_text, ready, to_code
from privsc_core.finite.budget import Between, Budget
from privsc_core.finite.littlestone import MistakeTree, littlestone
from privsc_core.finite.ready import AT_ONCE, LONGEST, dimensions_of, example
from privsc_core.finite.samples import deterministic_size, guess
from privsc_core.finite.shatter import dual_vc, growth, teaching, vc
from privsc_core.finite.threshold import threshold
from tests.core.finite import dimensions_by_hand as by_hand
from tests.depth import deep


@lru_cache(maxsize=1)
def small_classes():
    """All classes on 3 points, and random ones on 4 and 5."""
    found = [FiniteClass(tuple(c for c in range(8) if mask >> c & 1), 3) for mask in range(1, 256)]
    coins = np.random.default_rng(19)
    for n, count in ((4, deep(40, 400)), (5, deep(20, 200))):
        for _ in range(count):
            size = int(coins.integers(1, 2 ** (n - 1) + 2))
            found.append(FiniteClass(tuple(coins.choice(2**n, size, replace=False).tolist()), n))
    return tuple((of, by_hand.rows(of)) for of in found)


SEARCHES = {
    "vc": (vc, by_hand.vc),
    "dual": (dual_vc, lambda table: by_hand.vc(by_hand.dual(table))),
    "littlestone": (littlestone, by_hand.littlestone),
    "threshold": (lambda of: threshold(of).between, by_hand.threshold),
    "teaching": (lambda of: teaching(of).largest, lambda t: max(by_hand.teaching_sets(t))),
    "teaching-least": (lambda of: teaching(of).least, lambda t: min(by_hand.teaching_sets(t))),
    "growth": (lambda of: growth(of, 2), lambda table: by_hand.growth(table, 2)),
}


def wrong(search, definition):
    """The classes where a search does not give exactly what the definition says."""
    return [of for of, table in small_classes() if search(of) != Between(*[definition(table)] * 2)]


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_finds_what_its_definition_says(name):
    assert not wrong(*SEARCHES[name])


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("littlestone", vc),  # no adaptivity
        ("vc", lambda of: vc(FiniteClass(of.concepts[1:] or of.concepts, of.points))),
        ("dual", vc),
        ("threshold", littlestone),
        ("threshold", lambda of: threshold(of.reduced()).between),  # T depends on the labels
        ("teaching", lambda of: Between(*[min(of.points, len(of) - 1)] * 2)),
        ("teaching-least", lambda of: teaching(of).largest),
        ("growth", lambda of: Between(*[len({c & 3 for c in of.concepts})] * 2)),
    ],
)
def test_a_planted_fault_is_caught(name, fault):
    assert wrong(fault, SEARCHES[name][1])


def test_a_chain_of_thresholds_is_one():
    for of, table in small_classes():
        found = threshold(of)
        k = found.between.found
        assert len(found.concepts) == len(found.points) == k
        assert all(
            table[found.concepts[i]][found.points[j]] == (i <= j)
            for i, j in itertools.product(range(k), repeat=2)
        )


def leaves(node, space, columns, everyone):
    if node is None:
        return [space]
    below = zip(node.below, (everyone ^ columns[node.x], columns[node.x]), strict=True)
    return [leaf for part, side in below for leaf in leaves(part, space & side, columns, everyone)]


def test_an_optimal_tree_is_complete_and_its_leaves_are_concepts():
    for of, _ in small_classes():
        tree = MistakeTree(of)
        depth = tree.dimension(of.everyone)
        ends = leaves(tree.tree(of.everyone, depth), of.everyone, of.columns, of.everyone)
        assert len(ends) == 2**depth
        assert all(ends)


def test_the_standard_optimal_algorithm_makes_as_many_mistakes_as_the_dimension():
    for of, table in small_classes()[::7]:
        if of.points > 4:
            continue
        tree = MistakeTree(of)
        place = {row: i for i, row in enumerate(table)}

        @cache
        def predict(space, x, tree=tree, place=place):
            return tree.predict(sum(1 << place[row] for row in space), x)

        assert by_hand.learner_mistakes(table, predict) == littlestone(of).found
        halving = lambda space, x: int(2 * sum(r[x] for r in space) >= len(space))  # noqa: E731
        assert by_hand.learner_mistakes(table, halving) >= littlestone(of).found


def test_all_inequalities_hold_on_small_classes():
    for of, _ in small_classes()[::5]:
        found = pv.dimensions(of)
        assert all(entry.holds for entry in found.inequalities), of
        assert all(entry.exact for entry in found.quantities if entry.name in SEARCHES)
        enough = min(s.m for s in found.samples if s.kind == "upper")
        needed = max((s.m or 0 for s in found.samples if s.kind == "lower"), default=0)
        assert needed <= enough


def test_who_is_cut_short_says_what_it_knows():
    of = ready("random-12-200-1")
    whole = pv.dimensions(of, steps=10**7)
    for steps in (0, 30, 300, 3000):
        cut = pv.dimensions(of, steps=steps)
        assert any(not entry.exact for entry in cut.quantities)
        for entry, exact in zip(cut.quantities, whole.quantities, strict=True):
            assert entry.low <= exact.low
            assert exact.high <= entry.high
        assert cut.cut
    assert not whole.cut
    assert Budget(3).left == 3


def test_a_click_is_answered_with_ends_that_hold_the_numbers():
    code = to_code(ready("random-16-64-1"))
    first = dimensions_of(code, epsilon=0.5, beta=0.1, steps=AT_ONCE)
    later = dimensions_of(code, epsilon=0.5, beta=0.1)
    assert first.cut
    assert not later.cut
    ends = zip(first.quantities, later.quantities, strict=True)
    assert all(one.low <= two.low <= two.high <= one.high for one, two in ends)
    by_name = {s.name: s.m for s in later.samples}
    assert all(s.m is None or s.m <= by_name[s.name] for s in first.samples if s.kind == "lower")
    assert not dimensions_of("thresholds-8", epsilon=0.5, beta=0.1, steps=AT_ONCE).cut


# --- The blind guess -----------------------------------------------------------------------------


def best_guess_by_grid(of, alpha, parts=12):
    """An upper bound on rho: nature plays only mixtures of a grid, the learner by linear program."""
    from scipy.optimize import linprog

    n = of.points
    grid = [
        [sum(cut == x for cut in cuts) / parts for x in range(n)]
        for cuts in itertools.combinations_with_replacement(range(n), parts)
    ]
    lost = np.array([[h >> x & 1 for x in range(n)] for h in range(1 << n)]) @ np.array(grid).T
    good = (lost <= alpha + 1e-9).T
    rows = {tuple(row[np.arange(1 << n) ^ f]) for f in of.concepts for row in good}
    table = np.array(sorted(rows), dtype=float)
    width = 1 << n
    found = linprog(
        [0.0] * width + [-1.0],
        A_ub=np.hstack([-table, np.ones((len(table), 1))]), b_ub=np.zeros(len(table)),
        A_eq=[[1.0] * width + [0.0]], b_eq=[1.0],
    )  # fmt: skip
    return -found.fun


@pytest.mark.parametrize("alpha", [0.25, 1 / 3, 0.4])
def test_the_blind_guess_is_the_value_of_nature_s_game_on_a_grid(alpha):
    # All bad families up to 5 points are reached by masses that are multiples of 1/12 or coarser,
    # where the grid has them; a grid can only help the learner.
    coins = np.random.default_rng(5)
    for _ in range(4):
        concepts = coins.choice(16, int(coins.integers(2, 10)), replace=False).tolist()
        of = FiniteClass(tuple(concepts), 4)
        patterns, depth = growth(of, math.ceil(1 / alpha - 1e-9) - 1).found, littlestone(of).found
        rho = guess(of, alpha, patterns=patterns, depth=depth)
        assert rho.exact
        assert rho.low == pytest.approx(best_guess_by_grid(of, alpha), abs=1e-7)


# By hand and by program, at 1/4: thresholds on 4 and 5 points, the cube, Warmuth's class.
@pytest.mark.parametrize(
    ("of", "inverse"),
    [(ready("thresholds-4"), 5), (ready("thresholds-5"), 6), (ready("cube-4"), 8),
     (ZOO[2].of, 8), (ready("points-2"), 2), (ready("cube-3"), 8)],
)  # fmt: skip
def test_golden_blind_guesses(of, inverse):
    rho = guess(of, 0.25)
    assert rho.exact
    assert 1 / rho.low == pytest.approx(inverse)


def test_what_a_solver_only_says_has_two_ends(monkeypatch):
    from privsc_core.finite import samples as module

    # Planted: a solver that misses the optimum; both ends still hold it.
    of, right = ready("thresholds-5"), module._distribution

    def missed(weights):
        first, *others = [part * 9 / 10 for part in right(weights)]
        return [first + Fraction(1, 10), *others]

    module._program.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(module, "_distribution", missed)
        rough = guess(of, 0.25)
    module._program.cache_clear()
    assert not rough.exact
    assert rough.low < 1 / 6 < rough.high
    assert guess(of, 0.25).low == guess(of, 0.25).high == pytest.approx(1 / 6, abs=1e-16)


def test_golden_representations():
    assert deterministic_size(ready("cube-4"), 0.25) == Between(8, 8)
    assert deterministic_size(ZOO[3].of, 0.25) == Between(4, 4)
    assert deterministic_size(ready("cube-3"), 0.25) == Between(8, 8)
    # Of all classes on four points 31,453 have a representation smaller than themselves.
    from privsc_core.finite.samples import _all_sets

    represented, sizes = _all_sets()
    least = np.full(1 << 16, 99)
    np.minimum.at(least, represented, sizes)
    for concept in range(16):  # whoever represents more represents less
        has = np.arange(1 << 16) >> concept & 1 == 1
        least[~has] = np.minimum(least[~has], least[np.flatnonzero(~has) | 1 << concept])
    assert int((least < sizes)[1:].sum()) == 31453


def least_representation(of):
    """Try all sets of hypotheses on four points, against all masses in twelfths, at 1/4."""
    masses = [d for d in itertools.product(range(13), repeat=4) if sum(d) == 12]
    wrong = np.array(
        [[sum(d[x] for x in range(4) if z >> x & 1) for z in range(16)] for d in masses]
    )
    good = wrong <= 3
    for size in range(1, len(of)):
        for held in itertools.combinations(range(16), size):
            if all(good[:, [h ^ f for h in held]].any(axis=1).all() for f in of.concepts):
                return size
    return len(of)


STARS = [
    FiniteClass(concepts, 4) for concepts in ((0, 1, 2, 4, 8), (15, 7, 11, 13, 14), (6, 7, 8, 9))
]


def test_a_representation_is_the_smallest_by_its_definition():
    coins = np.random.default_rng(8)
    drawn = [FiniteClass(tuple(coins.choice(16, 4, replace=False).tolist()), 4) for _ in range(4)]
    wanted = [least_representation(of) for of in (*STARS, *drawn)]
    assert [deterministic_size(of, 0.25) for of in (*STARS, *drawn)] == [
        Between(size, size) for size in wanted
    ]
    # Who takes the class itself is caught: of a star the four tips are enough.
    assert wanted[:3] == [4, 4, 4]
    assert [len(of) for of in STARS[:2]] == [5, 5]


# --- Witnesses, ready-made classes, bounds: numbers of the notes ----------------------------------


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("ldim-above-vc", {"vc": 1, "littlestone": 2}),
        ("ldim-above-td", {"vc": 2, "littlestone": 3, "teaching": 2}),
        ("warmuth", {"vc": 2, "littlestone": 3, "teaching_least": 3, "growth": 7, "guess": 8}),
        ("pr-below-dr", {"deterministic_size": 4}),
        ("discs", {"vc": 3, "littlestone": 6}),
        ("half-planes", {"vc": 3, "littlestone": 7, "threshold": 16}),
        ("lines", {"vc": 2, "dual_vc": 2, "littlestone": 2, "threshold": 2, "teaching": 2}),
        ("singletons", {"teaching": 8, "littlestone": 1}),
    ],
)
def test_the_zoo_shows_what_it_claims(name, numbers):
    found = pv.dimensions(next(entry.of for entry in ZOO if entry.name == name))
    assert {key: (found[key].low, found[key].high) for key in numbers} == {
        key: (pytest.approx(value), pytest.approx(value)) for key, value in numbers.items()
    }


# Littlestone dimensions of boxes, half-planes and discs; sizes of the latter two.
@pytest.mark.parametrize(
    ("word", "size", "depth"),
    [
        *((f"intervals-{n}", n * (n + 1) // 2 + 1, depth)
          for n, depth in ((2, 2), (4, 3), (8, 4), (16, 6), (32, 8))),
        ("rectangles-2-2", 10, 3), ("rectangles-3-3", 37, 4), ("rectangles-4-4", 101, 6),
        ("half-planes-2", 14, 3), ("half-planes-3", 58, 5), ("balls-2", 14, 3),
        ("thresholds-8", 9, 3), ("thresholds-31", 32, 5), ("lines-3", 9, 2), ("lines-7", 49, 2),
        ("parities-3", 8, 3),
    ],
)  # fmt: skip
def test_golden_littlestone_dimensions(word, size, depth):
    of = ready(word)
    assert len(of) == size
    assert littlestone(of, Budget(10**7)) == Between(depth, depth)


@pytest.mark.parametrize("entry", READY, ids=lambda entry: entry.name)
def test_every_ready_made_class_is_read_by_its_word_and_goes_through_a_link(entry):
    of = ready(example(entry))
    assert of == ready(entry.name)
    assert len(set(of.concepts)) == len(of)
    if code := to_code(of):
        assert from_code(code) == of


@pytest.mark.parametrize("word", ["random-16-256-3", "random-9-455-3", "points-64"])
def test_the_largest_classes_fit_into_a_link(word):
    of = ready(word)
    assert from_code(to_code(of)) == of
    assert len(to_code(of)) <= LONGEST
    assert from_text(of.text(",")) == of


@pytest.mark.parametrize("word", ["random-16-257-3", "thresholds-64", "thresholds-65"])
def test_a_larger_class_has_no_code(word):
    assert to_code(ready(word)) == ""


# Least m at alpha = beta = 0.1: epsilon = 1/2 and 1 beside a dummy, 1/2 without one.
@pytest.mark.parametrize(
    ("depth", "half", "one", "alone"),
    [(1, 53, 31, 5), (8, 53, 31, 16), (16, 53, 31, 17), (64, 71, 38, 53), (128, 126, 66, None),
     (256, 234, 121, None), (1024, 873, 443, 762), (10**4, 8221, 4129, 7373)],
)  # fmt: skip
def test_golden_sharp_littlestone(depth, half, one, alone):
    rest = {"alpha": 0.1, "beta": 0.1}
    assert sharp_littlestone(depth, epsilon=0.5, **rest).m == half
    assert sharp_littlestone(depth, epsilon=1.0, **rest).m == one
    if alone is not None:
        assert sharp_littlestone(depth, epsilon=0.5, dummy=False, **rest).m == alone


@pytest.mark.parametrize(("depth", "epsilon"), [(3, 0.5), (12, 0.5), (12, 2.0)])
def test_the_sharp_bound_is_its_sum(depth, epsilon):
    found = sharp_littlestone(depth, epsilon=epsilon, alpha=0.1, beta=0.1)
    good = sum(math.comb(found.length, i) for i in range(found.mistakes))

    def limit(m):
        s = found.mass
        return sum(
            math.comb(m, k) * s**k * (1 - s) ** (m - k)
            * min(1.0, good / (1 + (2**found.length - 1) * math.exp(-epsilon * k)))
            for k in range(m + 1)
        )  # fmt: skip

    assert found.mistakes > 0.1 * found.length
    assert limit(found.m) >= 0.9 > limit(found.m - 1)


# --- What people type ----------------------------------------------------------------------------


def test_a_text_is_read_in_any_usual_form():
    wanted = FiniteClass((0b110, 0b001), 3)
    for text in ("011\n100\n", "0,1,1\n1,0,0", "0 1 1\r\n1 0 0", "a;b;c\n0;1;1\n# no\n\n1;0;0",
                 "0\t1\t1\n1\t0\t0", "\ufeff011\n100\n011"):  # fmt: skip
        assert from_text(text) == wanted
    assert from_text(wanted.text(",")) == wanted


@pytest.mark.parametrize("header", ["0,1,2", "1,2,3", "a,b,c", '"x1","x, 2","x3"'])
def test_a_line_of_names_is_skipped(header):
    assert from_text(f"{header}\n0,1,1\n1,0,0\n") == from_text("011\n100\n")


@pytest.mark.parametrize("row", ["0,2,1", "0,1,x", "1,1,7"])
def test_a_first_row_with_a_wrong_label_is_not_taken_for_names(row):
    column = row.index(next(cell for cell in row if cell not in "01,")) // 2 + 1
    says = f"^line 1, column {column} of the matrix must be 0 or 1, or the name of a point; got "
    with pytest.raises(InputError, match=says):
        from_text(f"{row}\n0,1,1\n1,0,0\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("011\n01", "line 2 of the matrix must have 3 cells, as line 1; got 2 cells."),
        ("012", "line 1, column 3 of the matrix must be 0 or 1; got something else."),
        ("hello, world\nno, labels", "line 2, column 1 of the matrix must be 0 or 1; got some"),
        ("", "matrix must have 1 to 4096 rows and 1 to 256 columns; got 0 rows and 0 columns."),
        ("0" * 257, "matrix must have 1 to 4096 rows and 1 to 256 columns"),
        ("0" * 300, "matrix must have at most 256 columns; got 300."),
        ("\n".join(["01"] * 5000), "matrix must have at most 4,096 rows"),
        ("0" * 5_000_000, "matrix must be at most 4194304 characters; got 5000000."),
    ],
)
def test_a_hostile_text_gets_one_sentence(text, sentence):
    with pytest.raises(InputError) as caught:
        from_text(text)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    "matrix", [[[0, 1], [1]], [["0", "1"]], [[0, 2]], [0, 1], [[]], [[0.5]], [[math.nan]], 7, None]
)
def test_a_hostile_matrix_gets_one_sentence(matrix):
    with pytest.raises(InputError, match=r"^matrix must"):
        pv.dimensions(matrix)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "3x3",
        "3x3.A",
        "0x3.AA",
        "65x2.AAAA",
        "3x3.AAAAAAA",
        "2x2.é",
        "513x2." + "A" * 172,
        "512x64." + "A" * 683,
        "64x65." + "A" * 683,
        "2x2." + "A" * 10_000,
        "2x2.AA=",
    ],
)
def test_a_hostile_code_gets_one_sentence(code):
    with pytest.raises(InputError, match=r"^class must be ROWSxCOLUMNS"):
        from_code(code)


@pytest.mark.parametrize(
    "word", ["", "circles-3", "thresholds-0", "thresholds-", "thresholds-3-4", "thresholds-٣", "lines-4",
             "subsets-3-4", "random-3-9-1", "random-3-4-999999999999"]
)  # fmt: skip
def test_a_hostile_word_gets_one_sentence(word):
    with pytest.raises(InputError):
        ready(word)
