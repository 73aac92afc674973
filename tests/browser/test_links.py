"""Links in a real Chromium: hostile ones, shared ones on another machine, and what survives.

A picture is everything that a page's figures hold: the bytes of every array, layout, title,
caption, summary and table.
"""

import json
import random
import re
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Error, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.shared.state.link import NOTES, parse
from tests.browser import chromium
from tests.browser.chromium import TIMEOUT, settled
from tests.browser.server import Server
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

# The figures of a page as text, one JSON object a figure; empty until all of them are drawn.
PICTURE = """() => {
  const plain = (value) => {
    if (value && value._inputArray) value = value._inputArray;
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return value.constructor.name + [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
    }
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).filter((name) => name[0] !== "_").sort()
      .map((name) => [name, plain(value[name])]));
  };
  const charts = [...document.querySelectorAll(".pv-chart")];
  if (charts.some((chart) => !chart.querySelector(".js-plotly-plot .main-svg"))) return "";
  return charts.map((chart) => {
    const button = chart.querySelector("[data-action=table]");
    if (button.getAttribute("aria-pressed") !== "true" && !button.hidden) button.click();
    const plot = chart.querySelector(".js-plotly-plot");
    const words = [".pv-title", ".pv-caption", "figcaption", ".pv-scroll"].map(
      (name) => chart.querySelector(name).textContent);
    return JSON.stringify([words, plain(plot.data), plain(plot.layout)]);
  }).join("\\n");
}"""
# Whether a page's figures are all drawn: cheap, where reading them takes a good part of a second.
DRAWN = """() => { const charts = [...document.querySelectorAll(".pv-chart")];
  const fits = (plot) => plot?.querySelector(".main-svg")
    && Math.abs(plot._fullLayout.width - plot.clientWidth) < 2; // the page may have been narrower
  // Without its style sheet, which comes with its elements, it is narrower too.
  const styled = [...document.querySelectorAll("style")].some(
    ({ textContent }) => textContent.includes("stMainBlockContainer"));
  return styled && charts.length && charts.every((one) => fits(one.querySelector(".js-plotly-plot"))
    && one.dataset.frame === undefined && one.dataset.sketched === undefined); }"""
# Wait until a message of this kind was seen, by a function of the test's.
SEEN = "async (kind) => { while (!(await seen(kind))) await new Promise(requestAnimationFrame); }"
OFTEN = 200  # milliseconds between two readings of a picture
BUSY = ".st-key-pv_stop"  # a simulation that goes on has this button
PART = re.compile(r"[\d,]+ of [\d,]+ simulated")  # and its figure, which may be there first, this


def finished(page):
    """Wait until the page is drawn and no simulation runs."""
    settled(page)
    expect(page.locator(BUSY)).to_have_count(0, timeout=TIMEOUT)
    expect(page.locator(".st-key-main", has_text=PART)).to_have_count(0, timeout=TIMEOUT)
    settled(page)
    page.wait_for_function(DRAWN, timeout=TIMEOUT)


def picture(page):
    finished(page)
    return page.evaluate(PICTURE)


def differences(one, other, path=""):
    """Return where two pictures differ, and how: whole they are too long to read."""
    if not path:
        one, other = (json.loads(f"[{','.join(text.splitlines())}]") for text in (one, other))
    pairs = []
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(name, one.get(name), other.get(name)) for name in {*one, *other}]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(number, *pair) for number, pair in enumerate(zip(one, other, strict=True))]
    elif one != other:
        a, b = str(one), str(other)
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
        return [f"{path} at {at}: {a[at : at + 40]} | {b[at : at + 40]}"]
    found = [differences(a, b, f"{path}/{name}") for name, a, b in pairs if a != b]
    return [line for lines in found for line in lines]


def shows(page, wanted):
    """Wait until a page shows exactly this picture; say where it differs if it never does."""
    finished(page)
    try:
        page.wait_for_function(f"wanted => ({PICTURE})() === wanted", arg=wanted, polling=OFTEN)
    except Error:
        assert not differences(page.evaluate(PICTURE), wanted)


def agree(page, other):
    """Wait until two pages show the same picture; say where they differ if they never do."""
    for _ in range(40):
        wanted = picture(page)  # anew: what was read may have been half redrawn
        finished(other)
        try:
            other.wait_for_function(
                f"wanted => ({PICTURE})() === wanted",
                arg=wanted,
                polling=OFTEN,
                timeout=TIMEOUT / 40,
            )
        except Error:
            continue
        return
    assert not differences(picture(other), picture(page))


def changed(page, before):
    """Wait until the page shows another picture, and return it."""
    page.wait_for_function(
        f"before => {{ const now = ({PICTURE})(); return now && now !== before; }}",
        arg=before,
        polling=OFTEN,
        timeout=TIMEOUT,
    )
    return picture(page)


def press(page, name, key="ArrowRight"):
    """Move a slider by one stop."""
    page.get_by_role("slider", name=re.compile(name)).first.focus()
    page.keyboard.press(key)


def choose(page, label, option):
    """Choose from a drop-down list."""
    page.get_by_role("combobox", name=re.compile(label)).first.click()
    page.get_by_role("option", name=option).first.click()


def push(page, name):
    page.get_by_role("button", name=name).click()


def unfold(page, label):
    page.locator("summary", has_text=label).first.click()


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
    plain = [(f"/{name}", ((lambda page: press(page, "d:"), "d=96"),))]
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


@pytest.mark.whole
@pytest.mark.parametrize("link", ["/?v=1&d=96&eps=2", *deep([], ["/lectures?v=1&d=96&eps=2"])])
def test_pages_without_figures_keep_the_settings_of_their_link(app_server, open_page, link):
    page = open_page(app_server, link)
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    assert page.url == app_server.url + link
    page.reload()
    settled(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Points").click()
    page.wait_for_url(re.compile(r"/points\?v=1&d=96&eps=2$"))
    finished(page)
    slider = page.get_by_role("slider", name=re.compile("ε:")).first
    expect(slider).to_have_attribute("aria-valuetext", "2")


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


# --- what survives -------------------------------------------------------------------------------


@pytest.mark.whole
def test_fast_clicks_end_where_the_address_and_the_figure_say(app_server, open_page):
    page = open_page(app_server, "/points")
    before = picture(page)
    slider = page.get_by_role("slider", name=re.compile("d:")).first
    slider.focus()
    for key in ("ArrowRight",) * 6 + ("ArrowLeft",) * 2:
        page.keyboard.press(key)
    page.wait_for_url(re.compile(r"d=256(&|$)"))
    after = changed(page, before)
    expect(slider).to_have_attribute("aria-valuetext", "256")
    page.reload()
    shows(page, after)
    expect(page.get_by_role("slider", name=re.compile("d:")).first).to_have_attribute(
        "aria-valuetext", "256"
    )


def test_settings_survive_changing_pages_and_a_reload_on_the_way(app_server, open_page):
    page = open_page(app_server, "/points?d=96&tab=learners&learners=hash&open=recipe")
    before = picture(page)
    side = page.get_by_test_id("stSidebar")
    for name, ending in (
        ("Release", "release"), ("Overview", ""), ("Lectures", "lectures"), ("Intervals", "intervals"),
    ):  # fmt: skip
        link = "Data release" if name == "Release" else name
        side.get_by_role("link", name=link, exact=True).click()
        page.wait_for_url(f"{app_server.url}/{ending}?v=1&d=96")
        settled(page)
        expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    side.get_by_role("link", name="Points", exact=True).click()
    page.wait_for_url(re.compile(r"/points\?.*learners=hash"))
    shows(page, before)
    assert "tab=learners" in page.url
    assert "open=recipe" in page.url


@pytest.mark.whole
def test_back_and_forward_bring_the_settings_back(app_server, open_page):
    page = open_page(app_server, "/points?eps=1")
    shown = [picture(page)]
    page.get_by_role("slider", name=re.compile("d:")).first.focus()
    # The strip of the slider is there, so that a change is a message of its own.
    page.locator('.pv-chart[data-live~="d"]').wait_for(timeout=TIMEOUT)
    for stop in (96, 128):
        page.locator("html[data-pv-stands]").wait_for(state="attached")
        press(page, "d:")
        page.wait_for_url(re.compile(f"d={stop}"))
        shown.append(changed(page, shown[-1]))
    # Only the figure was drawn again; the links to other pages know it all the same.
    intervals = page.get_by_test_id("stSidebar").get_by_role("link", name="Intervals", exact=True)
    expect(intervals).to_have_attribute("href", re.compile(r"/intervals\?v=1&d=128&eps=1$"))
    page.get_by_test_id("stSidebar").get_by_role("link", name="Intervals", exact=True).click()
    page.wait_for_url(re.compile(r"/intervals\?.*d=128"))
    finished(page)
    for wanted, address in ((2, "d=128"), (1, "d=96")):
        page.go_back()
        page.wait_for_url(re.compile(rf"/points\?.*{address}"))
        shows(page, shown[wanted])
    page.go_forward()
    page.wait_for_url(re.compile(r"/points\?.*d=128"))
    shows(page, shown[2])
    page.go_back()
    page.go_back()
    page.wait_for_url(re.compile(r"/points\?v=1&eps=1$"))
    shows(page, shown[0])


@pytest.mark.whole
def test_a_connection_that_is_cut_comes_back_with_the_settings(browser, app_server):
    context = chromium.profile(browser)
    sockets = []

    def through(route):
        route.connect_to_server()
        sockets.append(route)

    context.route_web_socket(re.compile("/_stcore/stream"), through)
    page = context.new_page()
    page.goto(f"{app_server.url}/points?learners=hash.exponential")
    before = picture(page)
    press(page, "d:")
    page.wait_for_url(re.compile("d=96"))
    after = changed(page, before)
    link = page.url
    sockets[-1].close(code=1001, reason="cut")
    expect(page.locator("#pv-connection")).to_have_text("The connection is back.")
    shows(page, after)
    press(page, "ε:")
    page.wait_for_url(re.compile("d=96.*eps=0.7"))
    changed(page, after)
    assert link.split("&")[1] in page.url
    context.close()


@pytest.mark.parametrize("held", ["asked", whole("said")])
def test_a_page_that_is_being_left_asks_for_nothing_any_more(browser, app_server, held):
    """A slider is moved after a click on a link, on a line on which one direction is slow."""
    seen, late, holding = set(), [], False
    context = chromium.profile(browser)

    def through(route):
        def hear(name, send, message):
            if name == "said":
                seen.add(ForwardMsg.FromString(message).WhichOneof("type"))
            else:
                fragment = BackMsg.FromString(message).rerun_script.fragment_id
                seen.add("change" if fragment else "page")
            if holding and name == held:
                late.append((send, message))
            else:
                send(message)

        server = route.connect_to_server()
        route.on_message(partial(hear, "asked", server.send))
        server.on_message(partial(hear, "said", route.send))

    context.route_web_socket(re.compile("/_stcore/stream"), through)
    context.expose_function("seen", lambda kind: kind in seen)
    page = context.new_page()
    watch = chromium.Watch(page, app_server.url)
    page.goto(f"{app_server.url}/points")
    finished(page)
    seen.clear()
    holding = True
    page.get_by_test_id("stSidebar").get_by_role("link", name="Intervals", exact=True).click()
    page.evaluate(SEEN, "page" if held == "asked" else "script_finished")
    seen.discard("change")
    press(page, "d:")
    page.evaluate(SEEN, "change")
    for send, message in late:
        send(message)
    holding = False
    page.wait_for_url(re.compile("/intervals"))
    finished(page)
    press(page, "d:")
    page.wait_for_url(re.compile(r"/intervals\?.*d=96"))
    finished(page)
    watch.look(page)
    assert not watch.complaints()
    context.close()


# --- where a link leads --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("/points?tab=notation", "#theory"),
        whole("/points?open=bound-packing", ".st-key-w_open_bound-packing"),
        whole("/intervals?d=32#switching", "#switching"),
        *deep(
            [],
            [
                ("/points?tab=learners#theory", "#theory"),
                ("/intervals?open=noise", "#noise"),
                ("/points?open=recipe", "#take-away"),
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


def test_a_plain_link_and_a_refused_one_stay_at_the_top(app_server, open_page):
    for link in ("/points?d=32", "/points?open=recipe&d=none"):
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
    page.locator(".st-key-w_open_bound-packing summary").click()
    page.wait_for_url(re.compile(r"open=bound-packing$"))
    page.get_by_role("tab", name="Learners").click()
    page.wait_for_url(re.compile(r"tab=learners"))
    page.locator(".st-key-w_open_learner-hash summary").click()
    page.wait_for_url(re.compile(r"open=bound-packing\.learner-hash"))
    page.reload()
    finished(page)
    expect(page.locator(".st-key-w_open_learner-hash details[open]")).to_have_count(1)
    page.get_by_role("tab", name="Bounds").click()
    page.wait_for_url(re.compile(r"\?v=1&open=bound-packing\.learner-hash"))
    expect(page.locator(".st-key-w_open_bound-packing details[open]")).to_have_count(1)
