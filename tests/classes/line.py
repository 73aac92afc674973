"""Lines modulo p, written a second time: small planes point by point, large ones in logarithms."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import functools
import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
from scipy.stats import binom

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.line.learners import Vote
from privsc_core.concepts.shared.sample import Sample
from tests.classes.known import Known
from tests.classes.point import PointGames
from tests.core.references import converse_mean, exact
from tests.core.support import decimal
from tests.referee.games import Task, above

SLACK = 1e-6

# --- Planes and distributions -------------------------------------------------------------------


@functools.cache
def largest_prime(d):
    """Return the largest prime up to 2^d, d <= 40, by trial division."""
    for n in range(2**d, 1, -1):
        trials = np.arange(2, math.isqrt(n) + 1)
        if (n % trials).all():
            return n
    return None


def size(d):
    """Return p, or 2^d where p is as good as that."""
    return mp.mpf(largest_prime(d)) if d <= 24 else mp.mpf(2) ** d


def labels(number, p, many):
    """Return the labels of line number 1 + a p + b on the first points, (x, y) being 1 + x p + y."""
    a, b = divmod(number - 1, p)
    return tuple(
        int(code < p * p and code % p == (a * (code // p) + b) % p) for code in range(many)
    )


def is_line(row):
    p = largest_prime(max((len(row).bit_length() - 1) // 2, 1))
    return row in {labels(number, p, len(row)) for number in range(1, p * p + 1)}


def masses(distribution, p, alpha):
    """Return {(x, y): (mass, slope)} around the target y = 0."""
    a = decimal(alpha)
    match distribution.name:
        case "spread":
            found = {(x, 0): above(a / (p - 1), Fraction(1, p)) for x in range(p)}
            return found | {(0, 1): above(1 - a * p / (p - 1), -1)}
        case "anchor":
            return {(0, 0): above(1 - a, -1), (1, 0): above(a)}
        case "pair":
            return {(0, 0): above(a), (1, 0): above(a), (0, 1): above(1 - 2 * a, -2)}
    k = decimal(distribution.k)
    return {
        (x, y): above((1 - k) / (p * p - p) if y else k / p, 0)
        for x, y in itertools.product(range(p), repeat=2)
    }


def by_points(learner, distribution, m, d, epsilon, alpha, beta):
    """Sum over all samples of a tiny plane, and over what the learner puts out."""
    p = largest_prime(d)
    law = {1 + x * p + y: mass for (x, y), mass in masses(distribution, p, alpha).items()}
    support = [(point, float(value)) for point, (value, _) in law.items() if value]
    verdict, total = {}, 0.0

    def good(output):
        row = output if isinstance(output, tuple) else labels(output, p, 4**d)
        wrong = [mass for point, mass in law.items() if row[point - 1] != ((point - 1) % p == 0)]
        return (sum(v for v, _ in wrong), sum(s for _, s in wrong)) <= (decimal(alpha), 0)

    for drawn in itertools.product(support, repeat=m):
        points = [point for point, _ in drawn]
        sample = Sample.of(2 * d, points, [int((x - 1) % p == 0) for x in points])
        shares = learner.output_distribution(sample, Cell(sample.d, epsilon, alpha, beta))
        for output, share in shares.items():
            if share and output not in verdict:
                verdict[output] = good(output)
            if share and verdict[output]:
                total += share * math.prod(chance for _, chance in drawn)
    return total


def by_hashes(learner, distribution, m, d, epsilon, alpha, beta):
    """Average over every hash as well, with the mechanism written a second time."""
    p, total = largest_prime(d), 0.0
    buckets = 2 ** (learner.bits or 1)
    law = masses(distribution, p, alpha)
    support = [(place, float(value)) for place, (value, _) in law.items() if value]
    for r, shift in itertools.product(range(1, p), range(p)):
        rows = {}
        for a, bucket in itertools.product(range(p), range(buckets)):
            rows[a, bucket] = {
                (x, y): int((r * ((y - a * x) % p) + shift) % p % buckets == bucket) for x, y in law
            }
        wrong = {
            key: [law[place] for place, label in row.items() if label != (place[1] == 0)]
            for key, row in rows.items()
        }
        good = {
            key: (sum(v for v, _ in w), sum(s for _, s in w)) <= (decimal(alpha), 0)
            for key, w in wrong.items()
        }
        for drawn in itertools.product(support, repeat=m):
            weights = {
                key: math.exp(
                    -epsilon / 2 * sum(row[place] != (place[1] == 0) for place, _ in drawn)
                )
                for key, row in rows.items()
            }
            share = sum(w for key, w in weights.items() if good[key]) / sum(weights.values())
            total += share * math.prod(chance for _, chance in drawn)
    return total / (p * (p - 1))


# --- Inequalities of bounds ----------------------------------------------------------------------


def packing(m, d, epsilon, alpha, beta):
    p = size(d)
    mass = exact(alpha) * p / (p - 1)
    if m > 400:  # long sums in floats, to a billionth
        count = np.arange(m + 1)
        kept = 1 / (1 + np.exp(np.minimum(float(mp.log(p * p - p - 1)) - epsilon * count, 700)))
        return binom.pmf(count, m, float(mass)) @ kept >= 1 - beta
    return converse_mean(m, p * p - p - 1, exact(epsilon), mass) >= 1 - exact(beta)


def finite_class(m, d, epsilon, alpha, beta):
    r = 1 - exact(alpha) * (1 - mp.exp(-exact(epsilon) / 2))
    return (size(d) ** 2 - 1) * r**m <= exact(beta)


def guessed(kappa, alpha, p):
    """Return log rho on mixture(kappa): the worst theta by a grid, where theta + g <= 1."""
    slope = kappa + (1 - kappa) / (p - 1)
    u, w = kappa - alpha, 1 - kappa - alpha
    x = slope**2 / (4 * u * w) / p
    return np.log(x) - np.log1p(x)


def blind_guess(m, d, epsilon, alpha, beta):
    """Tell that no mixture of a finer grid excludes m; in floats."""
    p, count = float(size(min(d, 1000))), np.arange(m + 1)
    extra = (d - 1000) * math.log(2) if d > 1000 else 0.0

    def allowed(log_rho, mass, crowd):
        share = np.exp(np.minimum(log_rho + epsilon * count, 0))
        mean = binom.pmf(count, m, mass) @ share if mass < 1 else share[-1]
        return mean + m * crowd / p >= 1 - beta

    near = np.geomspace(1e-5, 0.5, 150)
    for kappa in alpha + (1 - 2 * alpha) * near:
        if not allowed(guessed(kappa, alpha, p) - extra, kappa, 1 - kappa):
            return False
    if d > 30:
        return True
    for weight in np.linspace(2 * alpha, 1, 61)[1:]:
        inner = alpha / weight
        best = min(guessed(kappa, inner, p) for kappa in inner + (1 - 2 * inner) * near[::2])
        if not allowed(best - math.log1p(-1 / p), weight, 0.0):
            return False
    return True


def hash_line(m, d, epsilon, alpha, beta):
    """The guarantee, for every t and a grid of its own."""
    log_p, most = float(mp.log(size(d))), (largest_prime(d).bit_length() - 2 if d <= 24 else d - 2)
    for t in range(1, min(most, 90) + 1):
        for inner in np.geomspace(1.0001 * 2.0**-t / beta, alpha, 700):
            if inner > alpha * 0.9999:
                break
            loss = min(epsilon, math.log(alpha / inner))
            r = 1 - alpha * -math.expm1(-loss / 2) + inner * math.expm1(loss / 2)
            left = log_p + t * math.log(2) + m * math.log(r)
            if 2.0**-t / inner + math.exp(min(left, 0)) <= beta * (1 + 1e-12):
                return True
    return False


# --- The referee's tiny games -------------------------------------------------------------------


class LineGames(PointGames):
    """The planes of 4 and 9 points.

    Who asks for rows of 2^d points gets the plane that learners see on such samples.
    """

    name = "line"
    bits = (1, 2)
    unplayed = frozenset({"blind-guess"})

    def targets(self, d):
        return range(1, largest_prime(max(d // 2, 1)) ** 2 + 1)

    def row(self, target, d):
        return labels(target, largest_prime(max(d // 2, 1)), 2**d)

    def lines(self, d):
        """Return all lines of the plane that bounds mean by d."""
        p = largest_prime(d)
        return [labels(number, p, p * p) for number in range(1, p * p + 1)]

    def answers(self, kind, d, support):
        if kind == "concepts":
            yield from self.lines(d)
            return
        for row in itertools.product((0, 1), repeat=len(support)):
            known = dict(zip(support, row, strict=True))
            yield tuple(known.get(x, 0) for x in range(1, max(support) + 1))

    def picture(self, distribution, d, alpha):
        p, a = largest_prime(d), decimal(alpha)
        if distribution.name != "spread" or a * p / (p - 1) > 1:
            return []
        rest = {2: above(1 - a * p / (p - 1), -1)}
        thin = above(a / (p - 1), Fraction(1, p))
        return [
            Task(row, rest | {x: thin for x, y in enumerate(row, 1) if y})
            for row in self.lines(d) if not row[1]
        ]  # fmt: skip

    def worst(self, d, alpha):
        a, lines = decimal(alpha), self.lines(d)
        # The lines y = 0 and y = x meet in point 1, and (1, 0) is on the first alone.
        pair = {1: above(1 - a, -1), 1 + largest_prime(d): above(a)}
        yield "pair", [Task(row, pair) for row in (lines[0], lines[largest_prime(d)])], None
        spread = self.picture(self.concept.distributions[0], d, alpha)
        if spread:
            yield "spread", spread, None


def pure(learner):
    return learner.privacy == "pure"


KNOWN = Known(
    alpha_most=0.4999,
    is_concept=is_line,
    continuum=frozenset({"spread", "anchor", "pair", "mixture"}),
    enumerating=dict.fromkeys(("erm", "exponential", "vote"), (128, "^d must be at most 64"))
    | {"hash-line": (20, "^d must be at most")},
    enumerators=dict.fromkeys(("erm", "exponential", "vote"), by_points)
    | {"hash-line": by_hashes},
    variants={
        "vote": [Vote(delta=0.3, block=1), Vote(delta=0.3, block=2)],
    },
    slack={"vote": SLACK, "theorem-6.1": SLACK},
    weaker={("vote", "theorem-6.1"): lambda d, *_: np.zeros(d.shape, dtype=np.bool_)},
    tiny_bits=(1, 2),
    holds={
        "blind-guess": blind_guess,
        "packing": packing,
        "finite-class": finite_class,
        "hash-line": hash_line,
    },
    binds={
        "nonprivate": lambda _: True, "littlestone": pure, "blind-guess": pure,
        "packing": lambda x: x.proper and x.privacy == "pure",
    },
    searched={"blind-guess": 0.01, "vote": 0.01, "hash-line": 0.01},
    thinned={"blind-guess": 10},
    slow={"exponential": 5, "vote": 5, "hash-line": 5},
    referee=LineGames(),
    cards=(("erm", "vote"), ("blind-guess", "vote")),
    whom={
        "blind-guess": "for every ε-DP learner, proper or not",
    },
    defaults={
        "d": 64, "learners": ("erm", "exponential", "vote"), "dist": "spread", "map": "erm",
        "k": 0.5, "l": "largest", "blocks": 110, "heavy": 0, "vdraw": 1, "who": "vote", "nwho": "vote", "pack": "packing", "delta": SLACK,
    },
    rich="open=votes.contrast.microscope.neighbours.bound-packing.recipe",
    moving="exponential",
)  # fmt: skip
