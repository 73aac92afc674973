"""Every statistical tolerance of the suite, derived from one stated false-alarm budget.

A test that compares a simulation with a law can fail although nothing is wrong. Here is how often
that may happen: over the choice of all seeds, one full run of the suite raises any statistical
false alarm with probability at most ``FALSE_ALARMS``. The budget is split evenly over at most
``CHECKS`` comparisons (union bound, so they may depend on each other in any way), and a run that
makes more comparisons than that fails (``tests/conftest.py`` asks ``spent`` at the end). Seeds are
fixed, so a suite that passed once keeps passing; the budget says how much luck that took.

So a tolerance is never picked by hand. A check says what is compared, and this file decides:

- ``assert_rate``          a count of successes against a probability (exact binomial tails);
- ``assert_rate_at_least``  a count of successes against the least that its probability may be;
- ``assert_within``      two counts of one event against a limit of privacy, p <= factor q + extra;
- ``assert_same_rate``     two counts of successes against each other (exact, Fisher);
- ``assert_distribution``  counts per outcome against probabilities (exact, per outcome);
- ``assert_mean``          the mean of values in a known range against its expectation (Hoeffding or
                           empirical Bernstein, whichever is narrower; no normal approximation).

A check that nothing can fail is worthless: ``power`` gives the exact probability with which
``assert_rate`` notices that the truth is another one. Pair each check with a planted broken
learner, and pick the number of trials so that ``power`` is close to 1 for it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln  # scipy.stats takes long to import: where it is used

FALSE_ALARMS = 1e-6
"""The probability that a full run of the suite raises any statistical false alarm."""

CHECKS = 10_000
"""The most comparisons a full run may make; raise it and every tolerance grows (slowly)."""

SHARE = FALSE_ALARMS / CHECKS
"""What one comparison may spend."""

_ledger: dict[str, int] = {}


def _spend(name: str, comparisons: int = 1) -> None:
    _ledger[name] = _ledger.get(name, 0) + comparisons


def spent() -> int:
    """Return how many comparisons this run has made."""
    return sum(_ledger.values())


# --- A count against a probability -----------------------------------------------------------


def binomial_tail(successes: int, trials: int, p: float) -> float:
    """Return the two-sided tail probability of this count when the success probability is `p`.

    Twice the smaller exact tail, at most 1: rejecting when this is at most `share` has a
    false-alarm probability of at most `share`.
    """
    from scipy.stats import binom

    if not (0 <= successes <= trials and trials > 0):
        message = f"successes must be in [0, {trials}] and trials positive; got {successes}."
        raise ValueError(message)
    if not 0 <= p <= 1:
        message = f"p must be in [0, 1]; got {p}."
        raise ValueError(message)
    below = float(binom.cdf(successes, trials, p))
    above = float(binom.sf(successes - 1, trials, p))
    return min(1.0, 2 * min(below, above))


def agrees(successes: int, trials: int, p: float, *, share: float = SHARE) -> bool:
    """Tell whether a count of successes is compatible with the probability `p`."""
    return binomial_tail(successes, trials, p) > share


def accepted(trials: int, p: float, *, share: float = SHARE) -> tuple[int, int]:
    """Return the smallest and the largest count that `agrees` accepts."""
    # ppf gives the first count whose lower tail reaches share/2; step over an exact tie.
    from scipy.stats import binom

    low = int(binom.ppf(share / 2, trials, p))
    high = int(binom.isf(share / 2, trials, p))
    while low < trials and not agrees(low, trials, p, share=share):
        low += 1
    while high > 0 and not agrees(high, trials, p, share=share):
        high -= 1
    return low, high


def half_width(trials: int, p: float) -> float:
    """Return the largest distance from `p` at which an observed rate is still accepted."""
    low, high = accepted(trials, p)
    return max(p - low / trials, high / trials - p)


def interval(successes: int, trials: int, *, share: float = SHARE) -> tuple[float, float]:
    """Return the Clopper-Pearson interval: the probabilities that `agrees` would accept."""
    from scipy.stats import beta

    low = 0.0 if successes == 0 else float(beta.ppf(share / 2, successes, trials - successes + 1))
    high = (
        1.0
        if successes == trials
        else float(beta.isf(share / 2, successes + 1, trials - successes))
    )
    return low, high


def power(trials: int, p: float, truth: float) -> float:
    """Return the exact probability that `agrees` rejects `p` when `truth` is the probability."""
    from scipy.stats import binom

    low, high = accepted(trials, p)
    return float(binom.cdf(low - 1, trials, truth) + binom.sf(high, trials, truth))


def trials_to_notice(p: float, truth: float, *, wanted: float = 1 - 1e-6) -> int:
    """Return a number of trials (a power of two) with which `truth` is told from `p`."""
    if p == truth:
        message = f"truth must differ from p; got {truth}."
        raise ValueError(message)
    trials = 1
    while power(trials, p, truth) < wanted:
        trials *= 2
    return trials


def assert_rate(successes: int, trials: int, p: float, what: str = "the rate") -> None:
    """Fail unless a count of successes is compatible with the probability `p`."""
    _spend("rate")
    if not agrees(int(successes), int(trials), float(p)):
        low, high = interval(int(successes), int(trials))
        message = (
            f"{what}: {successes} of {trials} = {successes / trials:.6g}, expected {p:.6g}; "
            f"compatible are [{low:.6g}, {high:.6g}] (two-sided tail "
            f"{binomial_tail(int(successes), int(trials), float(p)):.2g}, share {SHARE:.2g})."
        )
        raise AssertionError(message)


def assert_rate_at_least(successes: int, trials: int, p: float, what: str = "the rate") -> None:
    """Fail unless a count of successes is compatible with a probability of at least `p`."""
    from scipy.stats import binom

    _spend("rate")
    tail = float(binom.cdf(int(successes), int(trials), p))
    if tail <= SHARE:
        message = (
            f"{what}: {successes} of {trials} = {successes / trials:.6g}, expected at least {p:.6g} "
            f"(tail {tail:.2g}, share {SHARE:.2g})."
        )
        raise AssertionError(message)


def assert_within(
    hits: int,
    others: int,
    trials: int,
    factor: float,
    *,
    extra: float = 0.0,
    what: str = "the event",
) -> None:
    """Fail unless two counts of `trials` each are compatible with p <= factor * q + extra."""
    _spend("within")
    low, high = interval(int(hits), trials)[0], interval(int(others), trials)[1]
    if low > factor * high + extra:
        message = (
            f"{what}: {hits} and {others} of {trials}; p >= {low:.6g} is above "
            f"{factor:.6g} * {high:.6g} + {extra:.6g} (share {SHARE:.2g})."
        )
        raise AssertionError(message)


# --- Two counts against each other -----------------------------------------------------------


def same_rate_tail(first: int, trials: int, second: int, others: int) -> float:
    """Return Fisher's exact two-sided tail for two counts with one unknown probability."""
    total = first + second
    low, high = max(0, total - others), min(trials, total)
    k = np.arange(low, high + 1, dtype=np.float64)

    def log_choose(n: float, j: np.ndarray) -> np.ndarray:
        return np.asarray(gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1))

    logs = log_choose(trials, k) + log_choose(others, total - k)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    below = float(weights[: first - low + 1].sum())
    above = float(weights[first - low :].sum())
    return min(1.0, 2 * min(below, above))


def assert_same_rate(
    first: int, trials: int, second: int, others: int, what: str = "the rates"
) -> None:
    """Fail unless two counts of successes are compatible with one common probability."""
    _spend("same rate")
    tail = same_rate_tail(int(first), int(trials), int(second), int(others))
    if tail <= SHARE:
        message = (
            f"{what}: {first} of {trials} against {second} of {others} "
            f"(two-sided tail {tail:.2g}, share {SHARE:.2g})."
        )
        raise AssertionError(message)


# --- Counts per outcome against probabilities ------------------------------------------------


def assert_distribution(
    counts: Mapping[object, int] | Sequence[int],
    probabilities: Mapping[object, float] | Sequence[float],
    what: str = "the distribution",
) -> None:
    """Fail unless counts per outcome are compatible with the probabilities of the outcomes.

    One comparison per outcome of the law; an outcome that the law does not know, and a law that
    does not add up to 1, fail without spending anything.
    """
    seen: dict[object, int] = (
        dict(counts) if isinstance(counts, Mapping) else dict(enumerate(counts))
    )
    law: dict[object, float] = (
        dict(probabilities)
        if isinstance(probabilities, Mapping)
        else dict(enumerate(probabilities))
    )
    total = math.fsum(law.values())
    if abs(total - 1) > 1e-9:
        message = f"{what}: the probabilities add up to {total!r}, not to 1."
        raise AssertionError(message)
    unknown = {outcome for outcome, count in seen.items() if count and outcome not in law}
    if unknown:
        message = f"{what}: outcomes that the law does not know: {sorted(map(repr, unknown))}."
        raise AssertionError(message)
    trials = int(sum(seen.values()))
    for outcome, p in law.items():
        count = int(seen.get(outcome, 0))
        assert_rate(count, trials, min(1.0, max(0.0, p)), f"{what}, outcome {outcome!r}")


# --- A mean against its expectation ----------------------------------------------------------


def mean_tolerance(values: ArrayLike, low: float, high: float, *, share: float = SHARE) -> float:
    """Return how far the mean of independent values in [low, high] may lie from its expectation.

    The narrower of Hoeffding's bound and the empirical Bernstein bound of Maurer and Pontil
    (2009, theorem 4), two-sided, each with half of the share.
    """
    data = np.asarray(values, dtype=np.float64)
    n = data.size
    if n < 2 or data.min() < low or data.max() > high:
        message = f"values must be at least two numbers in [{low}, {high}]."
        raise ValueError(message)
    width = high - low
    hoeffding = width * math.sqrt(math.log(4 / share) / (2 * n))
    log = math.log(8 / share)
    bernstein = math.sqrt(2 * float(data.var(ddof=1)) * log / n) + 7 * width * log / (3 * (n - 1))
    return min(hoeffding, bernstein)


def mean_agrees(
    values: ArrayLike, expected: float, *, low: float = 0.0, high: float = 1.0, share: float = SHARE
) -> bool:
    """Tell whether independent values in [low, high] are compatible with this expectation."""
    mean = float(np.mean(np.asarray(values, dtype=np.float64)))
    return abs(mean - expected) <= mean_tolerance(values, low, high, share=share)


def assert_mean(
    values: Iterable[float] | ArrayLike,
    expected: float,
    *,
    low: float = 0.0,
    high: float = 1.0,
    what: str = "the mean",
) -> None:
    """Fail unless independent values in [low, high] are compatible with this expectation."""
    _spend("mean")
    data = np.asarray(values, dtype=np.float64)
    if not mean_agrees(data, expected, low=low, high=high):
        message = (
            f"{what}: {data.mean():.6g} over {data.size} values, expected {expected:.6g} "
            f"within {mean_tolerance(data, low, high):.3g} (share {SHARE:.2g})."
        )
        raise AssertionError(message)
