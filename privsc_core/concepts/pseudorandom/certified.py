"""The numbers of pseudorandom points that have a certified route: images are really counted."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes
from privsc_core.concepts.pseudorandom.generator import COUNTED, image

if TYPE_CHECKING:
    from fractions import Fraction

    from privsc_core.certify.balls import At, Ball
    from privsc_core.concepts.pseudorandom.generator import SeedLength

# Images that differ in their first bits are different: of more bits no more are computed.
_PREFIX = 128


class _Images(NamedTuple):
    """How many images there are but point 1, whether that is one, and seeds of the target's."""

    others: int
    first: bool
    seeds: int


@lru_cache(maxsize=64)
def _images(length: int, d: int) -> _Images:
    if length > COUNTED:
        raise Uncertified(f"the images of more than 2^{COUNTED} seeds are not counted one by one")
    found = [image(seed, length, min(d, _PREFIX)) for seed in range(1 << length)]
    counts = Counter(found)
    if d > _PREFIX and (1 in counts or len(counts) < len(found)):
        raise Uncertified("two images agree in their first bits")
    target = next((point for point in found if point != 1), 1)
    return _Images(len(counts) - (1 in counts), 1 in counts, counts[target])


def _mass(at: At) -> Fraction | int:
    return 1 if at.law.name == "single" else at.alpha


def routes_of(seeds: SeedLength) -> Routes:
    """Return the routes of the class with seeds of a length."""

    def images(at: At) -> _Images:
        return _images(seeds.bits(at.d), at.d)

    def erm(at: At) -> Ball:
        lucky = ball(images(at).seeds) / points(seeds.bits(at.d))
        return ball(1) if _mass(at) == 1 else formulas.unseen(at, lucky)

    def relaxed(at: At) -> Ball:
        if _mass(at) == 1:
            return formulas.single_mechanism(at, points(at.d, 1))
        return formulas.mechanism(at, at.alpha, points(at.d, 2))

    def proper(at: At) -> Ball:
        known = images(at)
        if _mass(at) == 1:
            return formulas.single_mechanism(at, ball(known.others - 1 + known.first))
        return formulas.mechanism(at, at.alpha, ball(known.others - 1), one=known.first)

    def margin(at: At) -> Ball:
        known = images(at)
        mass = at.alpha / at.alpha if _mass(at) == 1 else at.alpha
        return formulas.vote_law(at, mass, ball(known.others + known.first))

    laws = {
        "erm": erm, "exponential-relaxed": relaxed, "exponential-proper": proper, "margin": margin,
    }  # fmt: skip
    return Routes(
        success={(name, law): route for name, route in laws.items() for law in ("hard", "single")},
        limits={
            "packing-proper": lambda at: formulas.packing(
                at, at.alpha, ball(images(at).others - 1)
            ),
            "packing-two-proper": lambda at: formulas.halfway(
                at, at.alpha, ball(images(at).others - 1)
            ),
            "packing-relaxed": lambda at: formulas.packing(at, at.alpha, points(at.d, 2)),
            "packing-two-relaxed": lambda at: formulas.halfway(at, at.alpha, points(at.d, 2)),
            "finite-class-proper": lambda at: formulas.promise_of_class(
                at, points(seeds.bits(at.d), 1)
            ),
            "finite-class-relaxed": lambda at: formulas.promise_of_class(at, points(at.d, 1)),
        },
    )
