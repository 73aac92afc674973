"""POINT_d, written a second time."""

import functools
import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np

from privsc_core.catalog import concept
from privsc_core.concepts.point.distributions import Point, PointDistribution
from privsc_core.concepts.point.learners import (
    Generic,
    GenericFlip,
    GenericStable,
    Hash,
    LabelBoost,
    NoiseBoosted,
)
from privsc_core.concepts.point.learners.hashing import bucket_of, default_bits
from privsc_core.concepts.point.learners.representation import draw_class
from privsc_core.concepts.shared.hypotheses import LabelFunction
from tests.classes.known import Known, Target
from tests.core.references import converse_mean, exact
from tests.core.support import accurate, decimal, enumerated_success, exists, flat, samples
from tests.referee.anyone import anyone
from tests.referee.games import Task, above, exactly, game

# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere


# --- Targets and distributions ------------------------------------------------------------------


class Points(Target):
    """The target labels one point 1: the last one."""

    def point(self, distribution, d):
        """Return the point that the target labels 1."""
        del distribution
        return 2**d

    def truth(self, distribution, d):
        target = self.point(distribution, d)
        return lambda x: int(x == target)

    def critical(self, distribution, d):
        return [self.point(distribution, d)]

    def masses(self, distribution, d, alpha):
        if distribution.name == "uniform":
            return flat(1, 2**d)
        target, a = self.point(distribution, d), decimal(alpha)
        if distribution.name == "single":
            return {target: (Fraction(1), Fraction(0))}
        count = getattr(distribution, "s", 1)
        crowd = {x: ((1 - a) / count, Fraction(-1, count)) for x in range(1, count + 1)}
        return crowd | {target: (a, Fraction(1))}

    def concepts(self, d):
        return [Point(j) for j in range(1, 2**d + 1)]

    def read(self, number):
        return Point(number)

    def small(self, distribution):
        return [(1,), (2,), (3,), (7,), (15,)] if distribution.name == "bystanders" else ()


def is_point(row):
    return sum(row) == 1


# --- Enumerations -------------------------------------------------------------------------------


class FixedHash(Hash):
    """The hash learner with given rows in place of random ones."""

    rows = ()

    def draw_rows(self, *_):
        return list(self.rows)

    def bucket(self, point):
        """Hash by the definition: inner products of bits, most significant row first."""
        bits = [
            sum(
                int(a) & int(b)
                for a, b in zip(f"{row:b}"[::-1], f"{point - 1:b}"[::-1], strict=False)
            )
            for row in self.rows
        ]
        return sum((bit % 2) << (len(bits) - 1 - i) for i, bit in enumerate(bits))


def hash_success(learner, distribution, m, d, *cell):
    """Average over every hash function of `learner.bits` rows."""

    def one(rows):
        fixed = FixedHash(bits=learner.bits)
        object.__setattr__(fixed, "rows", rows)

        def read(output, _):
            return LabelFunction(lambda x: int(fixed.bucket(x) == output), "a bucket")

        return enumerated_success(fixed, distribution, m, d, *cell, read=read)

    tables = [one(rows) for rows in itertools.product(range(2**d), repeat=learner.bits)]
    return math.fsum(tables) / len(tables)


def pseudorandom_success(learner, distribution, m, d, epsilon, alpha, beta):
    """A4 and A5 with a truly random function of bias alpha/4: every function, every thinning."""
    bias = alpha / 4
    thin = (
        1.0
        if math.exp(epsilon) >= 4
        else (math.exp(epsilon) - 1) / (4 + math.exp(epsilon) - math.exp(epsilon) / 4 - 1)
    )
    keep = alpha / 4 * thin
    size = 2**d
    functions = {}
    for row in itertools.product((0, 1), repeat=size):
        h = LabelFunction(lambda x, row=row: row[x - 1], "")
        chance = math.prod(bias if v else 1 - bias for v in row)
        functions[row] = (chance, accurate(distribution, h.predict, d, alpha))
    blind = math.fsum(p for p, good in functions.values() if good)
    known = math.fsum(p for row, (p, good) in functions.items() if good and row[-1]) / bias
    total = []
    for chance, sample in samples(distribution, m, d, alpha):
        positives = int(sample.labels.sum())
        missed = (1 - keep) ** positives
        total.append(chance * (missed * blind + (1 - missed) * known))
    return (1 - alpha / 8) * math.fsum(total)


# --- The referee's tiny games -------------------------------------------------------------------

PRIVACIES = ("none", "approximate", "pure", "label")


class _Drawn(Hash):
    """The hash learner with a given hash function."""

    def draw_rows(self, d, alpha, beta, rng):
        del d, alpha, beta, rng
        return self.rows


@functools.lru_cache(maxsize=32)
def _hashes(d, bits):
    """Return (chance, hash function) for every way in which points may share buckets."""
    found = {}
    for columns in itertools.product(range(1 << bits), repeat=d):
        # Which points collide is all that matters: buckets have no order.
        buckets = [0]
        for column in columns:
            buckets += [b ^ column for b in buckets]
        shape = tuple(buckets.index(b) for b in buckets)
        ways, _ = found.get(shape, (0, None))
        found[shape] = ways + 1, columns
    return [
        (ways / (1 << bits) ** d, [
            sum(((columns[j] >> bit) & 1) << j for j in range(d)) for bit in range(bits)
        ])
        for ways, columns in found.values()
    ]  # fmt: skip


def _hashed(bits, d):
    for chance, rows in _hashes(d, bits):
        drawn = _Drawn(bits)
        object.__setattr__(drawn, "rows", rows)
        shown = {
            b: tuple(int(bucket_of(p, rows) == b) for p in range(1, 2**d + 1))
            for b in range(1 << bits)
        }
        yield chance, drawn, shown


class PointGames:
    """POINT_d."""

    name = "point"
    bits = (1, 2, 3)
    given = False  # its tasks are drawn
    stand_ins = tuple(
        anyone(answers, privacy, proper=answers == "concepts")
        for privacy in PRIVACIES
        for answers in ("functions", "concepts")
    )

    def __init__(self):
        self._known = {}

    @property
    def concept(self):
        return concept(self.name)

    # --- What learners may answer with ---------------------------------------------------------

    def targets(self, d):
        """Return the points that a concept may label 1."""
        return range(1, 2**d + 1)

    def row(self, target, d):
        """Return the labels of a concept."""
        return tuple(int(x == target) for x in range(1, 2**d + 1))

    def answers(self, kind, d, support):
        """Yield rows of labels: concepts, or every function (0 where it does not matter)."""
        if kind == "concepts":
            yield from (self.row(t, d) for t in self.targets(d))
        elif kind == "points":
            yield from (tuple(int(x == t) for x in range(1, 2**d + 1)) for t in range(1, 2**d + 1))
        else:
            for labels in itertools.product((0, 1), repeat=len(support)):
                known = dict(zip(support, labels, strict=True))
                yield tuple(known.get(x, 0) for x in range(1, 2**d + 1))

    # --- Families of tasks ---------------------------------------------------------------------

    def picture(self, distribution, d, alpha):
        """Return the tasks that a distribution stands for, or None where nobody said."""
        a, points = decimal(alpha), self.targets(d)
        if distribution.name == "hard":
            return [self._rare(i, 1, d, a) for i in points if i != 1]
        if distribution.name == "bystanders":
            return [self._rare(i, distribution.s, d, a) for i in points if i > distribution.s]
        if distribution.name == "single":
            return [Task(self.row(i, d), {i: exactly(1)}) for i in points]
        if distribution.name == "uniform":
            flat = {x: exactly(Fraction(1, 2**d)) for x in range(1, 2**d + 1)}
            return [Task(self.row(i, d), flat) for i in points]
        return None

    def worst(self, d, alpha):
        """Yield (name, tasks, candidates for symmetries): the families that the class is hard on."""
        for distribution in self.concept.distributions:
            if distribution.name in {"hard", "single"} and exists(distribution, d, alpha):
                tasks = self.picture(distribution, d, alpha)
                if tasks:
                    yield distribution.name, tasks, None
        a = decimal(alpha)
        if d >= 2:
            pair = {2: above(a), 1: above(1 - a, -1)}
            yield "pair", [Task(self.row(2, d), pair), Task(self.row(3, d), pair)], None

    def _rare(self, target, crowd, d, a):
        rest = {x: above((1 - a) / crowd, Fraction(-1, crowd)) for x in range(1, crowd + 1)}
        return Task(self.row(target, d), {target: above(a), **rest})

    # --- Public coins --------------------------------------------------------------------------

    def drawn(self, learner, d, alpha, beta):
        """Yield (chance, learner, labels of its outputs) for each outcome of its public coins."""
        if isinstance(learner, Hash):
            yield from _hashed(learner.bits or default_bits(alpha, beta), d)

    # --- Games ---------------------------------------------------------------------------------

    def games(self, stand_in, d, alpha, m):
        """Return {name: game} of the families that the class is hard on."""
        del m
        key = (stand_in.answers, d, alpha)
        if key not in self._known:
            self._known[key] = {
                name: self._game(tasks, stand_in, d, alpha, candidates)
                for name, tasks, candidates in self.worst(d, alpha)
            }
        return self._known[key]

    def pictured(self, stand_in, distribution, d, alpha, m):
        """Return the game of a distribution's family, or None where there is none."""
        del m
        if not exists(distribution, d, alpha):
            return None
        key = (stand_in.answers, d, alpha, distribution.label)
        if key not in self._known:
            tasks = self.picture(distribution, d, alpha)
            if tasks is None:
                msg = f"{self.name}: tell the referee which tasks {distribution.name} stands for"
                raise LookupError(msg)
            self._known[key] = self._game(tasks, stand_in, d, alpha, None) if tasks else None
        return self._known[key]

    def _game(self, tasks, stand_in, d, alpha, candidates):
        support = sorted(set().union(*(task.masses for task in tasks)))
        answers = self.answers(stand_in.answers, d, support)
        return game(tasks, answers, decimal(alpha), candidates or (lambda _: ()))


KNOWN = Known(
    targets={PointDistribution: Points()},
    is_concept=is_point,
    capped=frozenset({"noise", "noise-pseudorandom"}),
    enumerators={"hash": hash_success, "noise-pseudorandom": pseudorandom_success},
    variants={
        "generic": [Generic(u=1, spurious=0.3), Generic(u=2, spurious=1.0)],
        "generic-flip": [GenericFlip(u=2, spurious=1.0)],
        "generic-stable": [GenericStable(u=1, delta=0.2), GenericStable(u=2, delta=0.1)],
        "label-boost": [LabelBoost(u=1, base=1.0), LabelBoost(u=2, pick=3.0, base=1.0)],
        "hash": [Hash(bits=1), Hash(bits=2)],
        "noise-boosted": [NoiseBoosted(runs=2), NoiseBoosted(runs=3)],
    },
    # Claim 4.5's number of runs makes one run cost milliseconds: fewer runs, same code.
    quick={
        "noise-boosted": NoiseBoosted(runs=3),
        "generic": Generic(u=60, spurious=1.0),
        "generic-flip": GenericFlip(u=60, spurious=1.0),
        "generic-stable": GenericStable(u=60, delta=0.1),
        "label-boost": LabelBoost(u=400, base=0.2),
    },
    most_bits={"generic": 2, "generic-flip": 2, "generic-stable": 2, "label-boost": 2},
    # Its classes are too large to enumerate.
    public_coins={"representation": draw_class},
    binds={
        "nonprivate": lambda _: True,
        "nonprivate-proper": lambda x: x.proper and not x.unlabelled,
        "labels": lambda x: x.privacy == "pure",
        **dict.fromkeys(
            ("packing", "packing-two", "corollary-3.8", "lemma-3.9"),
            lambda x: x.proper and x.privacy == "pure" and not x.unlabelled,
        ),
        "packing-delta": lambda x: x.proper and x.privacy == "approximate" and not x.unlabelled,
    },
    without_limit=frozenset({"theorem-4.2"}),
    weaker={
        # At d = 1 the hard distribution has no rivals, and packing says nothing.
        ("corollary-3.8", "packing"): lambda d, *_: d < 2,
        ("lemma-3.9", "packing"): lambda d, *_: d < 2,
        ("nonprivate", "labels"): lambda d, *_: d < 0,
        ("finite-class", "theorem-3.2"): lambda d, *_: d < 0,
        ("packing", "packing-two"): lambda d, *_: d < 0,
        ("packing-delta", "packing"): lambda d, *_: d < 0,
    },
    referee=PointGames(),
    cards=(("erm", "hash"), ("packing-two", "hash")),
    whom={"packing-two": "for every proper ε-DP learner"},
    defaults={
        "learners": ("erm", "exponential", "representation", "hash"), "dist": "hard",
        "map": "exponential", "s": 8, "who": "exponential", "nwho": "exponential",
        "pack": "packing", "opt": "slopes", "mine": 60, "cands": 4, "recs": 8, "peps": 0.7,
        "va": 95, "vb": 6, "swap": "1-2", "along": 0.5, "delta": 0.0, "u": 1000,
    },
    now={"learners": ("erm", "exponential", "hash")},
    rich="open=optimum.program.margin-proof.boxes.microscope.neighbours.bound-packing.recipe&nwho=erm",
    moving="exponential",
)  # fmt: skip


# What the tests of bounds on learning a point compute a second time.


def packing_mean(m, d, epsilon, alpha):
    """E[1 / (1 + (T-2) e^(-eps K))], term by term."""
    return converse_mean(m, mp.mpf(2) ** d - 2, exact(epsilon), exact(alpha))


def unnamed(most, n, epsilon):
    """1 - F(u) for a target with 0, 1, ..., most votes, nobody else having any."""
    p0, u1 = mp.log((n + 1) / 2) / epsilon, mp.log(n + mp.mpf(1) / 2) / epsilon
    found = []
    for k in range(most + 1):
        u = k - max(mp.mpf(0), (k - p0) / 2)
        if u <= u1:
            found.append(1 - (mp.exp(epsilon * u) - 1) / (2 * n))
        else:
            found.append((mp.mpf(1) / 2 + 1 / (4 * n)) * mp.exp(-epsilon * (u - u1)))
    return found


def violates_3_9(m, d, epsilon, alpha, beta):
    gamma = exact(beta) + mp.exp(-exact(alpha) * m / 3)
    left = (mp.mpf(2) ** d - 2) * mp.exp(-4 * exact(epsilon) * exact(alpha) * m)
    return gamma < 1 and left * (1 - gamma) > gamma


def hashing(m, d, epsilon, alpha, beta):
    """Tell whether some number of bits and some alpha' do it: a grid of its own, in floats."""
    share = np.linspace(0, 1, 4001)[1:-1]
    for bits in range(1, 60):
        if 2.0**-bits / beta >= alpha:
            continue
        good = alpha * (2.0**-bits / beta / alpha) ** share
        spend = np.minimum(epsilon, np.log(alpha / good))
        r = 1 - alpha * (1 - np.exp(-spend / 2)) + good * (np.exp(spend / 2) - 1)
        failure = 2.0**-bits / good + (2.0**bits - 1) * np.minimum(r, 1) ** m
        if failure.min() <= beta:
            return True
    return False
