"""The least number of samples that reaches a target, and that from which on every one does."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import CHUNK, Distribution, Estimate, Learner, Setting
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT, tiny_beta
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import Found, recalled, tabulate
from privsc_core.evaluate.success import method_of
from privsc_core.numerics.crossing import SCANNED_MOST, Unsettled, answers, ladder, nearest
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.intervals import trials_for
from privsc_core.numerics.search import least_few, least_integers, log_odds_over
from privsc_core.numerics.text import raised
from privsc_core.parameters import scalar, validated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.evaluate.bounds import Row
    from privsc_core.evaluate.results import NeedResult
    from privsc_core.numerics.crossing import Search

End: TypeAlias = Literal["low", "value", "high"]

# A simulated least m is searched only this far: beyond, drawing samples takes too long.
_SIMULATED_LIMIT = 10**6
# The ends of a bracket within which a rough number is looked for.
_NEAR = 1.1
# A search with at least so many samples follows one with a share of them.
_PILOTED_FROM, _PILOT = 400, 20
# Of events as rare as one in the most trials, simulation knows nothing.
_SIMULATED_RAREST = 1e-6
# Envelopes are computed along another way than the law itself: where they are closer than rounding
# to the target, relative to the smaller of beta and 1 - beta, the law decides.
_ROUNDING = 1e-8
# The next number below 0.
_JUST_SHORT = math.nextafter(0.0, -1.0)
# Periods that are looked at as a whole, and beginnings that are tried one by one.
_PERIOD_MOST = 50
_SETTLED_MOST = 100
# Numbers that are tried for the best m, and how often, each time between the neighbours of the best.
_TRIED, _CLOSER = 200, 3
# By how much intervals are longer that are farther from where success crosses its target.
_WIDER = 8
# So many m at the end of the search tell whether some fail even there.
_LAST = 64


def suffices(found: Estimate, beta: float, margin: float = 0.0) -> NDArray[np.bool_]:
    """Return whether success is at least 1 - beta; the one place that decides.

    Where beta is tiny failure decides, which alone has its digits.

    Parameters
    ----------
    found : Estimate
        With `failure` where the law is exact and beta is `tiny_beta`.
    beta : float
        As it was typed.
    margin : float
        By how much more it must be at least, relative to the smaller of beta and 1 - beta.
    """
    if found.failure is not None and tiny_beta(beta) and beta < 0.5:
        return np.asarray(found.failure <= beta * (1.0 - margin))
    goal = complement(beta)
    return np.asarray(found.value >= goal + margin * min(beta, goal))


def pilot_trials(trials: int) -> int:
    """Return with how many samples a search begins that is to use `trials`: often fewer."""
    return trials // _PILOT if trials >= _PILOTED_FROM else trials


def enough_trials(beta: float) -> int:
    """Return how many simulated samples tell a least m, see `need`: none of as many fails, or succeeds."""
    return trials_for(min(beta, complement(beta)))


def if_few(trials: int, beta: float) -> str:
    """Return what a caption says of numbers, see `NeedResult.told`, where so many trials do not tell m."""
    if trials >= enough_trials(beta):
        return ""
    return (
        f" Simulated numbers are “at least”: {trials:,} simulated samples are too few to find m at β = {beta:g}, but "
        f"{enough_trials(beta):,} would do."
    )


def guessed(
    learner: Learner,
    distribution: Distribution,
    *,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    delta: float = 0.0,
) -> float:
    """Return from where `need` searches at one setting, see `Learner.initial_guess`; NaN where it refuses."""
    try:
        distribution.check(d=d, alpha=alpha)
        limit = _limit(learner, distribution, beta)
    except InputError:
        return math.nan
    if d > learner.most_d(distribution):
        return math.nan
    cell = np.array([d]), np.array([epsilon])
    setting = Setting(np.ones(1, dtype=np.int64), *cell, alpha, beta, delta)
    return min(float(learner.at(delta).initial_guess(distribution, setting).item()), float(limit))


def scores(found: Estimate, beta: float) -> NDArray[np.float64]:
    """Return how far each is above what suffices, in log odds; sign as `suffices`."""
    over = log_odds_over(beta, found.value, found.failure if tiny_beta(beta) else None)
    return np.where(suffices(found, beta), np.maximum(over, 0.0), np.minimum(over, _JUST_SHORT))


def need(
    learner: Learner,
    distribution: Distribution,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike = 0.0,
    trials: int = 1000,
    seed: int = 1,
    rough: bool = False,
) -> NeedResult:
    """Return the least m with success probability at least 1 - beta.

    Rounds up: the value reaches the target at m and at no smaller one. Where success may fall
    again as m grows (`Learner.monotone`) `m_from` is the least number from which on every m
    suffices; elsewhere it is m. Where the law is simulated m is where the
    simulated curve crosses the target, at one of the places if that wavers. There is none where
    the trials are too few for beta, or 1 - beta: what is so rare may not be among them, and the
    curve crosses too early. Then `at_least` is where the upper ends of the intervals cross.
    Of a learner of one's own the note says what as many fresh runs at m tell of success there.

    Parameters
    ----------
    learner, distribution
        From the catalog.
    d, epsilon, alpha, beta, delta : array_like
        They broadcast.
    trials, seed : int
        As for `success`.
    rough : bool
        Where the law is simulated: whether about m is enough, a few per cent off.

    Returns
    -------
    NeedResult
        NaN with a reason where no number of samples suffices, none from which on all do, or
        simulation cannot tell it.

    Raises
    ------
    InputError
        As for `success`; and where the law is simulated, for a beta so near to 0 or 1 that
        samples cannot tell.
    """
    trials, seed = scalar("trials", trials), scalar("seed", seed)
    method = method_of(learner, distribution)
    # Entries without parameters of their own all have one hash: by their types they are told apart.
    owner: tuple[Any, ...] = type(learner), learner, type(distribution), distribution
    owner += () if method == "exact" else (trials, seed, rough)
    at = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta, "delta": delta}
    if (known := recalled(owner, method, **at)) is not None:
        return known
    if distribution.name not in learner.laws:
        sentence = f"must have a law for {learner.name}: one of {', '.join(learner.laws)}"
        raise InputError("distribution", sentence, distribution.label)
    sizes, most = validated("d", d), float(validated("alpha", alpha).max())
    for bits in [sizes.item()] if sizes.size == 1 else np.unique(sizes).tolist():
        distribution.check(d=bits, alpha=most)

    # One search serves every d or slack where nothing depends on it, and every epsilon without privacy.
    alike: dict[str, Any] = {"delta": 0.0} if learner.free_of_delta else {}
    if "d" in learner.idle(distribution):
        alike["d"] = distribution.least_d
    if learner.privacy == "none":
        alike["epsilon"] = 1.0

    def many(rows: Sequence[Row]) -> list[Found]:
        return _Search(learner, distribution, rows, trials, seed, rough=rough).answers()

    return tabulate(owner, many, method, alike=alike, **at)


class _Search:
    """The search for the least m of settings that differ in d and epsilon alone."""

    def __init__(
        self, learner: Learner, distribution: Distribution, rows: Sequence[Row], trials: int,
        seed: int, *, rough: bool,
    ) -> None:  # fmt: skip
        bits, losses, (self.alpha, *_), (self.beta, *_), (self.delta, *_) = zip(*rows, strict=True)
        self.d, self.epsilon = np.array(bits), np.array(losses)
        self.entry, self.learner, self.law = learner, learner.at(self.delta), distribution
        self.trials, self.seed = trials, seed
        self.method = method_of(learner, distribution)
        self.exact = self.method == "exact"
        self.rough = rough and not self.exact
        self.limit = _limit(learner, distribution, self.beta)
        self.anywhere = self.where(slice(None), np.ones_like(self.d))
        self.monotone_at = self.learner.monotone_at(distribution, self.anywhere)
        self.falls = learner.falls(distribution, self.alpha)

    def answers(self) -> list[Found]:
        """Return the numbers, in the order of the cells."""
        guess = np.minimum(self.learner.initial_guess(self.law, self.anywhere), 1e9)
        if self.exact:
            crossings = least_integers(self.score, guess=guess, limit=self.limit).tolist()
        elif self.rough or self.trials >= enough_trials(self.beta):
            # Nothing of a simulation is shared.
            crossings = [self.simulated(i, float(guess[i])) for i in self.told()]
        else:
            return [self.bounded(i, float(guess[i])) for i in self.told()]
        self.crossings = np.array([crossing or self.limit + 1 for crossing in crossings])
        sure = self.monotone_at | self.rough
        open_ = np.flatnonzero(~sure)
        found = answers(
            [self.settled(i, crossings[i] or None) for i in open_.tolist()],
            lambda which, *ends: self.judge(open_[which], *ends),
            lambda which, m: self.good(open_[which], m),
        )
        reasons = self.shortfalls(np.flatnonzero(sure & (self.crossings > self.limit)))
        return [
            next(found) if not alone
            else Found.single(float(crossings[i]), note=self.remark(i, crossings[i]))
            if crossings[i]
            else Found.single(math.nan, next(reasons))
            for i, alone in zip(self.told(), sure.tolist(), strict=True)
        ]  # fmt: skip

    def shortfalls(self, cells: NDArray[np.intp]) -> Iterator[str]:
        """Yield why no m suffices where success never falls, of an exact law all together."""
        for some in cells[None] if self.exact else cells[:, None]:
            top = self.learner.success(self.law, self.where(some, np.full(some.size, self.limit)))
            lost = [None] * some.size if top.failure is None else top.failure.tolist()
            for value, failure in zip(top.value.tolist(), lost, strict=True):
                yield _shortfall(value, failure, self.beta, self.limit)

    def told(self) -> Iterator[int]:
        """Loop over the cells and tell how many are done."""
        return progress.steps(range(self.d.size))

    def bounded(self, cell: int, guess: float) -> Found:
        """Return what is known of one cell from trials that are too few for its beta, or 1 - beta.

        Ends of intervals hold for what was not drawn too. The upper ones do not suffice below their
        crossing, so m is as large at least; the lower ones suffice from theirs on. Where nothing was
        drawn, or a lower end is proved, the value decides.
        """
        end: End = "high" if self.beta < 0.5 else "low"
        crossing = self.simulated(cell, guess, end)
        found = self.learner.success(self.law, self.where(cell, np.array(max(crossing, 1))))
        sure = crossing == 1 if end == "low" else suffices(_by(found, "low"), self.beta)
        if crossing and not sure and found.sums.count > 0.0:
            why = _untold(crossing, self.trials, self.beta)
            return Found.single(math.nan, why, at_least=crossing if end == "high" else math.nan)
        crossing = self.simulated(cell, guess)
        return (
            Found.single(float(crossing), note=self.remark(cell, crossing)) if crossing
            else Found.single(math.nan, next(self.shortfalls(np.array([cell]))))
        )  # fmt: skip

    def remark(self, cell: int, m: int) -> str:
        """Return how sure a simulated m is, of a learner that is a law to itself; empty of others.

        By as many runs again, with other coins: those by which the search chose it speak for it.
        """
        if self.method != "monte-carlo" or self.rough:
            return ""
        fresh = -(-self.trials // CHUNK) * CHUNK
        found = self.learner.success(
            self.law, replace(self.where(cell, np.array(m)), first_trial=fresh)
        )
        return (
            f"simulated: {self.trials:,} more runs at this m put success between {float(found.low):.4g} "
            f"and {float(found.high):.4g}, with 95% confidence; larger m are assumed to do no worse"
        )

    def simulated(self, cell: int, guess: float, end: End = "value") -> int:
        """Return where the simulated curve of one cell crosses the target, 0 for nowhere.

        Or where ends of its intervals do.
        """
        which = np.array([cell])
        # A few samples say cheaply where to look; others ask for that as well.
        if (fewer := pilot_trials(self.trials)) < self.trials:
            pilot = need(
                self.entry, self.law, d=self.d[cell].item(), epsilon=self.epsilon[cell].item(),
                alpha=self.alpha, beta=self.beta, delta=self.delta, trials=fewer, seed=self.seed,
                rough=True,
            )  # fmt: skip
            guess = guess if np.isnan(pilot.m) else float(pilot.m)
        (found,) = least_few(
            lambda _, m: self.score(which, m, end), guess=[guess], limit=self.limit,
            costly=True, within=_NEAR if self.rough else 1.0,
        )  # fmt: skip
        return found

    def where(self, which: Any, m: NDArray[np.int64]) -> Setting:
        """Return the setting of cells at m."""
        cell = self.d[which], self.epsilon[which]
        return Setting(m, *cell, self.alpha, self.beta, self.delta, self.trials, self.seed)

    def score(
        self, which: NDArray[np.intp], m: NDArray[np.int64], end: End = "value"
    ) -> NDArray[np.float64]:
        """Return how far above what suffices success is at m, shape (cells, numbers)."""
        if not self.falls:
            found = self.learner.success(self.law, self.where((which, None), m))
            return scores(_by(found, end), self.beta)
        # Where some m fail however large they are, the better of two neighbours tells where to look.
        pairs = np.minimum(m[..., None] + np.arange(2), self.limit)
        found = self.learner.success(self.law, self.where((which, None, None), pairs))
        return np.asarray(scores(found, self.beta).max(axis=-1))

    def good(self, which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which m suffice, of one cell each."""
        return suffices(self.learner.success(self.law, self.where(which, m)), self.beta)

    def judge(
        self, which: NDArray[np.intp], first: NDArray[np.int64], last: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return whether all numbers of an interval suffice, or none, of one cell each.

        By the envelopes, and where they leave it open by one period at both ends. Mostly all are as
        the crossing has it: so one envelope is asked, and the other one where that does not tell, but for
        intervals that hold the crossing, which suffices, or the number before it, which does not.
        """
        verdicts = np.zeros(which.size, dtype=np.int64)
        crossings = self.crossings[which]
        above = first >= crossings
        beside = (first <= crossings) & (last >= crossings - 1) & (not self.falls)
        for expected, asked in ((above, True), (~above, ~beside)):
            for sign in (1, -1):
                open_ = np.flatnonzero((verdicts == 0) & (expected == (sign > 0)) & asked)
                if open_.size:
                    low, high = (self.where(which[open_], end[open_]) for end in (first, last))
                    found = self.learner.envelope(self.law, low, high, upper=sign < 0)
                    sure = suffices(found, self.beta, sign * _ROUNDING) == (sign > 0)
                    verdicts[open_] = sign * sure
        period, settled = self.learner.chain(self.law, self.alpha)
        if 0 < period <= _PERIOD_MOST:
            open_ = np.flatnonzero((verdicts == 0) & (first >= settled) & (last - first >= period))
            if open_.size:
                steps = np.arange(period)
                ends = np.stack([first[open_, None] + steps, last[open_, None] - steps])
                good = self.good(np.broadcast_to(which[open_, None], ends.shape), ends)
                verdicts[open_] = good[0].all(axis=1).astype(np.int64) - ~good[1].any(axis=1)
        return verdicts

    def settled(self, cell: int, crossing: int | None) -> Search[Found]:
        """Search for the numbers of one cell where success may fall, near where it crosses the target."""
        if self.falls and crossing is not None:
            good = yield np.array([crossing]), None
            crossing += not good.item()
        period, settled = self.learner.chain(self.law, self.alpha)
        if crossing is not None and (yield from _chains_agree(crossing, period, settled)):
            return Found.single(float(crossing))
        say = _Words(
            self.falls, lambda m: self.learner.success(self.law, self.where(cell, m)), self.beta,
            to_the_end=self.law.realizable,
        )  # fmt: skip
        return (yield from _search(crossing, self.limit, say))


def _limit(learner: Learner, distribution: Distribution, beta: float) -> int:
    """Return how far to search, or refuse a beta that simulation cannot tell."""
    if learner.laws[distribution.name] == "exact":
        return SEARCH_LIMIT
    if min(beta, complement(beta)) < _SIMULATED_RAREST:
        requirement = (
            f"and 1 - beta must be at least {_SIMULATED_RAREST:g} where the law is simulated "
            f"({learner.name} on {distribution.label}): rarer events do not occur in samples"
        )
        raise InputError("beta", requirement, beta)
    return _SIMULATED_LIMIT


def _by(found: Estimate, end: End) -> Estimate:
    """Return an estimate with one of its ends for the value."""
    return found if end == "value" else replace(found, value=getattr(found, end), failure=None)


def _untold(m: int, trials: int, beta: float) -> str:
    """Return why simulation does not tell the least m, with the number up to which it does."""
    if beta < 0.5:
        side, what = "least", f"fails with probability at most beta = {beta:.6g}"
    else:
        side, what = "most", f"succeeds with probability below {complement(beta):.6g} at fewer"
    return (
        f"at {side} {m:,}, simulated: {trials:,} trials cannot show that it {what}, which takes "
        f"at least {enough_trials(beta):,} trials"
    )


def _chains_agree(crossing: int, period: int, settled: int) -> Search[bool]:
    """Return whether nothing below the crossing suffices, and everything from it on.

    One period on each side of it decides, and what is below m0.
    """
    if not 0 < period <= _PERIOD_MOST or settled > min(_SETTLED_MOST, crossing - period):
        return False
    before = np.concatenate([np.arange(1, settled), np.arange(crossing - period, crossing)])
    good = yield np.concatenate([before, np.arange(crossing, crossing + period)]), None
    return not good[: before.size].any() and bool(good[before.size :].all())


@dataclass(frozen=True, slots=True)
class _Words:
    """What to say where a number is missing."""

    falls: str
    at: Callable[[NDArray[np.int64]], Estimate]
    beta: float
    to_the_end: bool

    def none(self, limit: int) -> str:
        best = None if self.to_the_end else self._best(limit)
        top = self.at(np.array(best or limit))
        failure = None if top.failure is None else float(top.failure)
        return _shortfall(float(top.value), failure, self.beta, limit, best)

    def never(self, m: int) -> str:
        if self.falls:
            return f"for every m some larger number falls short: {self.falls}"
        return (
            f"no m was found such that all larger ones suffice: {self._falling_short()} at some m up to {m:,}, where "
            "the search ends"
        )

    def unsettled(self, m: int) -> str:
        return (
            f"near m = {m:,} success crosses {self._aim()} too often to tell: more than "
            f"{SCANNED_MOST:,} numbers would have to be tried"
        )

    def _best(self, limit: int) -> int:
        """Return where success is greatest if it rises and then falls, up to what no one sees."""
        low, high = 1, limit
        for _ in range(_CLOSER):
            m = np.unique(np.geomspace(low, high, _TRIED).round().astype(np.int64))
            best = int(np.argmax(self.at(m).value))
            low, high = int(m[max(best - 1, 0)]), int(m[min(best + 1, m.size - 1)])
        return int(m[best])

    def _aim(self) -> str:
        rare = tiny_beta(self.beta) and self.beta < 0.5
        return f"1 - {self.beta:.6g}" if rare else f"{complement(self.beta):.6g}"

    def _falling_short(self) -> str:
        if self.beta > 0.5:
            return f"success is below {complement(self.beta):.6g}"
        return f"it fails with probability above β = {self.beta:.6g}"


def _shortfall(
    value: float, failure: float | None, beta: float, limit: int, best: int | None = None
) -> str:
    """Return why no m suffices, in the smaller of success and failure: digits are seen there.

    They are those at the limit, or at `best`.
    """
    where = (
        f"even at m = {_end(limit)}"
        if best is None
        else f"even at m = {best:,}, where it succeeds most often"
    )
    if beta > 0.5:
        reached, aim = _apart(value, complement(beta))
        return f"the success probability stays below {aim}: it is {reached} {where}"
    failure = 1.0 - value if failure is None else failure
    left, aim = _apart(failure, beta)
    return f"it fails with probability {left} {where}, more than β = {aim}"


def _end(limit: int) -> str:
    """Return where a search ends: a power of ten as such."""
    power = len(str(limit)) - 1
    return f"10{raised(power)}" if limit == 10**power else f"{limit:,}"


def _apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with so many digits that they look different; at least four."""
    aim = f"{other:.6g}"
    for digits in range(4, 17):
        if f"{one:.{digits}g}" != f"{other:.{digits}g}":
            return f"{one:.{digits}g}", aim
    return f"{one:.17g}", aim


def _search(crossing: int | None, limit: int, say: _Words) -> Search[Found]:
    """Search for both numbers, where success crosses the target at `crossing` and maybe elsewhere."""
    below, above = _sides(crossing, limit)
    # Mostly the envelopes confirm at two looks that all of one is bad and all of the other is good.
    if crossing is not None:
        open_ = yield from _doubtful(below + above, crossing)
        if open_:
            open_ = yield from _doubtful(
                [part for span in open_ for part in _fan(*span, crossing)], crossing
            )
        if not open_:
            return Found.single(float(crossing))
        below = [span for span in open_ if span[0] < crossing]
        above = [span for span in open_ if span[0] >= crossing]
    m = last = None
    try:
        m = (yield from nearest(below)) or crossing
        if m is None:
            return Found(math.nan, math.nan, say.none(limit))
        if above and above[-1][1] == limit and not (yield from _holds_at_end(limit)):
            return Found(float(m), math.nan, say.never(limit))
        last = yield from nearest(above, wanted=False, from_above=True)
        if last is None and crossing is not None and m + 1 < crossing:
            between = [(m + 1, crossing - 1)]
            last = yield from nearest(between, wanted=False, from_above=True)
    except Unsettled as stopped:
        return Found(math.nan if m is None else float(m), math.nan, say.unsettled(stopped.at))
    if last is None or last < m:
        return Found.single(float(m))
    note = f"some larger m fail again; from {last + 1:,} on every m suffices"
    return Found(float(m), float(last + 1), note=note)


def _doubtful(spans: list[tuple[int, int]], crossing: int) -> Search[list[tuple[int, int]]]:
    """Return the intervals whose verdict contradicts a single crossing."""
    first, last = np.array(spans).T
    verdicts = yield first, last
    return [
        span
        for span, v in zip(spans, verdicts.tolist(), strict=True)
        if v != (-1 if span[0] < crossing else 1)
    ]


def _fan(first: int, last: int, crossing: int) -> list[tuple[int, int]]:
    """Cut an interval next to the crossing into ones that grow with their distance from it."""
    steps = [_WIDER**n for n in range(math.ceil(math.log(last - first + 2, _WIDER)) + 1)]
    if first == crossing:
        edges = [first, *(first + step for step in steps if first + step <= last), last + 1]
    elif last == crossing - 1:
        edges = [
            first,
            *(last + 1 - step for step in reversed(steps) if last + 1 - step > first),
            last + 1,
        ]
    else:
        return [(first, last)]
    return [(a, b - 1) for a, b in itertools.pairwise(edges)]


def _holds_at_end(limit: int) -> Search[bool]:
    """Return whether the last numbers of all suffice: by the envelopes, else one by one."""
    first = limit - _LAST + 1
    verdict = yield np.array([first]), np.array([limit])
    if verdict.item() == 1:
        return True
    good = yield np.arange(first, limit + 1), None
    return bool(good.all())


def _sides(crossing: int | None, limit: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Cut what is below the crossing, and what is not, into few intervals."""
    if crossing is None:
        everything = ladder(1, limit, 16)
        return everything, everything
    cuts = sorted({1, max(crossing // 64, 1), max(crossing // 4, 1), crossing})
    below = [(first, after - 1) for first, after in itertools.pairwise(cuts)]
    middle = min(4 * crossing, limit)
    return below, [(crossing, middle)] + ([(middle + 1, limit)] if middle < limit else [])
