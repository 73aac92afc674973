"""Pseudorandom points, with seeds of the square root of d bits, written a second time."""

import functools
import math
from hashlib import shake_256

from privsc_core.concepts.pseudorandom.distributions import Hard, Single
from tests.classes import point
from tests.classes.known import Known
from tests.core.support import decimal
from tests.referee.anyone import anyone
from tests.referee.games import Task, above

# --- Targets and distributions ------------------------------------------------------------------


def seed_bits(d):
    """Return the length of seeds of the plain class: the square root of d, below d."""
    return min(math.isqrt(d - 1) + 1, d - 1)


@functools.cache
def generated(seed, length, d):
    """Return the first d bits of SHAKE-256, by text, as a point."""
    text = b"privsc %d " % length + seed.to_bytes((length + 7) // 8, "big")
    bits = "".join(f"{byte:08b}" for byte in shake_256(text).digest((d + 7) // 8))
    return 1 + int(bits[:d], 2)


class Images(point.Points):
    """The target labels the first image 1 that is not point 1."""

    def point(self, distribution, d):
        del distribution
        length = seed_bits(d)
        return next(g for s in range(2**length) if (g := generated(s, length, d)) != 1)


def is_image(row):
    if sum(row) != 1:
        return False
    d = len(row).bit_length() - 1
    length = seed_bits(d)
    return row.index(1) + 1 in {generated(s, length, d) for s in range(2**length)}


# --- The referee's tiny games -------------------------------------------------------------------


class ImageGames(point.PointGames):
    """Pseudorandom points, with seeds of the square root of d bits.

    An efficient learner cannot be told from one that never looks at the generator, if the generator
    is secure. So the stand-in for efficient learners serves all points, and answers with a point:
    that is what the bound for efficient learners speaks of.
    """

    name = "pseudorandom-point"
    bits = (2, 3, 4)
    stand_ins = (*point.PointGames.stand_ins, anyone("points", "pure", efficient=True))

    def targets(self, d):
        length = seed_bits(d)
        return sorted({generated(seed, length, d) for seed in range(2**length)})

    def games(self, stand_in, d, alpha, m):
        if stand_in.efficient:
            return point.KNOWN.referee.games(_AS_POINT, d, alpha, m) if d <= 3 else {}
        return super().games(stand_in, d, alpha, m)

    def pictured(self, stand_in, distribution, d, alpha, m):
        if stand_in.efficient:
            plain = {x.name: x for x in point.KNOWN.referee.concept.distributions}[
                distribution.name
            ]
            return point.KNOWN.referee.pictured(_AS_POINT, plain, d, alpha, m) if d <= 3 else None
        return super().pictured(stand_in, distribution, d, alpha, m)

    def worst(self, d, alpha):
        for name, tasks, candidates in super().worst(d, alpha):
            if name != "pair":
                yield name, tasks, candidates
        others = [t for t in self.targets(d) if t != 1]
        if len(others) >= 2:
            a = decimal(alpha)
            pair = {others[0]: above(a), 1: above(1 - a, -1)}
            yield "pair", [Task(self.row(t, d), pair) for t in others[:2]], None


_AS_POINT = anyone("concepts", "pure", proper=True)


def proper(learner):
    return learner.proper and learner.privacy == "pure"


def efficient(learner):
    return learner.efficient and learner.privacy == "pure"


KNOWN = Known(
    targets={Hard: Images(), Single: Images()},
    is_concept=is_image,
    enumerating=dict.fromkeys(
        ("exponential-proper", "margin"), (10**4, r"^d must leave seeds of at most")
    ),
    binds=dict.fromkeys(("packing-proper", "packing-two-proper"), proper)
    | dict.fromkeys(("packing-relaxed", "packing-two-relaxed"), efficient),
    weaker={
        # Images are points: fewer rivals, fewer samples.
        ("packing-proper", "packing-relaxed"): lambda d, *_: d < 2,
        ("packing-proper", "packing-two-proper"): lambda d, *_: d < 0,
        ("packing-relaxed", "packing-two-relaxed"): lambda d, *_: d < 0,
        ("finite-class-proper", "finite-class-relaxed"): lambda d, *_: d < 0,
    },
    referee=ImageGames(),
    cards=(("erm", "exponential-relaxed", "exponential-proper"), ()),
    defaults={
        "learners": ("erm", "exponential-relaxed", "exponential-proper"), "dist": "hard",
        "map": "exponential-proper", "l": "sqrt", "dm": 40, "dseed": 1,
        "who": "exponential-proper", "nwho": "exponential-proper",
        "pack": "packing-proper",
    },
    rich="open=boxes.distinguisher.microscope.neighbours.recipe&tab=references",
    moving="exponential-relaxed",
)  # fmt: skip
