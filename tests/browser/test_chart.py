"""Chart, shell and URL state in a real Chromium, on small pages (small.py).

The real pages compute; these only draw, so what fails here is what pages/shared/chart does.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.chromium import settled
from tests.browser.server import Server
from tests.browser.small import written
from tests.depth import deep

SVG = ".pv-plot .main-svg"


@pytest.fixture
def page(open_page, small):
    page = open_page(small)
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


def ten_fast_key_presses_lose_none(page):
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


def stood(page):
    """Wait until the setting has stood long enough for a step of Back."""
    page.locator("html[data-pv-stands]").wait_for(state="attached")


def test_values_go_along_to_other_pages_and_back_through_the_states_that_stood(open_page, small):
    page = open_page(small, "/?v=2&d=33")
    slider(page).focus()
    for d in (34, 35):
        stood(page)
        page.keyboard.press("ArrowRight")
        shows(page, f"d={d} eps=0.5")
        page.wait_for_url(f"**/?v=2&d={d}")
        settled(page)
    stood(page)
    # As Streamlit does it, but at once: of three the last stands, and it is one step.
    steps = """() => { const before = history.length;
      for (const d of [36, 37, 38]) history.pushState({}, "", `?v=2&d=${d}&x=1`);
      const to = document.querySelector("[data-testid=stSidebar] a[href*=two]");
      return [history.length - before, location.search, new URL(to.href).search]; }"""
    assert page.evaluate(steps) == [1, "?v=2&d=38&x=1", "?v=2&d=38"]
    for d in (35, 34, 33):
        page.go_back()
        shows(page, f"d={d} eps=0.5")
    page.go_forward()
    shows(page, "d=34 eps=0.5")
    drawn(page, 34)
    settled(page)
    page.get_by_role("link", name="Two").click()
    expect(page.get_by_role("heading", name="Two")).to_be_visible()
    shows(page, "d=34 eps=0.5")
    expect(page.get_by_test_id("stSlider").first).to_contain_text("34")
    page.wait_for_url("**/two?v=2&d=34")
    settled(page)
    slider(page).focus()
    stood(page)
    page.keyboard.press("ArrowRight")
    shows(page, "d=35 eps=0.5")
    page.wait_for_url("**/two?v=2&d=35")
    settled(page)
    page.go_back()
    shows(page, "d=34 eps=0.5")
    settled(page)
    page.go_back()
    expect(page.get_by_role("heading", name="One")).to_be_visible()
    shows(page, "d=34 eps=0.5")
    drawn(page, 34)


@pytest.mark.whole
def test_a_deep_link_may_be_the_first_request_of_a_server(fresh_server, tmp_path, browser):
    # Not open_page: Streamlit's front end looks for its server below the page's path first, and
    # the browser prints two 404 (two/_stcore/health, two/_stcore/host-config) before it is right.
    page = chromium.profile(browser).new_page()
    page.goto(fresh_server(script=written(tmp_path)).url + "/two?v=2&d=9&eps=0.25")
    expect(page.get_by_role("heading", name="Two")).to_be_visible()
    shows(page, "d=9 eps=0.25")
    page.get_by_role("link", name="One").click()
    drawn(page, 9)
    expect(page.locator(SVG).first).to_be_visible()
    page.context.close()


def overflows(page):
    """Tell whether something of the page lies beside the screen."""
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return wide or page.locator("[data-testid=stMain]").evaluate(
        "m => m.scrollWidth > m.clientWidth"
    )


def text(page):
    return page.evaluate("document.querySelector('.pv-plot')._fullLayout.font")


def test_a_figure_is_read_saved_and_enlarged_and_follows_fast_keys(page):
    # Plotly comes from this server, once.
    fetched = page.evaluate("performance.getEntriesByType('resource').map(r => r.name)")
    programs = [url for url in fetched if "/app/static/" in url]
    assert sorted(re.sub(r".*/|-[^/]*", "", url) for url in set(programs)) == ["chart", "plotly"]
    assert page.locator("script[src*='/app/static/plotly']").count() == 1
    normal = text(page)
    assert normal["color"] == "#1b2433"
    assert not overflows(page)
    # It has a name, a summary and a table.
    expect(page.get_by_role("img", name="Success <b>against</b> m. For d = 16.")).to_be_visible()
    page.get_by_role("button", name="Show the data as a table").click()
    table = page.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(41)
    expect(table.get_by_role("cell", name="<i>low</i>").first).to_be_visible()  # text, no markup
    page.get_by_role("button", name="Hide the table").click()
    expect(table).to_be_hidden()
    saved = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as info:
            page.get_by_role("button", name=f"Download as {kind}").click()
        assert info.value.suggested_filename == f"success.{kind.lower()}"
        saved[kind] = Path(info.value.path()).read_bytes()
    assert saved["PNG"][:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(saved["PNG"][16:20], "big") == 1920
    assert b"d = 16" in saved["SVG"]
    page.get_by_role("button", name="Full screen").click()
    leave = page.get_by_role("button", name="Leave full screen")
    expect(leave).to_be_visible()
    size = "document.querySelector('.pv-plot')._fullLayout.font.size"
    page.wait_for_function(f"normal => {size} > normal", arg=normal["size"])
    leave.click()
    page.wait_for_function(f"normal => {size} === normal", arg=normal["size"])
    ten_fast_key_presses_lose_none(page)


@pytest.mark.parametrize("scheme", ["dark", *deep([], ["light"])])
def test_on_a_phone_the_figure_stays_in_view_while_the_controls_scroll(open_page, small, scheme):
    page = open_page(small, viewport={"width": 390, "height": 844}, color_scheme=scheme, touch=True)
    expect(page.locator(SVG).first).to_be_visible()
    assert not overflows(page)
    assert text(page)["color"] == {"light": "#1b2433", "dark": "#e6ebf3"}[scheme]
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 120)")
    box = page.locator(".pv-plot").bounding_box()
    assert box["y"] >= 0
    assert box["height"] <= 0.5 * 844
    legend = page.locator(".pv-plot .legend").bounding_box()
    axis = page.locator(".pv-plot .xaxislayer-above").bounding_box()
    assert legend["y"] >= axis["y"]


@pytest.mark.whole
def test_an_error_shows_a_number_and_nothing_of_its_inside(tmp_path, browser):
    # A context of its own and a server stopped by hand: this one is meant to log a traceback.
    server = Server(script=written(tmp_path))
    context = chromium.profile(browser)
    page = context.new_page()
    page.goto(server.url + "/?v=2&d=64")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("could not be computed")
    number = re.search(r"error ([0-9a-f]{8})", alert.inner_text())[1]
    assert "inner detail" not in page.content()
    context.close()
    log = server.stop()
    assert number in log
    assert "inner detail" in log
