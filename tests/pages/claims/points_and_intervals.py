"""What the captions of “Why points and thresholds differ” say."""

import math

import pytest

from privsc_core.draw.least import contrast_picture
from privsc_core.exhibits.interval import noise_channel
from tests.pages.claims.setting import EVERY_D, same


def _two_classes(s):
    point = s.need("erm", concept="point")
    return [
        f"take {s.need('erm')} examples at d = {s.d}, points {point}",
        "step with 1",
        ("single point with 1"),
    ]


def _hash(s):
    buckets = 2 ** math.ceil(math.log2(4 / (s.alpha * s.beta)))
    return [f"into {buckets} such sets", f"takes {same(s.need('hash', d=EVERY_D))} examples"]


def _noise_hides(s):
    return [
        f"takes {same(s.need('noise', d=EVERY_D)):,} examples at every d",
        f"needs {s.need('exponential'):,} at d = {s.d:,}",
    ]


def _noise_fails(s):
    mu = s.now["mu"]
    exact = noise_channel.recovery_probability((1 << 15) + 1, 16, mu)
    assert exact == pytest.approx((1 - 2 * mu) ** 2, abs=1e-12)
    return [f"μ = {mu:g}", f"(1-2μ)² = {exact:.2g}"]


def _worst_case(s):
    compared = contrast_picture(s.scenario, "exponential", ("uniform",), (1024,), trials=250)
    exact = s.need("exponential", d=1024)
    assert exact == 29_210
    assert abs(compared.table["m"][0] - 100) <= 3
    assert compared.table["method"] == ["rao-blackwell"]
    return [f"at d = 1,024: on the hard distribution {exact:,} examples (exact)", "about 100"]


SCENES = (
    _two_classes, lambda _: ["2ᵈ points and 2ᵈ + 1 thresholds"], _hash, _noise_hides,
    _noise_fails,
    lambda s: [f"at d = {s.d:,} with fewer than {s.bound('littlestone')} examples"],
    lambda _: ["that of points 1"], _worst_case,
)  # fmt: skip
QUESTIONS = {
    2: lambda s: [
        f"at d = {s.d} the exponential mechanism needs {s.need('exponential', concept='point'):,}",
    ],
}
