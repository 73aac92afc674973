"""What the captions of “What can be learned from statistics alone?” say."""

from privsc_core.exhibits.parity import least_queries
from privsc_core.numerics.decimals import decimal


def _equations(s):
    return [
        f"some of {s.d} bits", "modulo 2", (
            f"{s.need('erm', distribution='uniform')} random equations"
        ),
        f"at d = 64 it takes {s.need('erm', distribution='uniform', d=64)}",
    ]  # fmt: skip


def _queries(s):
    tolerance = s.now["tol"]
    wanted = 1 - decimal(s.beta)
    at, large = (least_queries(d, tolerance, wanted) for d in (s.d, 32))
    assert round(least_queries(33, tolerance, wanted) / large, 6) == 2
    return [f"right to {tolerance:g}", f"{at} of them at d = {s.d} and {large:,} at d = 32"]


def _elimination(s):
    law = "uniform"
    return [
        f"needs {s.need('elimination', distribution=law)} examples",
        f"at d = 64 it is {s.need('elimination', distribution=law, d=64)}",
    ]


def _all_parities(s):
    needs = [s.need(name, distribution="uniform") for name in ("exponential", "elimination")]
    return ["all 2ᵈ parities", f"needs {needs[0]} where elimination needs {needs[1]}"]


def _converse(s):
    return [
        f"Below {s.bound('converse')} examples at d = {s.d}",
        f"and {s.bound('converse', d=64)} at d = 64 every",
    ]


def _counts(s):
    free, noisy = (s.need(name, distribution="spikes") for name in ("erm", "sq-laplace"))
    return [
        "must be 1", "it is 0", f"Without privacy {free} examples suffice on the distribution spikes",
        f"noise d/ε on every count {noisy:,}",
    ]  # fmt: skip


def _gauss(s):
    gauss, laplace = (s.need(name, distribution="spikes") for name in ("sq-gauss", "sq-laplace"))
    assert s.delta == 1e-6
    return [
        f"At d = {s.d} Gaussian noise with δ = 10⁻⁶ takes {gauss:,} examples",
        f"Laplace noise {laplace:,}",
    ]


def _one_answer(s):
    once, noisy = (s.need(name, distribution="spikes") for name in ("exponential", "sq-laplace"))
    return [f"{once} examples, where noisy counts need {noisy:,}", "all 2ᵈ conjunctions"]


def _wherever(s):
    return [
        f"{s.bound('finite-class')} examples for the exponential mechanism",
        f"{s.bound('queries-laplace'):,} for counts", f"fewer than {s.bound('converse-spikes')} no",
    ]  # fmt: skip


def _pairs(s):
    noisy, nearest = (
        s.need(who, distribution=s.distribution, trials=s.trials) for who in ("gauss", "projected")
    )
    return [
        f"pairs of {s.d} attributes", f"{noisy:,} rows with Gaussian noise",
        f"{nearest:,} after going to the nearest",
    ]  # fmt: skip


SCENES = (
    _equations, _queries, _elimination, _all_parities, _converse, _counts, _gauss, _one_answer,
    _wherever, _pairs,
)  # fmt: skip
