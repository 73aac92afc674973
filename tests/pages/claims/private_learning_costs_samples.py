"""What the captions of “Private learning costs examples” say."""

import math

from privsc_core import catalog
from privsc_core.exhibits.boxes import amount
from tests.pages.claims.packing import shares_of
from tests.pages.claims.setting import EVERY_D, same


def _without_privacy(s):
    return [f"{max(s.need('erm', d=EVERY_D))} examples are enough to find one point among 2⁶⁴"]


def _with_privacy(s):
    erm, private = s.need("erm"), s.need("exponential")
    return [
        f"privacy ε = {s.epsilon:g}", f"needs {private:,} examples instead of {erm}",
        f"{private // erm} times as many",
    ]  # fmt: skip


def _follows_d(s):
    small, large = s.need("exponential"), s.need("exponential", d=1024)
    assert s.d == 128
    assert round((large - small) / (1024 - 128)) == 28
    return [
        f"{small:,} examples at d = 128 and {large:,} at d = 1,024", "about 28 for every bit",
        f"stays at {s.need('erm', d=1024)}",
    ]  # fmt: skip


def _improper(s):
    small = same(s.need("representation", d=[16, 64, 1024, 10**4, 10**6]))
    return [
        f"{small} examples with the random class",
        f"{same(s.need('noise', d=EVERY_D)):,} with independent noise",
        "From d = 16 on",
    ]


def _improper_efficient(s):
    assert all(catalog.learner("point", e).efficient for e in ("noise-pseudorandom", "hash"))
    return [
        f"{same(s.need('noise-pseudorandom', d=EVERY_D)):,} examples at every d",
        f"Hashing needs {same(s.need('hash', d=EVERY_D))}",
    ]


def _images(s):
    assert s.now["l"] == "sqrt"
    return [
        "Only 2ˡ points", f"Without privacy: {s.need('erm')} examples",
        f"all 2ˡ seeds: {s.need('exponential-proper'):,} at d = {s.d:,}",
    ]  # fmt: skip


def _efficient(s):
    relaxed, proper = s.need("exponential-relaxed"), s.need("exponential-proper")
    return [
        f"{relaxed:,}, not {proper:,}",
        f"below {s.bound('packing-two-relaxed'):,} no such ε-DP learner succeeds if the generator is secure",
        f"Hashing ({s.need('hash', concept='point')}) answers with a set",
        "factor 1/α ours",
    ]


def _release(s):
    assert s.delta == 1e-6
    return [
        f"the Laplace histogram takes {s.need('laplace'):,} entries at d = {s.d:,}", f"Below {s.bound('packing-two'):,} no ε-DP release is useful for every database",
        f"With δ = 10⁻⁶: {same(s.need('stability', d=EVERY_D))} at every d",
    ]  # fmt: skip


def _debt(s):
    found, shares = shares_of(s)
    assert not shares.fits
    assert shares.least == s.bound("packing")
    assert s.d == 64
    return [
        f"2⁶⁴ - 1 targets probability {found.asked:g} on", f"K = {found.count}", "more than 1",
        f"the others get {amount(shares.log_owed)} there", f"from m = {shares.least:,} on",
    ]  # fmt: skip


def _merged(s):
    found, shares = shares_of(s)
    assert shares.fits
    assert math.isclose(found.boxes.merged.log_each, 55 * math.log(2))
    buckets = 2 ** math.ceil(math.log2(4 / (s.alpha * s.beta)))
    return [
        "2⁵⁵ points", f"one of {buckets}:",
        f"{round(math.exp(shares.log_rivals))} others must get {amount(shares.log_owed)} in all",
        f"ends at {shares.least} examples", f"needs {s.need('hash')}",
    ]  # fmt: skip


SCENES = (
    _without_privacy, _with_privacy, lambda _: [], _follows_d,
    lambda s: [f"fails for some target, at d = {s.d} below {s.bound('packing-two'):,} examples"],
    _improper, _improper_efficient, _images, _efficient, _release, _debt, _merged,
)  # fmt: skip
QUESTIONS = {
    3: lambda s: [
        f"At d = 64 the exponential mechanism needed {s.need('exponential', d=64):,} examples",
        f"at d = {s.d}, in a domain 2⁶⁴ times",
    ],
}
