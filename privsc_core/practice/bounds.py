"""Kinds of questions about bounds: what they exclude or promise, whom they bind, where they are proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, predict
from privsc_core.practice.common import growing, numbers, private, ratio_of, strongest

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.concepts.contracts.practice import Asked, Exercise, ExerciseKind


def _lower(at: Asked) -> list[Bound]:
    return [one for one in at.bounds if one.kind == "lower"]


def _upper(at: Asked) -> list[Bound]:
    return [one for one in at.bounds if one.kind == "upper"]


def _numbered(at: Asked, among: list[Bound]) -> list[tuple[Bound, int]]:
    """Return the bounds that have a number here, with it."""
    found = ((one, at.number(one)) for one in among)
    return [(one, m) for one, m in found if m is not None]


def _whom(bound: Bound) -> str:
    """Return whom a bound binds, in words."""
    return bound.applies_briefly or bound.applies_to


# --- What is impossible --------------------------------------------------------------------------


@exercise("edge", "m", lambda at: bool(_lower(at)))
def _edge(at: Asked) -> Exercise | None:
    told = [(one, m) for one, m in _numbered(at, _lower(at)) if m > 2]
    if not told:
        return None
    bound, m = at.pick(told)
    bound_ones = [one for one in at.learners if bound.binds(one)]
    above = next(((one, n) for one, n in numbers(at, bound_ones[:2])), None)
    return predict(
        f"The lower bound “{bound.title}” excludes fewer than m {at.concept.unit} for the learners that it binds. Which m "
        "does it give here?",
        m,
        f"It gives {m:,}. It speaks of {_whom(bound)}.",
        (at.number(bound, epsilon=2 * at.cell.epsilon), "{} is its number at twice this ε."),
        (at.number(bound, epsilon=at.cell.epsilon / 2), "{} is its number at half this ε."),
        (
            above and above[1],
            f"{{}} is what “{above[0].title if above else ''}” needs: a learner may need more than the bound.",
        ),
        *(
            (n, f"{{}} is the number of “{other.title}”.")
            for other, n in told
            if other is not bound
        ),
        about={"bound": bound.name},
    )


@exercise("excluded", "m", lambda at: bool(_lower(at)) and bool(private(at)))
def _excluded(at: Asked) -> Exercise | None:
    one = at.pick(private(at)[:4])
    found, least = strongest(at, one), at.least(one)
    if found is None or least is None:
        return None
    bound, edge = found
    if least < 1.1 * edge or edge < 4 or not one.monotone(at.law, at.cell.alpha):
        return None
    places = {
        "excluded": int(0.8 * edge),
        "open": round((edge * least) ** 0.5),
        "enough": 2 * least,
    }
    right = at.pick(("excluded", "open", "enough"))
    m = places[right]
    text = {
        "excluded": "Too few, in the worst case, for each learner that the bound binds",
        "open": f"Too few for “{one.title}”, but the bound does not exclude so few",
        "enough": f"Enough for “{one.title}”",
    }
    facts = f"The bound excludes fewer than {edge:,}, and “{one.title}” needs {least:,}."
    meaning = {
        "excluded": f"That would be so for m below {edge:,}.",
        "open": f"That would be so for m from {edge:,} to {least - 1:,}.",
        "enough": f"That would be so for m from {least:,} on.",
    }
    ordered = sorted(text, key=lambda key: key != right)
    return choose(
        f"The bound “{bound.title}” binds the learner “{one.title}”. What is true of m = {m:,} {at.concept.unit}?",
        *(
            Choice(text[key], f"{'Right.' if key == right else meaning[key]} {facts}", key)
            for key in ordered
        ),
        about={"learner": one.name, "bound": bound.name, "m": m},
    )


@exercise("which-excludes", "numbers", lambda at: len(_lower(at)) > 1)
def _which_excludes(at: Asked) -> Exercise | None:
    told = sorted(_numbered(at, _lower(at)), key=lambda one: -one[1])
    place = at.pick(range(max(len(told) - 1, 1)))
    if len(told) < 2 or told[place][1] < 1.05 * told[place + 1][1] or told[place][1] < 4:
        return None
    (bound, most), rest = told[place], told[place + 1 :]
    m = most - 1
    promised = [(one, n) for one, n in _numbered(at, _upper(at)) if n > m][:1]
    return choose(
        f"Which of these bounds excludes m = {m:,} {at.concept.unit}?",
        Choice(
            bound.title,
            f"Right: it excludes fewer than {most:,}. It speaks of {_whom(bound)}.",
            bound.name,
        ),
        *(
            Choice(
                other.title,
                f"It excludes fewer than {n:,} only, so it lets {m:,} pass.",
                other.name,
            )
            for other, n in rest[:4]
        ),
        *(
            Choice(
                other.title,
                f"It is an upper bound: {n:,} are enough. It excludes nothing.",
                other.name,
            )
            for other, n in promised
        ),
        about={"m": m},
    )


@exercise("whose-number", "numbers", lambda at: len(_lower(at)) > 1)
def _whose(at: Asked) -> Exercise | None:
    told = _numbered(at, _lower(at))
    if len(told) < 2:
        return None
    bound, m = at.pick(told)
    return choose(
        f"Which lower bound excludes {m - 1:,} {at.concept.unit} for the learners that it binds, but not {m:,}?",
        Choice(bound.title, f"Right: its number is {m:,}. It speaks of {_whom(bound)}.", m),
        *(
            Choice(other.title, f"Its number is {n:,}: it {'says less' if n < m else f'excludes {m:,}, too'}.", n)
            for other, n in told if n != m
        ),
        about={"bound": bound.name},
    )  # fmt: skip


@exercise("gap", "need-d", lambda at: bool(_lower(at)) and bool(private(at)))
def _gap(at: Asked) -> Exercise | None:
    told = [one for one in private(at) if strongest(at, one, proved=True)]
    if not told:
        return None
    one = at.pick(told)
    found, least = strongest(at, one, proved=True), at.least(one)
    if found is None or least is None or least < 1.05 * found[1]:
        return None
    bound, edge = found
    return ratio_of(
        f"By which factor at most could a better learner, of the kind that “{bound.title}” binds, need fewer "
        f"examples than “{one.title}”?",
        least / edge,
        f"“{one.title}” needs {least:,}, and fewer than {edge:,} are impossible.",
        (1.0, "That would mean that the bound meets the learner."),
        (max(1 / at.cell.epsilon, 1.0), "That is 1/ε alone."),
        (
            float(least),
            "That would mean that a single example might be enough: the bound excludes it.",
        ),
        (
            4 * least / edge,
            "A learner that much better would need fewer examples than the bound allows.",
        ),
        learner=one.name,
        bound=bound.name,
    )


# --- Whom a bound binds, and where ---------------------------------------------------------------


@exercise(
    "not-bound",
    "theory",
    lambda at: any(len({one.binds(x) for x in at.learners}) > 1 for one in _lower(at)),
)
def _not_bound(at: Asked) -> Exercise | None:
    told = [one for one in _lower(at) if len({one.binds(x) for x in at.learners}) > 1]
    bound = at.pick(told)
    exempt = [one for one in at.learners if not bound.binds(one)]
    those = [one for one in at.learners if bound.binds(one)]
    one = at.pick(exempt)
    return choose(
        f"Of which of these learners does the lower bound “{bound.title}” say nothing?",
        Choice(
            one.title,
            f"Right. The bound speaks of {_whom(bound)}. “{one.title}” is no such learner.",
            one.name,
        ),
        *(
            Choice(
                other.title,
                f"The bound speaks of {_whom(bound)}. “{other.title}” is such a learner.",
                other.name,
            )
            for other in those[:4]
        ),
        about={"bound": bound.name},
    )


_REASONS = {
    "none": "It is not private",
    "label": "It protects only the labels",
    "approximate": "Its privacy has a δ > 0, so it is not pure",
    "improper": "It may answer with a hypothesis that is no concept of the class",
}


def _why_not(bound: Bound, learner: Learner) -> list[str]:
    """Return which conditions of a bound a learner does not meet: keys of `_REASONS`, or others."""
    whom = bound.whom
    found: list[str] = []
    if whom.privacy and learner.privacy not in whom.privacy:
        found.append(learner.privacy)
    if whom.proper and not learner.proper:
        found.append("improper")
    if whom.efficient and not learner.efficient:
        found.append("slow")
    if whom.name not in {"", learner.name} or (learner.unlabelled and not whom.unlabelled):
        found.append("other")
    return found


@exercise("no-contradiction", "numbers", lambda at: bool(_lower(at)) and len(at.learners) > 1)
def _no_contradiction(at: Asked) -> Exercise | None:
    told = [
        (bound, edge, one, m)
        for bound, edge in _numbered(at, _lower(at)) if hasattr(bound, "whom")
        for one, m in numbers(at, at.learners[:6])
        if m < edge and not bound.binds(one) and len(_why_not(bound, one)) == 1
        and _why_not(bound, one)[0] in _REASONS
    ]  # fmt: skip
    if not told:
        return None
    bound, edge, one, m = at.pick(told)
    right = _why_not(bound, one)[0]
    is_so = {"improper": not one.proper} | {
        key: one.privacy == key for key in _REASONS if key != "improper"
    }

    def said(key: str) -> str:
        if key == right:
            return f"Right. The bound speaks of {_whom(bound)}."
        if is_so[key]:
            return f"This is true of “{one.title}”, but the bound binds such learners, too. It speaks of {_whom(bound)}."
        if key == "improper":
            return f"This is not true of “{one.title}”. Its hypotheses are concepts of the class."
        truth = _REASONS.get(one.privacy, "Its privacy is pure: δ = 0")
        return f"This is not true of “{one.title}”. {truth}."

    return choose(
        f"“{bound.title}” excludes fewer than {edge:,} {at.concept.unit}. But “{one.title}” succeeds with {m:,}. Why "
        "is this no contradiction?",
        *(Choice(_REASONS[key], said(key), key) for key in sorted(_REASONS, key=lambda key: key != right)
            if at.concept.labelled or key in {"none", "approximate"}),
        about={"learner": one.name, "bound": bound.name},
    )  # fmt: skip


@exercise("proved-on", "theory", lambda at: len(at.concept.distributions) > 1 and bool(_lower(at)))
def _proved_on(at: Asked) -> Exercise | None:
    laws = at.concept.distributions
    told = [
        (one, m) for one, m in _numbered(at, _lower(at))
        if sum(law.name in one.proved_on for law in laws) == 1
    ]  # fmt: skip
    if not told:
        return None
    bound, edge = at.pick(told)
    right = next(law for law in laws if law.name in bound.proved_on)
    said = f"Right: there no learner that it binds can do with fewer than {edge:,} for all targets."
    return choose(
        f"On which distribution is the lower bound “{bound.title}” proved?",
        Choice(right.title, said, right.name),
        *(_refuted(at, law, bound, edge) for law in laws if law is not right),
        about={"bound": bound.name},
    )


def _refuted(at: Asked, law: Distribution, bound: Bound, edge: int) -> Choice | None:
    """Return a distribution on which a bound cannot be proved, as a learner that it binds needs fewer examples."""
    those = [one for one in at.on(law).learners[:4] if bound.binds(one)]
    better = next(((one, m) for one, m in numbers(at.on(law), those) if m < edge), None)
    if better is None:
        return None
    one, m = better
    said = f"There “{one.title}” needs {m:,}, which is fewer than the {edge:,} of the bound."
    return Choice(law.title, said, law.name)


@exercise(
    "only-a-rate",
    "theory",
    lambda at: len({one.constants == "rate" for one in at.concept.bounds}) > 1,
)
def _only_a_rate(at: Asked) -> Exercise | None:
    rates, others = (
        [one for one in at.concept.bounds if (one.constants == "rate") is wanted]
        for wanted in (True, False)
    )
    rate = at.pick(rates)
    return choose(
        "For which of these bounds does no number stand in the table, at any setting?",
        Choice(
            rate.title,
            "Right: its source gives a rate without constants, which excludes or promises no number.",
            rate.name,
        ),
        *(
            Choice(other.title, f"It has a number: {m:,} here.", other.name)
            for other, m in _numbered(at, others)[:4]
        ),
    )


# --- What is promised ----------------------------------------------------------------------------


@exercise("guarantee", "numbers", lambda at: bool(_upper(at)) and bool(at.learners))
def _guarantee(at: Asked) -> Exercise | None:
    told = [
        (bound, m, one, least)
        for bound, m in _numbered(at, _upper(at))
        for one, least in numbers(at, [one for one in at.learners if bound.binds(one)][:1])
        if m > 1.05 * least
    ]
    if not told:
        return None
    bound, m, one, least = at.pick(told)
    return ratio_of(
        f"How many times as many examples does the guarantee “{bound.title}” ask for as “{one.title}” needs on this "
        "distribution?",
        m / least,
        f"The guarantee is {m:,}, for every distribution of which it speaks. On this one {least:,} are enough.",
        (1.0, "That would mean that the theorem is tight here."),
        (least / m, "A guarantee below what the learner needs would be wrong."),
        (max(1 / at.cell.epsilon, 1.0), "That is 1/ε alone."),
        (1 / at.cell.alpha, "That is 1/α alone."),
        (3 * m / least, f"The guarantee would then be {3 * m:,}."),
        learner=one.name,
        bound=bound.name,
    )


@exercise(
    "constants", "numbers", lambda at: {"sharp", "paper"} <= {one.constants for one in at.bounds}
)
def _constants(at: Asked) -> Exercise | None:
    told = [
        (paper, m, sharp, n)
        for paper, m in _numbered(at, [x for x in at.bounds if x.constants == "paper"])
        for sharp, n in _numbered(at, [x for x in at.bounds if x.constants == "sharp"])
        if paper.kind == sharp.kind
        and _bound_of(at, paper) == _bound_of(at, sharp)
        and max(m, n) > 1.05 * min(m, n)
    ]
    if not told:
        return None
    paper, m, sharp, n = at.pick(told)
    better = m > n if paper.kind == "upper" else n > m
    if not better:
        return None
    large, small = max(m, n), min(m, n)
    return ratio_of(
        f"“{paper.title}” has the constants of its paper, and “{sharp.title}” is a sharper bound for the same learners. By "
        "which factor do their numbers differ here?",
        large / small,
        f"The paper's constants give {m:,}, and ours {n:,}.",
        (1.0, "That would mean that the paper's constants cannot be improved here."),
        (4 * large / small, f"The larger number would then be {4 * large:,}."),
        (max(1 / at.cell.epsilon, 1.0), "That is 1/ε alone."),
        (float(at.cell.d), f"That is {at.concept.size.symbol} alone."),
        bounds=(paper.name, sharp.name),
    )


def _bound_of(at: Asked, bound: Bound) -> set[str]:
    return {one.name for one in at.concept.learners if bound.binds(one)}


@exercise("needed-or-enough", "numbers", lambda at: bool(at.bounds))
def _needed_or_enough(at: Asked) -> Exercise | None:
    told = [
        (bound, m, one) for bound, m in _numbered(at, list(at.bounds))
        for one in [x for x in at.learners if bound.binds(x)][:1] if m > 2
    ]  # fmt: skip
    if not told:
        return None
    bound, m, one = at.pick(told)
    least = at.least(one)
    if least is None or m == least:
        return None
    facts = f"“{bound.title}” is {'a lower' if bound.kind == 'lower' else 'an upper'} bound. “{one.title}” needs {least:,} here."
    text = {
        "lower": f"{m - 1:,} {at.concept.unit} are too few for “{one.title}”, at least in the worst case.",
        "upper": f"{m:,} {at.concept.unit} are enough for “{one.title}”.",
        "both": f"“{one.title}” needs exactly {m:,} {at.concept.unit}.",
    }
    meaning = {"lower": "That is what a lower bound says.", "upper": "That is what an upper bound says.",
               "both": "That would need a lower and an upper bound that meet."}  # fmt: skip
    return choose(
        f"“{bound.title}” gives m = {m:,}. It binds “{one.title}”. What follows from it?",
        *(
            Choice(text[key], f"{'Right. ' * (key == bound.kind)}{meaning[key]} {facts}", key)
            for key in sorted(text, key=lambda key: key != bound.kind)
            if key in {bound.kind, "both"} or not _true(key, m, least)
        ),
        about={"learner": one.name, "bound": bound.name},
    )


def _true(kind: str, m: int, least: int) -> bool:
    """Return whether a statement about m holds, although it does not follow from the bound."""
    return m <= least if kind == "lower" else m >= least


@exercise(
    "growth-necessary",
    "need-d",
    lambda at: bool(_lower(at)) and bool(growing(at)) and at.concept.only_size is None,
)
def _growth_necessary(at: Asked) -> Exercise | None:
    one, far = at.pick(growing(at)), {"d": 16 * at.cell.d}
    found, least, grown = strongest(at, one), at.least(one), at.least(one, **far)
    if found is None or not least or not grown:
        return None
    bound, edge = found
    raised = at.number(bound, **far)
    if not raised:
        return None
    size, mine, needed = at.concept.size.symbol, grown / least, raised / edge
    if mine < 1.3:
        return None
    # Only clear cases: the bound grows as fast, up to a tenth, or by less than half the factor.
    right = True if needed > 0.9 * mine else False if needed < 0.5 * mine else None
    if right is None:
        return None
    facts = f"From {size} = {at.cell.d:,} to {far['d']:,} the learner's number grows {mine:.2g} times, the bound {needed:.2g} times."
    yes = Choice("Yes: the lower bound grows about as fast", f"{'Right. ' * right}{facts}", "shown")
    no = Choice(
        "That is not shown here: the lower bound grows more slowly",
        f"{'Right. ' * (not right)}{facts}",
        "open",
    )
    return choose(
        f"“{one.title}” needs more {at.concept.unit} as {size} grows. Does the bound “{bound.title}” show that "
        f"such growth is necessary for {_whom(bound)}?",
        *((yes, no) if right else (no, yes)),
        about={"learner": one.name, "bound": bound.name},
    )


KINDS: tuple[ExerciseKind, ...] = (
    _edge, _excluded, _which_excludes, _whose, _gap, _not_bound, _no_contradiction, _proved_on, _only_a_rate,
    _guarantee, _constants, _needed_or_enough, _growth_necessary,
)  # fmt: skip
