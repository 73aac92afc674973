"""Links in a real Chromium: shared ones on another machine, hostile ones, and where a link leads."""

import random
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Error, expect

from pages.shared.state.link import NOTES, parse
from privsc_core.catalog import concept
from tests.browser.chromium import TIMEOUT
from tests.browser.pictures import agree, changed, choose, finished, picture, press, push, unfold
from tests.browser.server import Server
from tests.classes import known
from tests.depth import deep, firsts, whole
from tests.pages.addresses import DECLARED, PAGES
from tests.pages.test_links import hostile_query

# Another machine, as far as one machine can be another: no vector units, other kernels of BLAS.
OTHER_MACHINE = {
    "OPENBLAS_CORETYPE": "Prescott",
    "OPENBLAS_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX2 FMA3 AVX512F AVX512_SKX AVX512_ICL AVX512_SPR",
    "PYTHONHASHSEED": "7",
}

# --- the same link, the same picture -------------------------------------------------------------

# Each page: a link to start from, and what is then done by hand, with what the address must say.
# Every kind of control is used once: sliders, lists, parts that unfold, buttons of exhibits; exact
# curves, least numbers, maps and simulations are compared.
Journey = tuple[str, tuple[tuple[Callable, str], ...]]
JOURNEYS: dict[str, list[Journey]] = {
    "points": [
        ("/points?dist=bystanders&trials=250&guess=1000", (
            (lambda page: press(page, "d:", "ArrowLeft"), "d=48"),
        )),
        ("/points?view=map-m-eps", (
            (lambda page: choose(page, "Learner on the map", "Hash"), "map=hash"),
            (lambda page: press(page, "d:"), "d=96"),
        )),
    ],
    "intervals": [
        ("/intervals?open=tree", (
            (lambda page: press(page, "ε:"), "eps=0.7"),
            (lambda page: unfold(page, "Flip the labels"), "open=noise.tree"),
            (lambda page: push(page, "Redraw the noise"), "draw=3"),
            (lambda page: push(page, "Answer 1"), "tree=1"),
        )),
    ],
}  # fmt: skip
LONGER: dict[str, list[Journey]] = {
    "points": [
        ("/points?view=need-d&d=23", ((lambda page: press(page, "ε:"), "eps=0.7"),)),
        ("/points?guess=1000", ((lambda page: press(page, "ε:", "ArrowLeft"), "eps=0.4"),)),
    ],
    "intervals": [
        ("/intervals?dist=band&trials=250&view=eps", ((lambda page: press(page, "d:"), "d=96"),)),
        ("/intervals?mu=0.09", ((lambda page: push(page, "Redraw the noise"), "draw=3"),)),
        ("/intervals?open=contrast.tree", ((lambda page: push(page, "Answer 1"), "tree=1"),)),
    ],
    "pseudorandom": [
        ("/pseudorandom?view=map-m-d&map=exponential-relaxed&open=distinguisher", (
            (lambda page: press(page, "ε:"), "eps=0.7"),
            (lambda page: push(page, "Run again"), "dseed=2"),
        )),
    ],
    "release": [
        ("/release?view=need-eps&open=histogram.delta", (
            (lambda page: press(page, "d:"), "d=96"),
            (lambda page: push(page, "Redraw the noise"), "rdraw=2"),
        )),
    ],
}  # fmt: skip


def journeys_of(name):
    """Return the journeys of a page; in a deep run its slider of d is pressed at least."""
    moves = known(concept(DECLARED[name].concept)).moving
    plain = [(f"/{name}", ((lambda page: press(page, "d:"), "d=96"),))] if moves else []
    return JOURNEYS.get(name, []) + deep([], plain + LONGER.get(name, []))


@pytest.fixture(scope="package")
def other_machine():
    server = Server(env=OTHER_MACHINE)
    yield server
    assert not server.stop()


@pytest.mark.whole
@pytest.mark.parametrize(
    "journey",
    [pytest.param(journey, id=journey[0]) for name in DECLARED for journey in journeys_of(name)],
)
def test_a_shared_link_shows_the_same_bytes_on_another_machine(
    app_server, open_page, other_machine, journey
):
    start, steps = journey
    sender = open_page(app_server, start)
    before = picture(sender)
    for by_hand, said in steps:
        by_hand(sender)
        sender.wait_for_url(re.compile(rf"[?&]{re.escape(said)}(&|$)"))
        finished(sender)
    changed(sender, before)
    link = sender.url.removeprefix(app_server.url)
    page = open_page(other_machine, link)
    agree(sender, page)
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    assert page.url.removeprefix(other_machine.url) == link


# --- hostile links -------------------------------------------------------------------------------

# Every way into a page meets some here. What thousands of them mean is asked where a link is read
# (tests/pages/test_links.py), and what they show is asked of each page without a browser
# (tests/pages/test_class_pages.py).
EACH = deep(2, 50)  # links of a page
FLAGS = (
    "present=1&", "embed=true&", "present=1&controls=d,<b>&", "embed=true&embed_options=<script>&",
    "present=1&lecture=../../etc&scene=999&", "predict=1&guess=-1&", "embed=1&present=yes&",
    "present=1&lecture=what-constants-cost&scene=60&open=noise.<img src=x>&tab=<b>&",
)  # fmt: skip
# What a link of ours could have planted, and what the page says.
STATE = """() => ({
  planted: document.querySelectorAll(
    "[onerror], [onload], img[src='x'], iframe, a[href^='javascript']").length
    + [...document.scripts].filter((s) => s.textContent.includes("alert(")).length,
  hurt: Boolean(window.pvHurt),
  errors: document.querySelectorAll("[data-testid=stException]").length,
  lost: document.body.innerText.includes("could not be computed"),
  notes: [...document.querySelectorAll(".st-key-pv_notes li")].map((li) => li.textContent),
})"""

# Whether the run has ended with these notes, and with a figure or a sentence.
SAYS = """wanted => {
  const found = [...document.querySelectorAll(".st-key-pv_notes li")].map((li) => li.textContent);
  return JSON.stringify(found) === JSON.stringify(wanted)
    && document.querySelector(".pv-chart, .pv-message")
    && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning";
}"""


def expected(search, fields):
    """Return the notes that the parser by itself has for the query of an address."""
    params = parse_qs(search.removeprefix("?"), keep_blank_values=True)
    # Streamlit keeps its own parameters to itself.
    given = {key: texts for key, texts in params.items() if key not in {"embed", "embed_options"}}
    notes = parse(given, fields)[1]
    more = len(notes) - NOTES
    return notes[:NOTES] + ([f"… and {more} more."] if more > 0 else [])


@pytest.mark.parametrize("name", firsts(deep(list(DECLARED)[::2], DECLARED)))
def test_hostile_links_harm_nothing_and_each_refusal_is_shown(app_server, open_page, name):
    rng = random.Random(list(DECLARED).index(name))  # noqa: S311 - test data
    page = open_page(app_server, f"/{name}")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.add_init_script("window.alert = () => { window.pvHurt = true; };")
    keys = [item.key for item in PAGES[name]] + ["v", "x", "embedded"]
    # Something of ours in each, or two links may both be harmless.
    marked = "d=<img src=x onerror=alert(1)>&<script>alert(1)</script>=1&"
    refused = 0
    for number in range(EACH):
        query = marked + hostile_query(rng, keys)[:3000]
        query = query.encode("utf-8", "replace").decode()  # no address holds half a character
        if number % 2 == 0:
            query = FLAGS[(3 * list(DECLARED).index(name) + number // 2) % len(FLAGS)] + query
            page.goto(f"{app_server.url}/{name}?{query}", wait_until="commit")
            opened = page.evaluate("performance.getEntriesByType('navigation')[0].name")
        else:  # as by Back and Forward: read anew, without loading the program again
            opened = page.evaluate(
                """link => { const url = new URL(link, location.href);
                  history.pushState({}, "", url); dispatchEvent(new PopStateEvent("popstate"));
                  return url.href; }""",
                f"/{name}?n{number}=1&{query}",
            )
        wanted = expected("?" + urlsplit(opened).query, PAGES[name])
        refused += bool(wanted)
        try:
            page.wait_for_function(SAYS, arg=wanted, polling=50)
        except Error:
            assert page.evaluate(STATE)["notes"] == wanted, opened
        found = page.evaluate(STATE)
        assert found == {
            "planted": 0, "hurt": False, "errors": 0, "lost": False, "notes": wanted,
        }, opened  # fmt: skip
        if wanted:
            assert page.locator(".st-key-pv_notes").is_visible()
    assert refused == EACH
    assert not dialogs


# --- where a link leads --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "place"),
    [
        whole("/points?tab=notation", ".st-key-w_open_theory"),
        whole("/points?open=bound-packing", ".st-key-w_open_bound-packing"),
        ("/intervals?d=32#switching", ".st-key-w_open_switching"),
        *deep(
            [],
            [
                ("/points?tab=learners#theory", ".st-key-w_open_theory"),
                ("/points#numbers", ".st-key-w_open_numbers"),
                ("/intervals?open=noise", ".st-key-w_open_noise"),
                ("/points?open=recipe", ".st-key-w_open_recipe"),
            ],
        ),
    ],
)
def test_a_link_leads_to_what_it_unfolds(app_server, open_page, link, place):
    page = open_page(app_server, link)
    finished(page)
    page.wait_for_function(
        """place => { const top = document.querySelector(place)?.getBoundingClientRect().top;
          return top >= 0 && top < 0.5 * innerHeight; }""",
        arg=place,
        timeout=TIMEOUT,
    )
    if "tab=" in link:
        name = "Learners" if "learners" in link else "Symbols and words"
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize(
    "link",
    [
        whole("/points?d=32"),
        "/points?open=bound-packing&eps=0.3",
        whole("/points?open=recipe&d=none"),
    ],
)
def test_a_link_to_a_setting_and_a_refused_one_stay_at_the_top(app_server, open_page, link):
    page = open_page(app_server, link)
    finished(page)
    page.locator("[data-testid=stMain]").evaluate(
        "main => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop") == 0


@pytest.mark.whole
def test_tabs_and_opened_parts_of_the_theory_are_in_the_address(app_server, open_page):
    page = open_page(app_server, "/points")
    finished(page)
    page.locator(".st-key-w_open_theory summary").click()
    page.locator(".st-key-w_open_bound-packing summary").click()
    page.wait_for_url(re.compile(r"open=theory\.bound-packing$"))
    page.get_by_role("tab", name="Learners").click()
    page.wait_for_url(re.compile(r"tab=learners"))
    page.reload()
    finished(page)
    expect(page.locator("#learner-hash")).to_be_attached()
    page.get_by_role("tab", name="Bounds").click()
    page.wait_for_url(re.compile(r"\?v=2&open=theory\.bound-packing$"))
    expect(page.locator(".st-key-w_open_bound-packing details[open]")).to_have_count(1)
