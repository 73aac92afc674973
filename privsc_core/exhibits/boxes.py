"""The packing argument to play with: what its figures show, and the same in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import (
    DEEP_LEAF,
    DEEP_RED,
    DEEP_TEAL,
    IMPOSSIBLE,
    LEAF,
    PALE,
    PALER,
    RED,
    TEAL,
    WHITE,
    faint,
)
from privsc_core.draw.picture import plot
from privsc_core.draw.style import integer, number, share
from privsc_core.draw.traces import (
    GREY,
    MUTE,
    QUIET,
    STEEL,
    THICK,
    Trace,
    across,
    axis,
    fixed_axis,
    hover,
    line,
    log_axis,
    marks,
    shade,
    stroke,
    words,
)
from privsc_core.evaluate.boxes import packed, sweep
from privsc_core.evaluate.need import need
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.text import raised, small

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.boxes import Hand, Packed, Shares, Sweep


@dataclass(frozen=True, slots=True)
class Answer:
    """What a learner's answers look like: how many points of the domain they label 1."""

    learner: str
    proper: bool
    ones: str
    part: str


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The scene as a page shows it.

    Attributes
    ----------
    nothing : str
        Why there is no scene: then there is `asked` alone. Else empty.
    words : str
        All that it shows, in sentences.
    total : str
        The sum on the sample that is shown.
    fits, average_fits : bool
        Whether that is at most 1, and whether the average reaches 1 - beta.
    average, asked : str
    before : int
        The last m that is impossible, 0 where none is.
    least, least_merged, least_learner : int or None
        Where the bound ends; where it ends for merged boxes; who gets by with how many.
    learner : str
        The learner that does; empty if none is known.
    applies_to, law, way_out, merged_many : str
        As the bound tells them; the last is empty where nothing can be merged.
    fixed : bool
        Whether K is always the same.
    typical : int
        The likeliest K.
    answers : tuple of Answer
    pictures : tuple of Picture
        Of one sample, over K, over m.
    """

    nothing: str = ""
    words: str = ""
    total: str = ""
    fits: bool = False
    average_fits: bool = False
    average: str = ""
    asked: str = ""
    least: int | None = None
    before: int = 0
    least_merged: int | None = None
    least_learner: int | None = None
    learner: str = ""
    applies_to: str = ""
    law: str = ""
    way_out: str = ""
    merged_many: str = ""
    fixed: bool = False
    typical: int = 0
    answers: tuple[Answer, ...] = ()
    pictures: tuple[Picture, ...] = ()


def packing_names(concept: ConceptClass) -> tuple[str, ...]:
    """Return the names of the bounds of a class whose proofs can be acted out."""
    return tuple(entry.name for entry in concept.bounds if entry.packs)


def shared(
    *,
    concept: str,
    bound: str,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    delta: float = 0.0,
    hand: Hand = "asked",
    give: float = 0.5,
    differ: int | None = None,
    merge: bool = False,
) -> Shared:
    """Act out the proof of a bound, see `packed`.

    Raises
    ------
    InputError
        For names that the catalog does not have.
    """
    found = catalog.concept(concept)
    entry = catalog.bound(concept, bound)
    at = Cell(d, epsilon, alpha, beta, delta)
    shown = packed(entry, at, m, hand=hand, give=give, differ=differ)
    if shown is None:
        said = entry.least(at)
        why = said.note or said.reason or "says nothing here"
        return Shared(nothing=f"The bound {why}.", asked=number(complement(beta)))
    boxes, merging = shown.boxes, shown.boxes.merged if merge else None
    with progress.stage(0.0, 0.9):
        curve = sweep(shown)
    learner, least_learner = "", None
    if merging is not None:
        who = catalog.learner(concept, merging.learner)
        law = catalog.distribution(concept, entry.proved_on[0])
        learner = who.title
        with progress.stage(0.9, 1.0):
            found_m = need(who, law, d=d, epsilon=epsilon, alpha=alpha, beta=beta).m.item()
        least_learner = None if math.isnan(found_m) else int(found_m)
    shares = shown.merged if merging is not None and shown.merged is not None else shown.apart
    return Shared(
        words=_words(shown, shares, merged=merging is not None),
        total=amount(shares.log_total), fits=shares.fits,
        average_fits=shares.least is not None and m >= shares.least,
        average=share(shares.average), asked=number(shown.asked), least=shown.apart.least,
        before=(shown.apart.least or 1) - 1,
        least_merged=shown.merged.least if shown.merged is not None else None,
        least_learner=least_learner, learner=learner, applies_to=entry.applies_to,
        law=boxes.law, way_out=boxes.way_out,
        merged_many=_merged(shown), fixed=shown.weights.size == 1, typical=shown.typical,
        answers=_answers(found, d, epsilon, alpha, beta),
        pictures=(
            shares_figure(shown, merge=merge),
            cliff_figure(shown, curve, merge=merge),
            average_figure(shown, curve, merge=merge),
        ),
    )  # fmt: skip


def _merged(shown: Packed) -> str:
    merged = shown.boxes.merged
    if merged is None:
        return ""
    # One box more: nothing is owed to the box of outputs that are good for no target.
    return f"{round(math.exp(merged.log_rivals)) + 2:,} {merged.many}"


def _words(shown: Packed, shares: Shares, *, merged: bool) -> str:
    """Return what the figures show, in sentences."""
    boxes, at = shown.boxes, shown.at
    one, several = boxes.one, boxes.many
    if merged and boxes.merged is not None:
        one, several = boxes.merged.one, boxes.merged.many
    own, owed, total = (
        amount(log) for log in (shares.log_promise, shares.log_owed, shares.log_total)
    )
    verdict = "it fits" if shares.fits else "it does not fit"
    halfway = (
        f"Take a halfway database: it differs in {shares.steps:,} {boxes.unit} from the sample of the right {one}, "
        f"and in {shown.count - shares.steps:,} from the sample of another one. There the right {one} still gets at "
        f"least {amount(shares.log_own)}, and all other answers at least {owed}. The sum is {total}, and at most 1 "
        f"is possible: {verdict}."
    )
    sample = (
        f"Take a sample that differs from those of other targets in K = {shown.count:,} {boxes.unit}. The right "
        f"{one} gets {own}. The others, {many(shares.log_rivals)} {several}, must get at least "
        f"{amount(shares.log_each)} each, {owed} together. The sum is {total}, and at most 1 is possible: {verdict}."
    )
    if boxes.halfway:
        sample = halfway
    average = (
        f"Averaged over K and the targets, at d = {at.d:,} and ε = {number(at.epsilon)}, "
        f"m = {shown.m:,} allows success {at_most(shares.average)}"
    )
    if shares.least is None:
        return f"{sample} {average}."
    goal = "enough" if shown.m >= shares.least else "too few"
    return (
        f"{sample} {average}. Success {number(shown.asked)} needs m ≥ {integer(shares.least)} by "
        f"this argument: {shown.m:,} are {goal}."
    )


def _answers(
    concept: ConceptClass, d: int, epsilon: float, alpha: float, beta: float
) -> tuple[Answer, ...]:
    found = []
    for entry in concept.learners:
        ones = entry.log_ones(Cell(d, epsilon, alpha, beta))
        if ones is not None:
            part = small(2.0 ** (ones - d)) if ones - d > -1000.0 else f"2{raised(round(ones - d))}"
            found.append(Answer(entry.title, entry.proper, _ones(ones, d), part))
    return tuple(found)


def _ones(ones: float, d: int) -> str:
    """Return a number of points from its binary logarithm."""
    if ones == round(ones):
        return f"{2 ** round(ones):,}" if ones < 20 else f"2{raised(round(ones))}"
    if ones < 20:
        return f"about {2.0**ones:,.0f}"
    return f"about {2.0 ** (ones - d):.3g}·2{raised(d)}"


# --- The figures: one sample's probability, and the average over K ---------------------------------


_LOG10, _LOG2 = math.log(10.0), math.log(2.0)
_END = 2.0  # of the axis of shares: twice what there is
_ROOM = 0.5  # so much of it holds words
_SIDE, _EDGE = 4, 0.22  # boxes on either side, and what share of the width these take
_APART = 2.1  # rows
_PEAK = 0.4  # height of the distribution of K, which has no scale of its own


def amount(log_value: float) -> str:
    """Return a number from its logarithm, however large or small."""
    if log_value == -math.inf:
        return "0"
    if abs(log_value) < 12.0:
        value = math.exp(log_value)
        if value < 1e-3:
            return small(value)
        return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"
    power = log_value / _LOG10
    exponent = math.floor(power)
    if abs(exponent) >= 1000:
        return f"10{raised(exponent)}"
    return f"{10.0 ** (power - exponent):.1f}·10{raised(exponent)}"


def many(log_count: float) -> str:
    """Return a whole number from its logarithm: exactly, or as the power of two nearby."""
    if log_count < 16.0:
        return f"{round(math.exp(log_count)):,}"
    return f"about 2{raised(round(log_count / _LOG2))}"


def at_most(value: float) -> str:
    """Return a largest probability in words."""
    if value < 0.0005:
        return "below 0.001"
    return "at most 1" if value > 0.9995 else f"at most {share(value)}"


def _promised(shown: Packed, shares: Shares) -> str:
    """Return what is promised; where as much as fits is, what is asked."""
    return number(shown.asked) if shares.log_total == 0.0 else amount(shares.log_promise)


def _name(shown: Packed, what: str) -> str:
    at = shown.at
    return f"privsc-boxes-{what}-d{at.d}-eps{at.epsilon:g}-m{shown.m}"


# --- One sample ---------------------------------------------------------------------------------


def shares_figure(shown: Packed, *, merge: bool) -> Picture:
    """Draw what one sample's probability has to pay for, beside how much there is."""
    boxes = shown.boxes
    rows = [(shown.apart, boxes.one, boxes.many, DEEP_RED, _SIDE)]
    if merge and shown.merged is not None and boxes.merged is not None:
        rows.append((shown.merged, boxes.merged.one, boxes.merged.many, DEEP_LEAF, 1))
    data: list[Trace] = []
    ticks: list[float] = []
    texts: list[str] = []
    shapes: list[Trace] = []
    for place, (shares, one, several, colour, side) in enumerate(rows):
        y = -_APART * place
        data += _boxes(shares, y + 0.8, several, side) + _owed(shares, y, one, several, colour)
        ticks += [y + 0.8, y]
        texts += [several, "to give"]
        edges = (y - 0.4, y + 0.4)
        shapes.append(shade((1.0, _END), edges, IMPOSSIBLE))
        shapes.append(stroke((1.0, 1.0), edges, RED, dash="solid", width=THICK))
    shares, one = rows[-1][0], rows[-1][1]
    whose = f"With {rows[-1][2]} it" if len(rows) > 1 else "It"
    title = f"{whose} {'fits' if shares.fits else 'does not fit'}: {_sum(shares)}"
    caption = (
        f"A sample that differs from those of other targets in K = {shown.count:,} {boxes.unit}. The right {one} "
        f"gets {amount(shares.log_promise)}. By privacy each other box must get at least e^(-εK) times that: "
        f"{amount(shares.log_each)}."
    )
    if boxes.halfway:
        caption = (
            f"A halfway database: it differs in t = {shares.steps:,} {boxes.unit} from the sample of the right {one} "
            f"and in {shown.count - shares.steps:,} from the sample of another one. By privacy, compared with the "
            f"first sample, the right {one} still gets 1-e^(εt)(1-p) = {amount(shares.log_own)}. By privacy, "
            "compared with the second sample, all other answers get 1-e^(ε(K-t))(1-p)/(n-1) = "
            f"{amount(shares.log_owed)}."
        )
    table: dict[str, list[Any]] = {
        "boxes": [several for _, _, several, _, _ in rows],
        "other boxes": [many(row[0].log_rivals) for row in rows],
        "promised": [row[0].promise for row in rows],
        "owed to each other box": [amount(row[0].log_each) for row in rows],
        "owed in all": [amount(row[0].log_owed) for row in rows],
        "sum": [amount(row[0].log_total) for row in rows],
    }
    if boxes.halfway:
        del table["owed to each other box"]
        table |= {"steps": [row[0].steps for row in rows], "right": [row[0].own for row in rows]}
    return plot(
        data,
        fixed_axis(
            (0.0, _END), "probability available on one sample", at=[0, 1],
            texts=["0", "<b>1 = all there is</b>"],
        ),
        fixed_axis((-_APART * (len(rows) - 1) - 0.5, 1.25), zeroline=False)
        | axis(at=ticks, texts=texts, ticks=""),
        xaxis2=fixed_axis((0.0, 1.0), overlaying="x", visible=False),
        barmode="overlay",
        showlegend=False,
        legend=None,
        shapes=shapes,
        title=title,
        caption=caption,
        summary=title + ".",
        filename=_name(shown, "shares"),
        table=table,
    )  # fmt: skip


def _others(shares: Shares, several: str) -> str:
    return "all other answers" if shares.steps else f"{many(shares.log_rivals)} other {several}"


def _sum(shares: Shares) -> str:
    own, owed = amount(shares.log_own), amount(shares.log_owed)
    if shares.log_total == 0.0:
        return f"{own} + {owed} owed = 1"
    return f"{own} + {owed} owed {'≤' if shares.fits else '>'} 1"


def _boxes(shares: Shares, y: float, several: str, side: int) -> list[Trace]:
    """Return the box of the target, some others on both sides, and how many there are."""
    wide = _EDGE / side
    left = [(i + 0.5) * wide for i in range(side)]
    middles = [*left, *(1.0 - x for x in reversed(left))]
    own = [True, *[False] * (2 * side - 1)]
    marker = {
        "color": [DEEP_TEAL if mine else PALER for mine in own],
        "line": {"color": [DEEP_TEAL if mine else PALE for mine in own], "width": 1.5},
    }
    strip: Trace = {
        "type": "bar", "x": middles, "y": [0.5] * len(own), "base": y - 0.25, "name": "boxes",
        "uid": f"boxes {several}", "xaxis": "x2", "width": 0.86 * wide, "marker": marker,
    }  # fmt: skip
    says = f"… {many(shares.log_rivals)} others …"
    return [strip | QUIET, words([0.5], [y], [says], f"n {several}", "middle center", xaxis="x2")]


def _owed(shares: Shares, y: float, one: str, several: str, colour: str) -> list[Trace]:
    """Return what the target's box gets and what the others are owed, end to end."""
    own, owed = amount(shares.log_own), amount(shares.log_owed)
    total = shares.own + math.exp(shares.log_owed) if shares.log_owed < 1.0 else math.inf
    end = min(total, _END)
    slices = {"shape": "|", "size": 8, "solidity": 0.2, "fgcolor": WHITE, "fillmode": "overlay"}
    debts = across(
        [end - shares.own], [y], "due to all others", colour, uid=f"owed {several}",
        base=shares.own, width=0.6,
    )  # fmt: skip
    debts["marker"] |= {"pattern": slices}
    found = [
        across([shares.own], [y], "promised", DEEP_TEAL, uid=f"promised {several}", width=0.6)
        | hover(f"the {one} gets {own}"),
        debts | hover(f"{_others(shares, several)} are owed {owed}"),
    ]
    if shares.own > _ROOM:
        at = min(shares.own, 1.0) / 2.0
        says = [f"<b>right: {own}</b>"]
        found.append(words([at], [y], says, f"own {several}", "middle center", WHITE))
    if end <= _END - _ROOM:
        says = [f"<b> {owed} owed</b>"]
        found.append(words([max(end, 1.0)], [y], says, f"debt {several}", "middle right"))
    else:
        says = [f"<b>{owed} owed{' →' if total > _END else ''}</b>"]
        found.append(words([end - 0.04], [y], says, f"debt {several}", "middle left", WHITE))
    return found


# --- All K --------------------------------------------------------------------------------------


def cliff_figure(shown: Packed, curve: Sweep, *, merge: bool) -> Picture:
    """Draw the best promise against K, over how often each K occurs."""
    epsilon, asked = shown.at.epsilon, shown.asked
    data = [_hump(shown)]
    says = hover("K = %{x:,.0f}: at most %{y:.3f}")
    data.append(line(curve.k, curve.apart, f"best promise, {shown.boxes.many}", RED) | says)
    found = [shown.apart]
    if merge and curve.merged is not None and shown.merged is not None:
        several = shown.boxes.merged.many if shown.boxes.merged else ""
        data.append(line(curve.k, curve.merged, f"best promise, {several}", LEAF) | says)
        found.append(shown.merged)
    here = [shares.best for shares in found]
    data.append(
        marks([shown.count] * len(here), here, "this sample", TEAL, size=12)
        | hover("K = %{x:,}: at most %{y:.3f}")
    )
    end = float(curve.k[-1])
    at = shown.apart.log_rivals / epsilon
    last = found[-1]
    needed = "no K is enough" if last.enough is None else f"it takes K ≥ {integer(last.enough)}"
    title = f"Promise {_promised(shown, last)}: {needed}, and K is about {shown.typical:,}"
    return plot(
        data,
        axis(f"K, {shown.boxes.unit} that differ", (0.0, end), fixedrange=True),
        axis("promise", (0.0, 1.08), at=[0, 0.5, 1], fixedrange=True),
        shapes=[
            stroke((0.0, end), (asked, asked), GREY),
            stroke((shown.count, shown.count), (0.0, 1.08), TEAL, dash="dot"),
        ],
        legend=0.3,
        title=title,
        caption=f"Grey: how often each K occurs, {shown.boxes.law}. The curve passes ½ at "
        f"ln(n-1)/ε = {amount(math.log(max(at, 1e-9)))}; dashed: 1-β = {number(asked)}.",
        summary=f"The largest promise that fits climbs from 0 to 1 around K = {at:.4g}. The likeliest "
        f"K at m = {shown.m:,} is {shown.typical:,}.",
        filename=_name(shown, "cliff"),
        table={"K": curve.k.tolist(), "best promise": curve.apart.tolist()}
        | ({} if curve.merged is None or not merge else {"merged": curve.merged.tolist()}),
    )


def _hump(shown: Packed) -> Trace:
    k = np.arange(shown.first, shown.first + shown.weights.size, dtype=np.float64)
    weights = shown.weights
    if k.size == 1:  # always the same K
        k, weights = np.array([k[0] - 0.5, k[0], k[0] + 0.5]), np.array([0.0, weights[0], 0.0])
    kept = np.unique(np.linspace(0, k.size - 1, min(k.size, 241)).round().astype(int))
    filled = {"fill": "tozeroy", "fillcolor": faint(GREY, 0.35)}
    height = weights[kept] * (_PEAK / weights.max())
    return line(k[kept], height, "how often K", PALE, width=1) | filled | MUTE


def average_figure(shown: Packed, curve: Sweep, *, merge: bool) -> Picture:
    """Draw the best promise on average over K against m, with the least m that is not excluded."""
    asked, least = shown.asked, shown.apart.least
    says = hover("m = %{x:,}: at most %{y:.3f}")
    data = [line(curve.m, curve.average, f"average, {shown.boxes.many}", RED) | says]
    here = [shown.apart.average]
    title = f"Average at m = {shown.m:,}: {at_most(shown.apart.average)}"
    edge = "" if least is None else f"; {number(asked)} from m = {integer(least)} on"
    edges = [(least, 0.5, "middle right")]
    if merge and curve.average_merged is not None and shown.merged is not None:
        several = shown.boxes.merged.many if shown.boxes.merged else ""
        data.append(line(curve.m, curve.average_merged, f"average, {several}", LEAF) | says)
        here.append(shown.merged.average)
        edge = f"; {several}: {at_most(shown.merged.average)}"
        edges.append((shown.merged.least, asked, "top left"))
    data.append(marks([shown.m] * len(here), here, "your m", STEEL, "diamond", 12) | says)
    span = (float(curve.m[0]), float(curve.m[-1]))
    shapes = [stroke(span, (asked, asked), GREY)]
    if least is not None:
        shapes += [
            shade((span[0], least), (0.0, 1.08), IMPOSSIBLE),
            stroke((least, least), (0.0, 1.08), RED, dash="solid"),
        ]
    data += [
        words([m], [y], [f"<b> {integer(m)} </b>"], f"edge {place}", place)
        for m, y, place in edges
        if m is not None
    ]
    if least is not None:
        red = [f"impossible as long as each<br>{shown.boxes.one} has its own box"]
        data.append(words([span[0] * 1.2], [0.55], red, "impossible", "middle right"))
    merged = curve.average_merged if merge else None
    return plot(
        data,
        log_axis(span, "number of examples m", fixedrange=True),
        axis("average promise", (0.0, 1.08), at=[0, 0.5, 1], fixedrange=True),
        shapes=shapes,
        legend=0.3,
        title=title + edge,
        caption=f"Red: impossible for {shown.bound.applies_to}. The edge is that of the bound "
        f"“{shown.bound.title}” ({shown.bound.source.paper}) in the main figure"
        + ("; it does not apply to merged boxes." if merge and shown.merged else "."),
        summary=title + edge + ".",
        filename=_name(shown, "average"),
        table={"m": curve.m.tolist(), "average": curve.average.tolist()}
        | ({} if merged is None else {"merged": merged.tolist()}),
    )
