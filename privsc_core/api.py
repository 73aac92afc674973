"""The public functions: names in, results out.

A name of a class, learner, bound or distribution is one that `privsc list` prints. In its place may be
what it names; a learner may be a function of one's own, see `own.own`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.own_bound import own_bound
from privsc_core.evaluate.question import Question
from privsc_core.evaluate.results import Listing
from privsc_core.evaluate.several import several
from privsc_core.parameters import parameter, scalar, validated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.evaluate.reach import Reached
    from privsc_core.evaluate.results import AuditResult, NeedResult, SuccessResult
    from privsc_core.finite import FiniteClass
    from privsc_core.parameters import Wanted


def list_concepts() -> Listing:
    """Return the concept classes: the name of each, what its size `d` counts, and its learners.

    `privsc list` prints all that exists, with the bounds and the distributions.

    Examples
    --------
    >>> import privsc_core as pv
    >>> [row["concept"] for row in pv.list_concepts().records()][:3]
    ['point', 'interval', 'threshold']
    >>> pv.list_concepts().to_frame().set_index("concept").learners["parity"]
    'erm, exponential, elimination, elimination-klnrs'
    """
    rows = (
        {"concept": known.name, "title": known.title, "d": known.size.short,
         "learners": ", ".join(entry.name for entry in known.learners)}
        for known in (*catalog.CONCEPTS, *catalog.BESIDE)
    )  # fmt: skip
    return Listing(tuple(rows))


def _size(concept: Any, d: Any, log2_d: float = 0.0) -> Any:
    """Return d, which may be left out where the class has one size, or where log2_d stands for it."""
    if scalar("log2_d", log2_d):
        if d is not None:
            raise InputError("log2_d", "must stand without d", log2_d)
        return parameter("d").high
    only = catalog.concept(concept).only_size if d is None else d
    if only is None:
        raise InputError("d", "must be given", None)
    return only


def success(
    *,
    concept: str | ConceptClass | FiniteClass,
    learner: Any,
    m: ArrayLike,
    d: ArrayLike | None = None,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    distribution: str | Distribution | Sequence[str] | None = None,
    target: str | None = None,
    beta: ArrayLike = 0.1,
    delta: ArrayLike = 0.0,
    u: int = 0,
    log2_d: float = 0.0,
    trials: int = 1000,
    seed: int = 1,
) -> SuccessResult:
    """Return the probability that a learner succeeds; see `evaluate.success.success`.

    `u` is the number of unlabelled examples beside m, of learners that take some; 0: its own.
    `log2_d` = log2(d + 1) stands in place of d for the few that know domains beyond all numbers, such as tree-2.
    A learner may be a function of your own, ``learn(x, y, *, d, epsilon, rng)``: see `pv.learner`.

    A distribution that is not named is the first of the class; `privsc list` names them all. Where
    a distribution has a target (`parameters.TARGET`), `target` chooses it. A list of learners, or
    ``"all"``, puts an axis in front of all arrays; so does a list of distributions, behind it.

    Examples
    --------
    >>> import privsc_core as pv
    >>> found = pv.success(
    ...     concept="point", learner=["exponential", "hash"], m=[300, 600], d=16, epsilon=0.5, alpha=0.1
    ... )
    >>> found.value.shape, found.value[0].round(3).tolist()
    ((2, 2), [0.053, 0.938])
    >>> found.to_frame()[["learner", "m", "value"]].round(3)
           learner    m  value
    0  exponential  300  0.053
    1  exponential  600  0.938
    2         hash  300  0.721
    3         hash  600  0.997
    """
    return several(Question(  # type: ignore[return-value]
        concept, learner, distribution=distribution, target=target, m=validated("m", m), d=_size(concept, d, log2_d), epsilon=epsilon,
        alpha=alpha, beta=beta, delta=delta, u=u, trials=scalar("trials", trials), seed=seed, log2_d=log2_d,
    ))  # fmt: skip


def need(
    *,
    concept: str | ConceptClass | FiniteClass,
    learner: Any,
    d: ArrayLike | None = None,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    distribution: str | Distribution | Sequence[str] | None = None,
    target: str | None = None,
    delta: ArrayLike = 0.0,
    u: int = 0,
    log2_d: float = 0.0,
    trials: int = 1000,
    seed: int = 1,
) -> NeedResult:
    """Return the least m with success at least 1 - beta; see `evaluate.need.need`.

    `m_from` of the result is the least number from which on every m suffices. A distribution that
    is not named is the first of the class. A list of learners, or ``"all"``, puts an axis in front of
    all arrays; so does a list of distributions, behind it.

    Examples
    --------
    >>> import privsc_core as pv
    >>> pv.need(
    ...     concept="point", learner="exponential", d=16, epsilon=0.5, alpha=0.1, beta=0.1
    ... ).m.item()
    572.0
    >>> pv.need(
    ...     concept="point", learner=["exponential", "hash"], d=[16, 64], epsilon=0.5, alpha=0.1, beta=0.1
    ... ).m.tolist()
    [[572.0, 1968.0], [366.0, 366.0]]
    """
    return several(Question(  # type: ignore[return-value]
        concept, learner, distribution=distribution, target=target, d=_size(concept, d, log2_d), epsilon=epsilon,
        alpha=alpha, beta=beta, delta=delta, u=u, trials=scalar("trials", trials), seed=seed, log2_d=log2_d,
    ))  # fmt: skip


def bound(
    *,
    concept: str | ConceptClass | FiniteClass,
    bound: str | Bound | Sequence[str] = "",
    d: ArrayLike | None = None,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike = 0.0,
    log2_d: float = 0.0,
    formula: str | None = None,
) -> NeedResult:
    """Return a bound's number of samples; see `evaluate.bounds.bound`.

    A list of bounds, or ``"all"``, puts an axis in front of all arrays. In place of a bound there may be a
    formula in d, epsilon, delta, alpha and beta, and in what the class calls 2^d, such as T: see
    `evaluate.own_bound.own_bound`. Its value is rounded up; where it has none, the reason says why.

    Examples
    --------
    >>> import privsc_core as pv
    >>> pv.bound(
    ...     concept="point", bound="packing", d=16, epsilon=0.5, alpha=0.1, beta=0.1
    ... ).m.item()
    302.0
    >>> pv.bound(
    ...     concept="point", formula="(d + log(1/beta))/(alpha*epsilon)", d=[16, 64], epsilon=0.5, alpha=0.1,
    ...     beta=0.1,
    ... ).m.tolist()
    [367.0, 1327.0]
    """
    if formula is not None and bound:
        raise InputError("formula", "must stand without a bound", formula)
    named: Any = bound if formula is None else own_bound(catalog.concept(concept), formula)
    named = named or catalog.bound(concept, "").name  # no learner is meant where it is empty
    return several(Question(  # type: ignore[return-value]
        concept, bound=named, d=_size(concept, d, log2_d), epsilon=epsilon, alpha=alpha, beta=beta, delta=delta, log2_d=log2_d
    ))  # fmt: skip


def reach(
    *,
    concept: str | ConceptClass | FiniteClass,
    wanted: Wanted,
    m: int | None = None,
    learner: Any = "",
    bound: str | Bound = "",
    d: int | None = None,
    epsilon: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    distribution: str | Distribution | None = None,
    target: str | None = None,
    delta: float = 0.0,
    u: int = 0,
    trials: int | None = None,
    seed: int = 1,
) -> Reached:
    """Return the most demanding m, d, epsilon, alpha or beta that the rest allows.

    Of a learner, by its exact law or by so many simulated trials (`evaluate.reach.reach`); or of a bound, what it excludes or
    promises (`evaluate.reach.reach_bound`). The parameter that is wanted is left out. Where `complete` is
    false, not every value that demands more was looked at: what is reached is at least that.

    Examples
    --------
    >>> import privsc_core as pv
    >>> pv.reach(
    ...     concept="point", learner="exponential", wanted="d", m=572,
    ...     epsilon=0.5, alpha=0.1, beta=0.1,
    ... ).value
    16.0
    """
    setting: dict[str, Any] = {"m": m, "d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    for name, value in setting.items():
        if value is None and name != wanted:
            raise InputError(name, "must be given", None)
    return Question(
        concept, learner, bound, distribution, target=target, **setting, delta=delta, u=u,
        wanted=wanted, trials=trials, seed=seed,
    ).reach()  # fmt: skip


def learn(
    *,
    concept: str | ConceptClass | FiniteClass,
    learner: Any,
    x: Sequence[int],
    y: Sequence[int] | None = None,
    d: int | None = None,
    epsilon: float,
    alpha: float = 0.1,
    beta: float = 0.1,
    delta: float = 0.0,
    u: int = 0,
    seed: int = 1,
) -> Hypothesis:
    """Run a learner on labelled examples: points x in [1, 2^d], labels y in {0, 1}.

    A private learner accepts examples that no concept fits, and stays private on them. Where the
    labels do not matter (`Learner.labelled`), y may be left out, and is ignored. With delta = 0
    a learner that has a privacy slack uses its own default. One that takes unlabelled examples
    takes the last u for them, and does not read their labels.

    Returns
    -------
    Hypothesis
        With `predict(point)` and a `description`.

    Raises
    ------
    InputError
        For points outside the domain, other labels, or parameters outside their domain.

    Examples
    --------
    >>> import privsc_core as pv
    >>> found = pv.learn(
    ...     concept="point", learner="exponential", x=[1, 5, 5, 5], y=[0, 1, 1, 1], d=3, epsilon=50
    ... )
    >>> found.description, found.predict(5)
    ('c_5: 1 at point 5, 0 elsewhere', 1)
    """
    entry = catalog.learner(concept, learner, u).at(scalar("delta", delta))
    bits = scalar("d", _size(concept, d))
    if y is None:
        if entry.labelled:
            raise InputError("y", f"must be given: {entry.name} learns from labels", None)
        y = [1] * len(x)
    if entry.unlabelled >= len(x):
        raise InputError(
            "u", f"must be less than the number of examples, {len(x)}", entry.unlabelled
        )
    sample = Sample.of(bits, x, y)
    return entry.run(
        sample,
        Cell(sample.d, scalar("epsilon", epsilon), scalar("alpha", alpha), scalar("beta", beta)),
        np.random.default_rng(scalar("seed", seed)),
    )


def run_many(
    *,
    concept: str | ConceptClass | FiniteClass,
    learner: Any,
    x: ArrayLike,
    y: ArrayLike | None = None,
    d: int | None = None,
    epsilon: float,
    alpha: float = 0.1,
    beta: float = 0.1,
    delta: float = 0.0,
    u: int = 0,
    seed: int = 1,
) -> Sequence[Hypothesis]:
    """Run a learner on many data sets of the same size, each with coins of its own.

    Parameters
    ----------
    concept, learner : str
        Names in the catalog.
    x, y : array_like, shape (data sets, m)
        Points in [1, 2^d], and labels, 0 or 1, which data release does not need.
    d : int
        Bits of a point.
    epsilon, alpha, beta, delta : float
        The same for all data sets, as for `learn`.
    seed : int
        Fixes all coins.

    Returns
    -------
    sequence of Hypothesis, length (data sets)
        In law what `learn` gives on each. The exponential mechanisms over all points and over all
        thresholds are drawn together, up to d = 62; their outputs are also one array, `numbers`:
        the j of every chosen c_j. All others run one after the other.

    Raises
    ------
    InputError
        For arrays of another shape, points outside the domain, other labels, and parameters
        outside their domain.

    Examples
    --------
    >>> import privsc_core as pv
    >>> x = [[1, 2, 2, 2], [3, 3, 3, 4]]
    >>> y = [[0, 1, 1, 1], [1, 1, 1, 0]]
    >>> found = pv.run_many(concept="point", learner="exponential", x=x, y=y, d=8, epsilon=50)
    >>> found.numbers.tolist(), found[1].predict(3)
    ([2, 3], 1)
    """
    entry = catalog.learner(concept, learner, u).at(scalar("delta", delta))
    if y is None and entry.labelled:
        raise InputError("y", f"must be given: {entry.name} learns from labels", None)
    return entry.run_many(
        x,
        y,
        Cell(
            _size(concept, d),
            scalar("epsilon", epsilon),
            scalar("alpha", alpha),
            scalar("beta", beta),
        ),
        np.random.default_rng(scalar("seed", seed)),
    )


def audit(
    learner: Any,
    *,
    concept: str | ConceptClass | FiniteClass | None = None,
    neighbours: Sequence[tuple[Any, Any]] | None = None,
    examples: Sequence[Any] | None = None,
    d: int | None = None,
    m: int | None = None,
    epsilon: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    delta: float = 0.0,
    u: int = 0,
    trials: int | None = None,
    seed: int = 1,
) -> AuditResult:
    """Audit the privacy of a learner, or of any function of a data set.

    A learner of a class is audited on a tiny instance (`evaluate.audit.audit`): exactly where it lists its
    outputs with their probabilities, else by runs. Without a class any function of a data set is audited by
    runs (`evaluate.audit_runs.of_mechanism`): on pairs of `neighbours`, or on pairs of data sets of m
    `examples`. Neighbours differ in one example, which is replaced. Runs show at most that something is not
    private.

    Examples
    --------
    >>> import privsc_core as pv
    >>> found = pv.audit("exponential", concept="point", epsilon=0.5)
    >>> found.private, round(found.worst, 3)
    (True, 0.415)
    >>> def count(x, *, epsilon, rng):
    ...     return sum(x) + rng.laplace(scale=0.5 / epsilon)
    >>> found = pv.audit(count, examples=[0, 1], m=3, epsilon=1.0, trials=20_000)
    >>> found.private, 1 < found.worst <= 2
    (False, True)
    """
    if concept is None:
        from privsc_core.evaluate import audit_runs  # noqa: PLC0415 - other questions need none

        if epsilon is None:
            raise InputError("epsilon", "must be given, or concept for a learner of a class", None)
        return audit_runs.of_mechanism(
            learner, neighbours=neighbours, examples=examples, m=m, epsilon=epsilon, delta=delta,
            trials=audit_runs.TRIALS if trials is None else trials, seed=seed,
        )  # fmt: skip
    from privsc_core.evaluate import audit as audits  # noqa: PLC0415 - see above

    return audits.audit(
        catalog.learner(concept, learner, u),
        d=d, m=m, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta, trials=trials, seed=seed,
    )  # fmt: skip
