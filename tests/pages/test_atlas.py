"""The atlas page: what is listed, unfolded and filtered, and where its doors lead."""

import re
from html import unescape
from urllib.parse import parse_qsl

import pytest

import privsc_core as pv
from pages.shared.page import atlas, declaration
from pages.shared.state.link import parse, write
from privsc_core.draw.style import integer
from privsc_core.evaluate import atlas as core
from privsc_core.evaluate.scenario import Scenario
from tests.pages import app as apps
from tests.pages.declared import DECLARED

ENTRIES = core.entries()
COMPUTED = [pytest.param(entry, id=entry.key) for entry in ENTRIES if entry.computed]
LINK = "v=1&q=mechanism&kind=upper&class=release&tab=slips&open=slip-ours-threshold&d=16"


def run(**params):
    app = apps.run("pages/atlas.py", **params)
    assert not app.exception
    return app


def labels(app):
    """Return the labels of the open entries."""
    return [fold.label for fold in app.expander if not fold.label.startswith("Setting")]


def rows(app):
    """Return what is listed: the texts of the rows, without the open ones."""
    table = "".join(re.findall(r"<tbody.*?</tbody>", apps.html(app), re.DOTALL))
    return [
        [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr.*?</tr>", table)
    ]


def links(app, text):
    """Return the parameters of the links with a text."""
    found = re.findall(rf'<a href="\?([^"]*)"[^>]*>{re.escape(text)}</a>', apps.html(app))
    return [dict(parse_qsl(unescape(one))) for one in found]


def told(app):
    return " ".join(block.value for block in app.markdown)


@pytest.fixture(scope="module")
def plain():
    return run(d="16")


def test_every_bound_is_listed_with_its_number_at_the_setting(plain):
    listed = rows(plain)
    assert len(listed) == len(ENTRIES)
    setting = {"d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1, "delta": 1e-6}
    for entry, (title, concept, says, _, source) in zip(ENTRIES, listed, strict=True):
        assert (title, concept) == (entry.bound.title, entry.concept.title)
        if entry.computed is None:
            assert "not computed" in says
            assert str(entry.year) in source
            continue
        found = pv.bound(concept=entry.concept.name, bound=entry.computed.name, **setting).m
        number = "no number here" if found != found else f" {integer(float(found))}"  # noqa: PLR0124 - NaN
        said, _, whom = says.partition(": ")
        assert said.endswith(number)
        all_said = entry.computed.applies_briefly or entry.computed.applies_to
        assert whom
        assert all_said.startswith(whom.removesuffix(" …"))
    assert f"{len(ENTRIES)} of {len(ENTRIES)} entries" in told(plain)
    assert not plain.latex, "nothing is unfolded, nothing is drawn"


def test_few_rows_stand_first_and_one_is_opened_or_all_are_sorted_by_its_links():
    app = run(v="2", d="16")
    assert len(rows(app)) == 16
    (every,) = links(app, f"Show all {len(ENTRIES)}")
    assert every == {"v": "2", "d": "16", "rows": "1"}
    # One that a link opens is there, wherever it stands; another row then closes it.
    app = run(v="2", d="16", open="bound-interval-packing.setting", sort="m")
    assert len(labels(app)) == 1
    title = rows(app)[0][0]
    assert links(app, title)[0]["open"].startswith("setting.bound-")
    sizes = [
        int(found[1].replace(",", ""))
        for _, _, says, _, _ in rows(run(d="16", sort="m-down"))
        if (found := re.search(r" ([\d,]+):", says))
    ]
    assert len(sizes) > 50
    assert sizes == sorted(sizes, reverse=True)


def test_filters_and_words_leave_what_fits_and_say_how_much(plain):
    fits = [e for e in ENTRIES if e.bound.kind == "lower" and "approximate" in e.privacies]
    app = run(kind="lower", privacy="approximate")
    assert len(rows(app)) == len(fits) > 0
    app = run(q="Lemma 3.9", source="BBKN13", **{"class": "point"})
    assert 0 < len(rows(app)) < 6
    app = run(q="xylophone")
    assert rows(app) == []
    assert "no bound fits" in told(app)


def test_a_link_unfolds_an_entry_with_all_that_is_known_of_it():
    app = run(open="bound-point-packing.bound-interval-klmns20-upper.setting", alpha="0.2")
    assert len(app.latex) == 2
    page = apps.html(app)
    for fact in ("Constants", "Valid", "Binds", "Distributions", "proved on hard", "Superseded by"):
        assert fact in page
    assert "Cohen, Lyu, Nelson, Sarlós, Stemmer 2023" in page
    assert 'href="?v=2&amp;open=bound-point-packing"' in page
    assert "It is listed here, but not computed." in told(app)
    cited = [block.value for block in app.code]
    assert len(cited) == 2
    assert "@article{BBKN13" in cited[0]
    assert "@inproceedings{KLMNS20" in cited[1]
    assert {"α: error allowed", "δ: additive privacy loss"} <= {
        slider.label for slider in app.select_slider
    }


def test_every_slip_is_listed_and_shows_its_program():
    app = run(tab="slips", open="slip-bbkn13-lemma-5-2.slip-ours-threshold")
    assert len(labels(app)) == 2
    assert len(rows(app)) + 2 == len(core.errata())
    for row in rows(app):
        assert links(app, row[0])[0]["open"].startswith("slip-")
    programs = [block.value for block in app.code if block.language == "python"]
    assert len(programs) == 2
    assert all("import privsc_core as pv" in text for text in programs)
    assert "The paper says." in told(app)
    assert "One would think." in told(app), "a trap of ours is no slip of a paper"


def test_what_is_wrong_with_a_link_is_said_in_a_sentence_each():
    wrong = {"kind": "middle", "open": "bound-nothing", "eps": "-1", "q": "x" * 41, "tab": "old"}
    page = apps.html(run(**wrong))
    for key in wrong:
        assert len(re.findall(rf"<li>[^<]*\b{key}\b[^<]*got “[^<]*</li>", page)) == 1, key


def test_a_setting_at_which_a_curve_cannot_be_drawn_is_refused_in_a_sentence():
    app = run(v="2", open="bound-interval-packing", d="2")
    assert re.search(r'role="alert">d must be [^<]*</p>', apps.html(app))
    assert len(rows(app)) == 16, "the rest still works"


@pytest.mark.parametrize("entry", [p for p in COMPUTED if p.values[0].concept.name in DECLARED])
def test_the_door_of_an_entry_leads_to_its_bound_at_the_setting(entry):
    known, page = entry.computed, DECLARED[entry.concept.name]
    law = next(iter(known.valid_on or known.promised_on), "")
    here = Scenario(entry.concept.name, (), law, d=96, epsilon=0.3, alpha=0.2, beta=0.05)
    values, notes = parse(atlas.door(page, known, entry.learners, here), page.fields)
    assert notes == []
    sizes = entry.concept.only_size is None
    assert values["view"] == ("need-d" if sizes else "need-eps")
    now = {name: values[item.key] for name, item in page.settings.items()}
    there = declaration.scenario_of(page, now)
    for name in (*["d"] * sizes, "epsilon", "alpha", "beta", "distribution"):
        assert getattr(there, name) == getattr(here, name)
    if known.constants != "rate" and any(here.law.name in e.laws for e in entry.learners):
        (same,) = (bound for bound in there.bounds if bound.name == known.name)
        # Lower bounds about the worst distribution alone, as all of a class of one's own: none is drawn.
        if not sizes or (known.kind == "lower" and not known.valid_on):
            return
        # What every learner may pass there is a number of the worst case alone.
        passed = [same.passed(e, there.law) for e in there.chosen if same.binds(e)]
        assert there.applies(same) != (bool(passed) and all(passed))


def test_a_bound_without_a_page_is_drawn_all_the_same():
    app = run(open="bound-rectangle-packing", d="16")
    assert not app.exception
    assert "impossible below 113 labelled examples" in apps.html(app)
    assert "could not be" not in apps.html(app)


def test_links_to_the_atlas_mean_what_they_meant():
    values, notes = parse(dict(parse_qsl(LINK)), atlas.FIELDS)
    assert notes == []
    assert (values["q"], values["kind"], values["class"]) == ("mechanism", "upper", "release")
    assert (values["tab"], values["open"], values["d"]) == ("slips", ("slip-ours-threshold",), 16)
    again, _ = parse(write(values, atlas.FIELDS), atlas.FIELDS)
    assert again == values  # a new link, of today's version
    keys = {item.key for item in atlas.FIELDS}
    assert {"q", "class", "kind", "privacy", "source", "tab", "open", "d", "eps", "delta"} <= keys
