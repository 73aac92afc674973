"""The search's index: all that has a place is in it, and every link leads there."""

import json
import re
from collections import Counter
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.exhibits import interval_depth
from pages.labels import PAGE
from pages.shared.frame import search, sitemap, words
from pages.shared.hall import lectures
from pages.shared.host import static_files
from pages.shared.page import atlas, index, laboratory, theory
from pages.shared.state.fields import EVERYWHERE
from pages.shared.state.link import parse
from privsc_core.catalog import CONCEPTS, concept
from privsc_core.evaluate import atlas as core
from privsc_core.literature.glossary import terms, untreated
from privsc_core.parameters import PARAMETERS
from tests.depth import whole
from tests.pages import app as apps
from tests.pages.declared import DECLARED

HITS = index.hits()
FIELDS = {page.slug: page.fields for page in DECLARED.values()} | {
    "atlas": atlas.FIELDS, "laboratory": laboratory.FIELDS, "labels": PAGE.fields, "logstar": interval_depth.FIELDS,
}  # fmt: skip


def of(kind):
    return [hit for hit in HITS if hit.kind == kind]


def test_all_that_has_a_place_can_be_found():
    files = [file for _, group in sitemap.PAGES for _, file in group]
    assert [hit.link for hit in of("page")] == [f"./{sitemap.address(file)}" for file in files]
    assert len(of("learner")) == sum(len(concept(name).learners) for name in DECLARED)
    assert len(of("bound")) == len(core.entries())
    assert len(of("slip")) == len(core.errata())
    assert [hit.title for hit in of("word")] == [term.word for term in terms()]
    assert [hit.title for hit in of("symbol")] == [entry.symbol for entry in PARAMETERS]
    assert len(of("lecture")) == len(lectures.shipped())
    assert len(of("scene")) == sum(len(lecture.scenes) for lecture in lectures.shipped())
    parts = sum(len(page.sections) for page in DECLARED.values()) + len(PAGE.sections)
    parts += len(laboratory.SECTIONS) + len(interval_depth.SECTIONS)
    assert len(of("part of a page")) == parts
    for hit in HITS:
        assert hit.title
        assert hit.text
        assert not {"$", "`"} & {*hit.title, *hit.text}, "words, no markup"
        assert "**" not in hit.title + hit.text
    treated = [hit.link for hit in HITS if hit.kind != "not treated here"]
    assert len({*treated}) == len(treated)


def test_what_is_not_treated_is_said_with_what_comes_nearest():
    hits = of("not treated here")
    assert len(hits) == len(untreated()) > 0
    pages = {hit.link for hit in of("page")}
    known = {form.lower() for term in terms() for form in (term.word, *term.also)}
    for hit, one in zip(hits, untreated(), strict=True):
        assert hit.link in pages
        assert f"Nearest: {one.nearest}" in hit.text
        assert not {one.word.lower(), *map(str.lower, one.also)} & known
    found = " ".join(f"{hit.title} {hit.words}" for hit in hits).lower()
    for word in ("agnostic", "sparse vector", "fat shattering", "online", "local", "composition"):
        assert word in found


def test_one_title_in_several_classes_is_told_apart_by_class():
    for kind in ("bound", "learner"):
        several = Counter(hit.title for hit in of(kind))
        assert max(several.values()) > 1
        assert len({(hit.title, hit.within) for hit in of(kind)}) == len(of(kind))


@pytest.mark.parametrize("kind", sorted({hit.kind for hit in HITS}))
def test_every_link_is_one_that_its_page_takes(kind):
    parts = {page.slug: {f"open-{name}": name for name in page.parts} for page in DECLARED.values()}
    for hit in of(kind):
        address = urlsplit(hit.link)
        page = address.path.removeprefix("./")
        params = dict(parse_qsl(address.query))
        values, notes = parse(params, FIELDS.get(page, EVERYWHERE))
        assert notes == [], hit
        if "open" in params and not hit.whole:
            assert values["open"] == (params["open"],)
            assert params["open"] in parts.get(page, {}).values() or page == "atlas"
        if kind in {"learner", "bound", "slip"}:
            assert address.fragment == params["open"], "it is held in view"


def test_words_and_lectures_have_the_anchors_that_links_name():
    slug = urlsplit(of("word")[0].link).path.removeprefix("./")
    page = apps.html(apps.run(f"pages/{slug}.py", tab="notation"))
    for hit in (*of("word"), *of("symbol")):
        assert f' id="{urlsplit(hit.link).fragment}"><th scope="row"' in page
    listed = apps.run("pages/lectures.py")
    anchors = {heading.proto.anchor for heading in listed.subheader}
    assert {urlsplit(hit.link).fragment for hit in of("lecture")} <= anchors
    assert words.anchor("least m") == "word-least-m"


@pytest.mark.parametrize("family", ["points", whole("rectangles")])
def test_the_parts_of_the_page_about_labels_have_their_anchors(family):
    hits = [urlsplit(hit.link) for hit in of("part of a page") if hit.link.startswith("./labels")]
    assert [one.fragment for one in hits] == ["run", "against-d", "asked", "fresh"]
    given = {one.fragment: dict(parse_qsl(one.query)).get("plane", "points") for one in hits}
    app = apps.run("pages/labels.py", plane=family, d="8")
    there = {heading.proto.anchor for heading in app.subheader}
    there |= {*re.findall(r'<span id="([^"]+)"></span>', apps.html(app))}
    assert {name for name, plane in given.items() if plane == family} <= there


def test_the_index_is_published_once_and_sent_compressed():
    name = search.published()
    text = (static_files.FOLDER / name).read_text(encoding="utf-8")
    rows = json.loads(text.removeprefix("export default ").removesuffix(";\n"))
    assert [tuple(row) for row in rows] == [tuple(hit) for hit in HITS]
    store = static_files.Store()
    assert store.kind(f"app/static/{name}") == "text/javascript"
    assert len(store.packed(f"app/static/{name}")) < len(text) / 2
    assert store.kind("app/static/search-000000000000.js") == ""
    assert store.kind("app/static/../config.toml") == ""
    assert name in apps.html(apps.run("app.py"))
    assert search.button() in apps.html(apps.run("app.py"))


def test_the_names_of_parts_are_those_of_the_pages():
    first = CONCEPTS[0]
    assert theory.learner_part(first.learners[0]) in theory.parts(first)
    assert atlas.bound_part(core.entries()[0]) in dict.fromkeys(
        next(item for item in atlas.FIELDS if item.key == "open").choices
    )
