"""Kinds of questions about learners: how many examples, which learner, at which price, what can be reached."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, predict
from privsc_core.evaluate.views import RANGES
from privsc_core.practice.common import (
    free,
    growing,
    numbers,
    private,
    ratio_of,
    symbol,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from privsc_core.concepts.contracts import Learner
    from privsc_core.concepts.contracts.practice import Asked, Exercise, ExerciseKind

# --- How many ------------------------------------------------------------------------------------


@exercise("least-m", "m", lambda at: bool(private(at)))
def _least_m(at: Asked) -> Exercise | None:
    told = numbers(at, private(at)[:3])
    if not told:
        return None
    one, m = at.pick(told)
    baseline = free(at)
    without = at.least(baseline) if baseline else None
    half = at.least(one, epsilon=at.cell.epsilon / 2)
    double = at.least(one, epsilon=at.cell.epsilon * 2)
    others = [(other, n) for other, n in told if other is not one]
    return predict(
        f"How many {at.concept.unit} does “{one.title}” need at this setting?",
        m,
        f"“{one.title}” needs {m:,}: with one fewer it succeeds with probability below {1 - at.cell.beta:g}.",
        (without, "About {} would do without privacy."),
        (half, "{} would be needed at half this ε."),
        (double, "{} would be enough at twice this ε."),
        *((n, f"{{}} is the number of “{other.title}”.") for other, n in others),
        about={"learner": one.name},
    )


@exercise("enough", "m", lambda at: bool(private(at)) and at.m > 1)
def _enough(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:4])
    least = at.least(one)
    if least is None or not one.monotone(at.law, at.cell.alpha):
        return None
    m, half = at.m, at.m // 2
    all_enough, half_enough = (at.success(one, n) >= 1 - at.cell.beta for n in (m, half))
    right = "both" if half_enough else "all" if all_enough else "none"
    said = {
        "none": f"That would be so for m below {least:,}.",
        "all": f"That would be so for m from {least:,} to {2 * least - 1:,}.",
        "both": f"That would be so for m from {2 * least:,} on.",
    }
    text = {
        "none": f"No, {m:,} are too few.",
        "all": f"Yes, but {half:,} would be too few.",
        "both": f"Yes, and {half:,} would be enough, too.",
    }
    choices = [
        Choice(
            text[key],
            f"{'Right.' if key == right else said[key]} “{one.title}” needs {least:,} {at.concept.unit} here.",
            key,
        )
        for key in sorted(text, key=lambda key: key != right)
    ]
    return choose(
        f"Are m = {m:,} {at.concept.unit} enough for “{one.title}” to succeed with probability {1 - at.cell.beta:g}?",
        *choices,
        about={"learner": one.name},
    )


@exercise("success-now", "m", lambda at: bool(private(at)))
def _success_now(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:4])
    right, least = at.success(one, at.m), at.least(one)
    if least is None or not 0.02 < right < 0.995:
        return None

    def choice(chance: float, said: str) -> Choice | None:
        apart = abs(chance - right) > 0.05 or chance == right
        return Choice(f"In about {100 * chance:.0f} of 100 runs", said, chance) if apart else None

    goal = 1 - at.cell.beta
    rule = min(goal * at.m / least, 1.0)
    other = next((x for x in private(at)[:4] if x is not one), None)
    theirs = at.success(other, at.m) if other else right
    right_one = choice(
        right, f"Right: this is where the curve of “{one.title}” is at m = {at.m:,}."
    )
    return right_one and choose(
        f"How often does “{one.title}” succeed with m = {at.m:,} {at.concept.unit}?",
        right_one,
        choice(goal, f"That is the goal 1 − β. “{one.title}” reaches it at m = {least:,}."),
        choice(
            rule,
            f"That would be right if success were proportional to m, with the goal at {least:,}.",
        ),
        choice(theirs, f"That is the curve of “{other.title if other else ''}” at this m."),
        choice(1 - right, f"That is how often “{one.title}” fails."),
        about={"learner": one.name},
    )


@exercise("reading-least-m", "m", lambda at: bool(private(at)))
def _reading(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:4])
    least = at.least(one)
    if least is None:
        return None
    alpha, beta = at.cell.alpha, at.cell.beta
    error = at.concept.words.error

    def choice(share: float, off: float, said: str) -> Choice | None:
        true = at.success(one, least, alpha=off) >= share
        if (share, off) != (1 - beta, alpha) and true:
            return None
        often = "all runs" if share == 1.0 else f"at least {value(100 * share)} of 100 runs"
        return Choice(f"In {often} the {error} is at most {value(off)}.", said, (share, off))

    right = choice(
        1 - beta, alpha, "Right: α bounds the error, and β the probability of a larger one."
    )
    return right and choose(
        f"“{one.title}” needs {least:,} {at.concept.unit} here. What does this number say?",
        right,
        choice(
            1 - alpha,
            beta,
            "This confuses α with β: α is about the error, β about the probability of failing.",
        ),
        choice(
            1.0,
            alpha,
            "This number does not ensure it: with probability up to β the run fails.",
        ),
        choice(
            1 - beta,
            alpha / 2,
            "The number is the least one for α. Half the error takes more examples.",
        ),
        about={"learner": one.name},
    )


# --- Which learner -------------------------------------------------------------------------------


@exercise("order-three", "m", lambda at: len(at.learners) > 2)
def _order_three(at: Asked) -> Exercise | None:
    told = numbers(at, at.learners[:4])
    threes = [
        three for three in itertools.combinations(told, 3)
        if all(max(m, n) >= 1.1 * min(m, n) for (_, m), (_, n) in itertools.combinations(three, 2))
    ]  # fmt: skip
    if not threes:
        return None
    three = at.pick(threes)
    right = sorted(three, key=lambda one: one[1])
    facts = ", ".join(f"“{one.title}” {m:,}" for one, m in right)

    def said(order: Sequence[tuple[Learner, int]]) -> Choice:
        names = tuple(one.name for one, _ in order)
        text = ", then ".join(one.title for one, _ in order)
        if list(order) == right:
            return Choice(text, f"Right: {facts}.", names)
        first = next(pair for pair in itertools.pairwise(order) if pair[0][1] > pair[1][1])
        (large, m), (little, n) = first
        return Choice(
            text,
            f"“{large.title}” would need fewer than “{little.title}”. But it needs {m:,}, and “{little.title}” needs {n:,}.",
            names,
        )

    return choose(
        f"Order these by the number of {at.concept.unit} that they need here, the smallest first.",
        *map(said, (right, *(o for o in itertools.permutations(three) if list(o) != right))),
        about={"learners": tuple(one.name for one, _ in three)},
    )


@exercise("fewest", "numbers", lambda at: len(private(at)) > 2)
def _fewest(at: Asked) -> Exercise | None:
    told = sorted(numbers(at, private(at)[:4]), key=lambda one: one[1])[at.pick((0, 1)) :]
    if len(told) < 2 or told[1][1] < 1.05 * told[0][1]:
        return None
    (best, least), *rest = told
    return choose(
        f"Which of these private learners needs the fewest {at.concept.unit} here?",
        Choice(best.title, f"Right: it needs {least:,} {at.concept.unit}.", best.name),
        *(
            Choice(one.title, f"It needs {m:,}, but “{best.title}” needs {least:,}.", one.name)
            for one, m in rest
        ),
    )


def _odd_one(
    at: Asked, sentence: str, has: Callable[[Learner], bool], yes: str, no: Callable[[Learner], str]
) -> Exercise | None:
    """Return the question which one of some learners has a property; the others do not have it."""
    those, others = ([one for one in at.learners if has(one) is wanted] for wanted in (True, False))
    if not those or not others:
        return None
    one = at.pick(those)
    return choose(
        sentence,
        Choice(one.title, f"Right. {yes}", one.name),
        *(Choice(other.title, no(other), other.name) for other in others[:4]),
        where="numbers",
    )


@exercise(
    "improper",
    "numbers",
    lambda at: at.concept.labelled and len({one.proper for one in at.learners}) > 1,
)
def _improper(at: Asked) -> Exercise | None:
    return _odd_one(
        at,
        "Which of these learners may answer with a hypothesis that is no concept of the class?",
        lambda one: not one.proper,
        "It is improper: lower bounds for proper learners say nothing about it.",
        lambda one: f"“{one.title}” is proper: each answer is a concept of the class.",
    )


@exercise("not-private", "private", lambda at: free(at) is not None and bool(private(at)))
def _not_private(at: Asked) -> Exercise | None:
    return _odd_one(
        at,
        "Which of these learners guarantees no privacy at all, whatever ε is?",
        lambda one: one.privacy == "none",
        "It does not read ε, and nothing bounds how much one example changes the probability of an output.",
        lambda one: (
            f"“{one.title}” is private: " + _PROMISES[one.privacy].format(value(at.cell.epsilon))
        ),
    )


_PROMISES = {
    "pure": "one example changes the probability of an output by a factor of at most e to the power {}.",
    "approximate": "one example changes probabilities by a factor of at most e to the power {}, up to δ.",
    "label": "one label changes the probability of an output by a factor of at most e to the power {}.",
}


@exercise(
    "simulated", "numbers", lambda at: len({one.laws.get(at.law.name) for one in at.every}) > 1
)
def _simulated(at: Asked) -> Exercise | None:
    here = at.law.name
    those = [one for one in at.every if one.laws.get(here, "exact") != "exact"]
    if not those or not at.learners:
        return None
    one = at.pick(those)
    return choose(
        f"On the distribution “{at.law.title}”, which of these success curves is simulated?",
        Choice(
            one.title,
            "Right: its success is estimated from simulated runs, so its number comes with an interval.",
            one.name,
        ),
        *(
            Choice(
                other.title,
                f"“{other.title}” has an exact law here: its number is computed, not drawn.",
                other.name,
            )
            for other in at.learners[:4]
        ),
    )


@exercise("hardest", "contrast", lambda at: len(at.concept.distributions) > 1 and bool(private(at)))
def _hardest(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:3])
    told = [
        (law, at.on(law).least(one))
        for law in at.concept.distributions
        if one.laws.get(law.name) == "exact"
    ]
    known = sorted(((law, m) for law, m in told if m), key=lambda one: -one[1])
    if len(known) < 2 or known[0][1] < 1.05 * known[1][1]:
        return None
    (hard, most), *rest = known
    return choose(
        f"In which of these cases does “{one.title}” need the most {at.concept.unit}?",
        Choice(hard.title, f"Right: it needs {most:,} {at.concept.unit} there.", hard.name),
        *(
            Choice(law.title, f"It needs {m:,} there, and {most:,} on “{hard.title}”.", law.name)
            for law, m in rest
        ),
        about={"learner": one.name},
    )


# --- What privacy costs, as a factor -------------------------------------------------------------


@exercise("price-of-privacy", "numbers", lambda at: bool(private(at)) and free(at) is not None)
def _price(at: Asked) -> Exercise | None:
    one, without = at.pick(private(at)[:4]), free(at)
    m, n = at.least(one), without and at.least(without)
    if m is None or not n:
        return None
    twice = at.least(one, epsilon=2 * at.cell.epsilon)
    return ratio_of(
        f"How many times as many {at.concept.unit} does “{one.title}” need as a learner without privacy?",
        m / n,
        f"It needs {m:,}, and {n:,} are enough without privacy.",
        (1.0, "That would mean that privacy costs nothing here."),
        (max(1 / at.cell.epsilon, 1.0), "That is 1/ε alone."),
        (float(at.cell.d), f"That is {symbol(at, 'd')} alone."),
        (twice and twice / n, "That is the factor at twice this ε."),
        learner=one.name,
        free=without.name if without else "",
    )


def _best(at: Asked, kind: Callable[[Learner], bool]) -> tuple[Learner, int] | None:
    """Return the learner of a kind that needs the fewest examples."""
    return min(
        numbers(at, [one for one in at.learners if kind(one)]), key=lambda one: one[1], default=None
    )


def _pure(learner: Learner, *, proper: bool) -> bool:
    return learner.privacy == "pure" and learner.proper is proper


def _two_kinds(*roles: str) -> Callable[[Asked], bool]:
    return lambda at: {*roles} <= {one.role for one in at.learners}


@exercise("price-of-proper", "need-d", _two_kinds("proper", "improper"))
def _proper(at: Asked) -> Exercise | None:
    proper = _best(at, lambda one: _pure(one, proper=True))
    improper = _best(at, lambda one: _pure(one, proper=False))
    if proper is None or improper is None:
        return None
    (one, m), (other, n) = proper, improper
    return ratio_of(
        "Of the learners with pure privacy and an exact law here, compare the best proper one with the best improper "
        "one. How many times as many examples does the proper one need?",
        m / n,
        f"The best proper one here, “{one.title}”, needs {m:,}, and “{other.title}” needs {n:,}.",
        (
            1.0,
            "That would mean that it does not matter whether the answer is a concept of the class.",
        ),
        (n / m, "That is the other way round."),
        (float(at.cell.d), f"That is {symbol(at, 'd')} alone."),
        (2 * m / n, f"“{one.title}” would then need {2 * m:,}."),
        learners=(one.name, other.name),
    )


@exercise(
    "price-of-pure", "need-d", lambda at: at.cell.delta > 0 and _two_kinds("proper", "delta")(at)
)
def _without_slack(at: Asked) -> Exercise | None:
    pure = _best(at, lambda one: _pure(one, proper=True))
    slack = _best(at, lambda one: one.privacy == "approximate" and one.proper)
    if pure is None or slack is None:
        return None
    (one, m), (other, n) = pure, slack
    return ratio_of(
        "Of the proper learners with an exact law here, how many times as many examples does the best one with pure "
        f"privacy need as the best one with δ = {value(at.cell.delta)}?",
        m / n,
        f"With pure privacy “{one.title}” needs {m:,}. With δ > 0 “{other.title}” needs {n:,}.",
        (1.0, "That would mean that both need equally many."),
        (n / m, "That is the other way round."),
        (math.log(1 / at.cell.delta), "That is ln(1/δ) alone."),
        (float(at.cell.d), f"That is {symbol(at, 'd')} alone."),
        learners=(one.name, other.name),
    )


@exercise("labels-only", "numbers", lambda at: any(one.privacy == "label" for one in at.learners))
def _labels_only(at: Asked) -> Exercise | None:
    found = _best(at, lambda one: one.privacy == "label")
    whole = [
        (bound, at.number(bound)) for bound in at.bounds
        if bound.kind == "lower" and at.law.name in bound.proved_on and bound.adjacency == "full"
        and not any(bound.binds(one) for one in at.learners if one.privacy in {"label", "none"})
    ]  # fmt: skip
    known = [(bound, m) for bound, m in whole if m is not None]
    if found is None or not known:
        return None
    (one, m), (bound, n) = found, max(known, key=lambda one: one[1])
    if 0.95 * n < m < 1.05 * n:
        return None
    facts = f"“{one.title}” needs {m:,}; “{bound.title}” excludes fewer than {n:,} where whole examples are protected."
    right = n > m
    return choose(
        f"“{one.title}” protects only the labels and needs {m:,} examples. Can a private learner of whole examples, "
        f"of the kind that “{bound.title}” binds, do with so few?",
        Choice(
            "No, not for every target" if right else "This bound does not exclude it",
            f"Right. {facts}", right,
        ),
        Choice(
            "This bound does not exclude it" if right else "No, not for every target",
            f"That would mean that {n:,} is {'at most' if right else 'more than'} {m:,}. {facts}", not right,
        ),
        about={"learner": one.name, "bound": bound.name},
    )  # fmt: skip


@exercise("privacy-cheap", "need-eps", lambda at: bool(private(at)) and free(at) is not None)
def _cheap(at: Asked) -> Exercise | None:
    one, without = at.pick(private(at)[:3]), free(at)
    n = without and at.least(without)
    if not n:
        return None
    for many in (2, 4, 8, 16):  # the first one whose answer the figure shows
        epsilon = at.reach("epsilon", one, m=many * n)
        if epsilon is not None and epsilon <= RANGES["epsilon"][1]:
            break
    else:
        return None
    more = at.reach("epsilon", one, m=2 * many * n)
    words = "twice" if many == 2 else f"{many} times"
    return predict(
        f"From which ε on does “{one.title}” need at most {words} as many {at.concept.unit} as a learner without privacy?",
        epsilon,
        f"From ε = {value(epsilon)} on. Without privacy {n:,} are enough, so {many * n:,} must be enough for it.",
        (
            1.0,
            "{} looks like a natural border, but the border depends on the class and on the learner.",
        ),
        (more, f"From {{}} on {2 * many} times as many are enough."),
        about={"learner": one.name, "m": many * n, "times": many},
    )


@exercise(
    "without-delta",
    "numbers",
    lambda at: at.cell.delta > 0 and any(one.privacy == "approximate" for one in at.learners),
)
def _without_delta(at: Asked) -> Exercise | None:
    one = at.pick([one for one in at.learners if one.privacy == "approximate"])
    if one.at(0.0).privacy_slack:
        return None
    here, without = at.least(one), at.least(one, delta=0.0)
    if here is None or without is None:
        return None
    return ratio_of(
        f"δ goes from {value(at.cell.delta)} to 0. How many times as many examples does “{one.title}” then need?",
        without / here,
        f"From {here:,} to {without:,}: without δ every answer must keep a probability that does not vanish.",
        (1.0, "That would mean that δ buys nothing here."),
        (1 / at.cell.delta, "That is 1/δ alone."),
        (float(at.cell.d), f"That is {symbol(at, 'd')} alone."),
        (2.0, "That would mean that δ saves half of the examples here."),
        learner=one.name,
    )


# --- What can be reached with the examples that one has ------------------------------------------


@exercise("reach-epsilon", "eps", lambda at: bool(private(at)))
def _reach_epsilon(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:3])
    epsilon, m = at.reach("epsilon", one, m=at.m), at.least(one)
    if epsilon is None or m is None:
        return None
    return predict(
        f"You have m = {at.m:,} {at.concept.unit}. Down to which ε does “{one.title}” still succeed with probability "
        f"{1 - at.cell.beta:g}?",
        epsilon,
        f"Down to ε = {value(epsilon)}; at ε = {value(at.cell.epsilon)} it needs {m:,}.",
        (2 * epsilon, "{} is twice the answer."),
        (epsilon / 2, "{} is half the answer."),
        (at.cell.epsilon, "{} is the ε of this setting."),
        (
            at.cell.epsilon * at.m / m,
            "{} would be right if more examples allowed a larger ε. It is the other way round.",
        ),
        about={"learner": one.name},
    )


@exercise("reach-d", "d", lambda at: bool(growing(at)) and at.concept.only_size is None)
def _reach_d(at: Asked) -> Exercise | None:
    one = at.pick(growing(at))
    d = at.reach("d", one, m=at.m)
    if d is None or not 2 <= d < at.law.most_d:
        return None
    double = at.reach("d", one, m=2 * at.m)
    name = symbol(at, "d")
    return predict(
        f"You have m = {at.m:,} {at.concept.unit}. Up to which {name} does “{one.title}” succeed with probability "
        f"{1 - at.cell.beta:g}?",
        d,
        f"Up to {name} = {d:,.0f}.",
        (double, f"Up to {name} = {{}} it would take twice as many examples."),
        (d**2, "{} is the square of the answer."),
        (float(at.cell.d), f"{{}} is the {name} of this setting."),
        about={"learner": one.name},
    )


@exercise(
    "trade-epsilon-d", "need-eps", lambda at: bool(growing(at)) and at.concept.only_size is None
)
def _trade(at: Asked) -> Exercise | None:
    one = at.pick(growing(at))
    m, cell = at.least(one, epsilon=at.cell.epsilon / 2), at.cell
    d = m and at.reach("d", one, m=m)
    if not d or d >= at.law.most_d or d < cell.d:
        return None
    name = symbol(at, "d")
    return ratio_of(
        f"Halving ε costs “{one.title}” as many examples as multiplying {name} by which factor?",
        d / cell.d,
        f"At half the ε it needs {m:,} examples, and as many are enough up to {name} = {d:,.0f} at this ε.",
        (1.0, "That would mean that halving ε costs nothing."),
        (2.0, f"That would be right if the number were proportional to {name}/ε."),
        (4.0, f"That would be right if the number grew like the root of {name}, and like 1/ε."),
        (
            float(cell.d),
            f"That would be right if the number grew like log {name}: the square of {name} then costs twice.",
        ),
        learner=one.name,
        m=m,
    )


@exercise("overtake", "need-d", lambda at: len(private(at)) > 1 and at.concept.only_size is None)
def _overtake(at: Asked) -> Exercise | None:
    sizes = [2**k for k in range(1, 15) if at.law.least_d <= 2**k <= at.law.most_d]
    lines = [(one, at.leasts(one, "d", sizes)) for one in private(at)[:4]]
    found = []
    for (one, row), (other, column) in itertools.permutations(lines, 2):
        above = [
            m is not None and n is not None and m > n for m, n in zip(row, column, strict=True)
        ]
        place = above.index(True) if True in above else 0
        known = None not in row and None not in column
        if known and place and all(above[place:]) and not any(above[:place]):
            found.append((one, other, place, row, column))
    if not found:
        return None
    one, other, place, row, column = at.pick(found)
    name = symbol(at, "d")

    def choice(k: int) -> Choice | None:
        if not 0 <= k < len(sizes):
            return None
        facts = f"At {name} = {sizes[k]:,} it needs {row[k]:,}, and “{other.title}” needs {column[k]:,}."
        if k == place:
            said = f"Right. {facts}"
        else:
            said = f"{facts} {'It needs more already at a smaller one.' if k > place else 'It does not need more yet.'}"
        return Choice(f"{name} = {sizes[k]:,}", said, sizes[k])

    right = choice(place)
    return right and choose(
        f"At which of these {name} does “{one.title}” first need more examples than “{other.title}”?",
        right,
        *(choice(k) for k in (place + 2, place - 2, place + 4, place - 4)),
        about={"learners": (one.name, other.name)},
    )


KINDS: tuple[ExerciseKind, ...] = (
    _least_m, _enough, _success_now, _reading, _order_three, _fewest, _improper, _not_private, _simulated,
    _hardest, _price, _proper, _without_slack, _labels_only, _cheap, _reach_epsilon, _reach_d, _trade, _overtake,
    _without_delta,
)  # fmt: skip
