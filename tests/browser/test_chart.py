"""Chart, shell and URL state in a real Chromium, on two small pages of their own.

The real pages compute; these only draw, so what fails here is what pages/shared/chart does.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.chromium import settled
from tests.browser.server import Server
from tests.depth import deep

SHARED = Path(__file__).parents[2] / "pages" / "shared"

COMMON = """
import streamlit as st
from pages.shared.frame import search, shell, sitemap
from pages.shared.state import controls, state
from pages.shared.chart.chart import chart
from pages.shared.chart.payload import payload
from pages.shared.state.state import Field

sitemap.PAGES = (("Start", (("One", "app.py"), ("Two", "pages/two.py"))),)
search.published = str  # there is nothing to find
D = Field(key="d", kind="integer", default=16, name="d", low=1, high=10**6,
          stops=tuple(range(1, 65)))
EPS = Field(key="eps", kind="number", default=0.5, name="epsilon", low=0.01,
            high=10, stops=(0.1, 0.2, 0.5, 1.0, 2.0))
"""

ONE = (
    COMMON
    + """
now = shell.page("One", "one", "🎯", (D, EPS))
st.title("One")
figure, beside = shell.stage()
with beside:
    d = controls.slider(D, "bits")
    eps = controls.slider(EPS, "privacy loss")
    st.button("Unrelated")
m = list(range(1, 41))
with figure:
    chart(payload(
        {"data": [{"type": "scatter", "mode": "lines", "name": name, "x": m,
                   "y": [1 - 1 / (1 + k * i / d) for i in m]}
                  for k, name in enumerate(("low", "middle", "high"), 1)],
         "layout": {"xaxis": {"title": {"text": "m"}}}},
        height=400, title="Success <b>against</b> m", summary=f"For d = {d}.",
        filename="success", caption=f"d = {d}",
        table={"m": m, "learner": ["<i>low</i>"] * 40},
    ), key="main")
st.html(f'<output id="shown">d={d} eps={eps!r}</output>')
with shell.guard():
    if d == 64:
        raise LookupError("inner detail")
st.html('<div style="height: 1500px">room to scroll</div>')
shell.footer("#theory")
"""
)

TWO = (
    COMMON
    + """
now = shell.page("Two", "two", "🎯", (D, EPS))
st.title("Two")
d = controls.slider(D, "bits")
st.html(f'<output id="shown">d={d} eps={now["eps"]!r}</output>')
shell.footer()
"""
)

SVG = ".pv-plot .main-svg"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    (folder / "pages").mkdir()
    # A package of its own, or the checkout's pages would be found first.
    (folder / "pages" / "__init__.py").touch()
    (folder / "pages" / "shared").symlink_to(SHARED)
    (folder / "pages" / "two.py").write_text(TWO, encoding="utf-8")
    (folder / "app.py").write_text(ONE, encoding="utf-8")
    return folder / "app.py"


@pytest.fixture(scope="module")
def server(demo):
    server = Server(script=demo)
    yield server
    trouble = server.stop()
    assert not trouble, trouble


@pytest.fixture
def page(open_page, server):
    page = open_page(server)
    expect(page.locator(SVG).first).to_be_visible()
    return page


def slider(page, label="bits"):
    return page.get_by_role("slider", name=label)


def shows(page, text):
    expect(page.locator("#shown")).to_have_text(text)


def drawn(page, d):
    """Wait until the figure on the screen is the one for `d`."""
    expect(page.locator(".pv-caption")).to_have_text(f"d = {d}")


def zoom(page):
    box = page.locator(".pv-plot .nsewdrag").bounding_box()
    x, y, width, height = (box[name] for name in ("x", "y", "width", "height"))
    page.mouse.move(x + 0.3 * width, y + 0.3 * height)
    page.mouse.down()
    page.mouse.move(x + 0.7 * width, y + 0.7 * height, steps=4)
    page.mouse.up()


def limits(page):
    return page.evaluate(
        "(() => { const l = document.querySelector('.pv-plot')._fullLayout;"
        " return [...l.xaxis.range, ...l.yaxis.range] })()"
    )


def hidden(page):
    return page.evaluate(
        "document.querySelector('.pv-plot')._fullData"
        ".filter(trace => trace.visible === 'legendonly').map(trace => trace.name)"
    )


@pytest.mark.whole
def test_zoom_hidden_curves_and_place_survive_many_changes(page):
    before = limits(page)
    zoom(page)
    page.wait_for_function(
        "x => document.querySelector('.pv-plot')._fullLayout.xaxis.range[0] !== x", arg=before[0]
    )
    page.locator(".pv-plot .legendtoggle").nth(1).click()
    page.wait_for_function(
        "document.querySelector('.pv-plot')._fullData.some(t => t.visible === 'legendonly')"
    )
    zoomed = limits(page)
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 150)")
    page.evaluate("document.querySelector('.pv-plot').marked = true")
    slider(page).evaluate("input => input.focus({ preventScroll: true })")
    for d in range(17, deep(29, 57)):
        page.keyboard.press("ArrowRight")
        drawn(page, d)
    assert page.evaluate("document.querySelector('.pv-plot').marked")
    assert limits(page) == zoomed
    assert hidden(page) == ["middle"]
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop") == 150

    page.get_by_role("button", name="Reset zoom").click()
    page.wait_for_function(
        "x => document.querySelector('.pv-plot')._fullLayout.xaxis.range[0] !== x", arg=zoomed[0]
    )
    assert hidden(page) == ["middle"]


def test_ten_fast_key_presses_lose_none(page):
    slider(page).focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Unrelated").click()  # carries a query string that is old
    shows(page, "d=26 eps=0.5")
    drawn(page, 26)
    page.wait_for_url("**/?v=2&d=26")
    settled(page)
    shows(page, "d=26 eps=0.5")
    assert slider(page).get_attribute("aria-valuetext") in {"26", None}


def test_a_link_is_honoured_exactly_though_it_is_no_stop(open_page, server):
    page = open_page(server, "/?v=2&d=16&eps=0.37")
    shows(page, "d=16 eps=0.37")
    expect(page.get_by_test_id("stSlider").nth(1)).to_contain_text("0.37")
    slider(page, "privacy loss").focus()
    page.keyboard.press("ArrowRight")
    shows(page, "d=16 eps=0.5")
    page.keyboard.press("ArrowLeft")
    shows(page, "d=16 eps=0.37")
    page.wait_for_url("**/?v=2&eps=0.37")


def test_a_bad_link_is_told_on_as_plain_text_until_dismissed(open_page, server):
    page = open_page(server, "/?v=1&d=%3Cimg%20src=x%3E&zz=**bold**%20%5Ba%5D(http://b.c)&eps=-1")
    notes = page.locator(".st-key-pv_notes")
    expect(notes.locator("li")).to_have_text(
        [
            "d must be a whole number from 1 to 1000000; got “<img src=x>”. 16, the default, is used instead.",
            "“zz” is not a parameter here; it was left out.",
            "epsilon (eps) must be a number from 0.01 to 10; got “-1”. 0.01, the nearest, is used instead.",
        ]
    )
    assert notes.locator("img, a, b, strong >> text=bold").count() == 0
    shows(page, "d=16 eps=0.01")
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    shows(page, "d=17 eps=0.01")
    expect(notes).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(notes).to_have_count(0)


def stood(page):
    """Wait until the setting has stood long enough for a step of Back."""
    page.locator("html[data-pv-stands]").wait_for(state="attached")


def test_back_and_forward_walk_through_the_states_that_stood(page):
    slider(page).focus()
    for d in (17, 18):
        stood(page)
        page.keyboard.press("ArrowRight")
        shows(page, f"d={d} eps=0.5")
        page.wait_for_url(f"**/?v=2&d={d}")
        settled(page)
    stood(page)
    # As Streamlit does it, but at once: of three the last stands, and it is one step.
    steps = """() => { const before = history.length;
      for (const d of [19, 20, 21]) history.pushState({}, "", `?v=2&d=${d}&x=1`);
      const to = document.querySelector("[data-testid=stSidebar] a[href*=two]");
      return [history.length - before, location.search, new URL(to.href).search]; }"""
    assert page.evaluate(steps) == [1, "?v=2&d=21&x=1", "?v=2&d=21"]
    page.go_back()
    shows(page, "d=18 eps=0.5")
    page.go_back()
    shows(page, "d=17 eps=0.5")
    page.go_back()
    shows(page, "d=16 eps=0.5")
    page.go_forward()
    shows(page, "d=17 eps=0.5")
    drawn(page, 17)


def test_values_go_along_to_another_page_and_back(page):
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?v=2&d=17")
    settled(page)
    page.get_by_role("link", name="Two").click()
    expect(page.get_by_role("heading", name="Two")).to_be_visible()
    shows(page, "d=17 eps=0.5")
    page.wait_for_url("**/two?v=2&d=17")
    settled(page)
    slider(page).focus()
    stood(page)
    page.keyboard.press("ArrowRight")
    shows(page, "d=18 eps=0.5")
    page.wait_for_url("**/two?v=2&d=18")
    settled(page)
    page.go_back()
    shows(page, "d=17 eps=0.5")
    settled(page)
    page.go_back()
    expect(page.get_by_role("heading", name="One")).to_be_visible()
    shows(page, "d=17 eps=0.5")
    drawn(page, 17)


def test_a_value_from_a_link_is_on_the_slider_of_the_next_page_too(open_page, server):
    page = open_page(server, "/?v=1&d=33")
    expect(page.get_by_test_id("stSlider").first).to_contain_text("33")
    page.get_by_role("link", name="Two").click()
    expect(page.get_by_role("heading", name="Two")).to_be_visible()
    expect(page.get_by_test_id("stSlider").first).to_contain_text("33")
    settled(page)


@pytest.mark.whole
def test_a_deep_link_may_be_the_first_request_of_a_server(fresh_server, demo, browser):
    # Not open_page: Streamlit's front end looks for its server below the page's path first, and
    # the browser prints two 404 (two/_stcore/health, two/_stcore/host-config) before it is right.
    page = chromium.profile(browser).new_page()
    page.goto(fresh_server(script=demo).url + "/two?v=1&d=9&eps=0.25")
    expect(page.get_by_role("heading", name="Two")).to_be_visible()
    shows(page, "d=9 eps=0.25")
    page.get_by_role("link", name="One").click()
    drawn(page, 9)
    expect(page.locator(SVG).first).to_be_visible()
    page.context.close()


def test_plotly_comes_from_this_server_once(open_page, server):
    page = open_page(server)
    expect(page.locator(SVG).first).to_be_visible()
    fetched = page.evaluate("performance.getEntriesByType('resource').map(r => r.name)")
    programs = [url for url in fetched if "/app/static/" in url]
    assert sorted(re.sub(r".*/|-[^/]*", "", url) for url in set(programs)) == ["chart", "plotly"]
    assert page.locator("script[src*='/app/static/plotly']").count() == 1


def test_the_figure_has_a_name_a_summary_and_a_table(page):
    plot = page.get_by_role("img", name="Success <b>against</b> m. For d = 16.")
    expect(plot).to_be_visible()
    page.get_by_role("button", name="Show the data as a table").click()
    table = page.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(41)
    expect(table.get_by_role("cell", name="<i>low</i>").first).to_be_visible()  # text, no markup
    page.get_by_role("button", name="Hide the table").click()
    expect(table).to_be_hidden()


def test_downloads(page):
    saved = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as info:
            page.get_by_role("button", name=f"Download as {kind}").click()
        assert info.value.suggested_filename == f"success.{kind.lower()}"
        saved[kind] = Path(info.value.path()).read_bytes()
    assert saved["PNG"][:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(saved["PNG"][16:20], "big") == 1920
    assert b"d = 16" in saved["SVG"]


def test_full_screen_and_back(page):
    def size():
        return page.evaluate("document.querySelector('.pv-plot')._fullLayout.font.size")

    normal = size()
    page.get_by_role("button", name="Full screen").click()
    leave = page.get_by_role("button", name="Leave full screen")
    expect(leave).to_be_visible()
    page.wait_for_function(
        "x => document.querySelector('.pv-plot')._fullLayout.font.size > x", arg=normal
    )
    leave.click()
    page.wait_for_function(
        "x => document.querySelector('.pv-plot')._fullLayout.font.size === x", arg=normal
    )


@pytest.mark.whole
def test_an_error_shows_a_number_and_nothing_of_its_inside(demo, browser):
    # A context of its own and a server stopped by hand: this one is meant to log a traceback.
    server = Server(script=demo)
    context = chromium.profile(browser)
    page = context.new_page()
    page.goto(server.url + "/?v=1&d=64")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("could not be computed")
    number = re.search(r"error ([0-9a-f]{8})", alert.inner_text())[1]
    assert "inner detail" not in page.content()
    context.close()
    log = server.stop()
    assert number in log
    assert "inner detail" in log


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(390, "dark"), (1280, "light"), *deep([], [(390, "light"), (1280, "dark")])],
)
def test_nothing_overflows_and_text_takes_the_theme(open_page, server, width, scheme):
    page = open_page(server, viewport={"width": width, "height": 800}, color_scheme=scheme)
    expect(page.locator(SVG).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("[data-testid=stMain]").evaluate("m => m.scrollWidth <= m.clientWidth")
    colour = page.evaluate("document.querySelector('.pv-plot')._fullLayout.font.color")
    assert colour == {"light": "#1b2433", "dark": "#e6ebf3"}[scheme]


def test_on_a_phone_the_figure_stays_in_view_while_the_controls_scroll(open_page, server):
    page = open_page(server, viewport={"width": 390, "height": 844}, has_touch=True)
    expect(page.locator(SVG).first).to_be_visible()
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 120)")
    box = page.locator(".pv-plot").bounding_box()
    assert box["y"] >= 0
    assert box["height"] <= 0.5 * 844
    legend = page.locator(".pv-plot .legend").bounding_box()
    axis = page.locator(".pv-plot .xaxislayer-above").bounding_box()
    assert legend["y"] >= axis["y"]
