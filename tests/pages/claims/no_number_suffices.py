"""What the captions of “No number of examples suffices without further knowledge” say."""

from privsc_core.exhibits.threshold import over_bits, over_reference, too_coarse
from tests.pages.claims.setting import same

EVERY_B = [1, 2, 4, 16, 64, 1024, 10**6]


def _line_without_privacy(s):
    free = same(s.need("erm", distribution="window", d=EVERY_B))
    return ["the label is 1, right of it 0", f"{free} examples are enough"]


def _line_private(s):
    few, more = (s.need("density", distribution="window", d=d, trials=s.trials) for d in (16, 17))
    assert few < more
    return [f"At b = {s.d} it takes {few:,} examples"]


def _no_number(s):
    small, large = s.bound("packing-two"), s.bound("packing-two", d=1024)
    assert s.bound("packing-two", d=10**6) > 10**6
    return [f"Below {small:,} examples at b = {s.d} and {large:,} at b = 1,024"]


def _net(s):
    picture = too_coarse(s.scenario, s.now["guessed"])
    assert (s.d, s.now["guessed"]) == (16, 12)
    wrong, right = (picture.table[name][-1] for name in list(picture.table)[:0:-1][:2])
    assert wrong < 1e-9
    assert right > 0.99
    return ["2κ/α thresholds", "κ = 2¹² where it is 2¹⁶"]


def _told(s):
    known = over_reference(s.scenario).table
    need = dict(zip(known["r"], known["density"], strict=True))
    assert over_bits(s.scenario).table["m"][-1] == s.need("erm", distribution="window")
    return [
        f"{need[s.d // 2]:,} examples with half of the bits known", (
            f"{need[s.d]:,} with the distribution known"
        )
    ]  # fmt: skip


def _labels_alone(s):
    assert s.d == 16
    return [
        f"{same(s.need('noisy-count', distribution='window', d=EVERY_B))} examples suffice at every b",
        f"Below {s.bound('pair')} no learner that protects labels",
    ]


def _arcs(s):
    laws = [
        law.label for law in s.scenario.concept_class.distributions if "arcs" in _lawful(s, law)
    ]
    needed = same([s.need("arcs", distribution=law) for law in laws])
    assert len(laws) == 3
    return [
        "into 2m arcs",
        f"{needed} examples suffice",
        f"below {s.bound('packing-circle')} no learner that protects labels",
    ]


def _lawful(s, law):
    return [entry.name for entry in s.scenario.concept_class.learners if law.name in entry.laws]


def _dimension(s):
    at = [max(s.bound(name, d=d) for name in ("packing", "pair")) for d in (s.d, 100)]
    return [
        f"below {at[0]} examples at n = {s.d} and {at[1]} at n = 100 no learner that protects labels"
    ]


SCENES = (
    _line_without_privacy, _line_private, lambda _: [], lambda _: ["more than 2ᵇ times as long"],
    _no_number, _net, _told, _labels_alone, _arcs, _dimension,
    lambda _: [],
)  # fmt: skip
