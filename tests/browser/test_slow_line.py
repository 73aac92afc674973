"""What a visitor on a slow line sees: something true at once, and whether the line is there."""

import contextlib
import os
import re
import signal
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.chromium import settled
from tests.browser.live import slider, track
from tests.load.host import Host

STILL = "#pv-first .pv-still"
LOST, BACK = re.compile("connection is lost"), re.compile("connection is back")


@pytest.fixture(scope="module")
def host():
    with contextlib.closing(Host("serve")) as host:
        host.start()
        yield host
        assert not host.trouble()


@pytest.fixture(scope="module")
def drawn(host):
    """Wait for the stills, computed after the server's visit to itself: each answer takes a while."""
    end = time.monotonic() + 120
    there = False
    while not there and time.monotonic() < end:
        with urllib.request.urlopen(host.url + "/points", timeout=60) as answer:  # noqa: S310 - loopback
            there = b'id="pv-first"' in answer.read()
    assert there
    return host


@pytest.mark.whole
def test_the_first_picture_is_there_before_any_program_runs(drawn, browser):
    context = chromium.profile(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(drawn.url + "/points?d=16", wait_until="commit")
    expect(page.locator(STILL)).to_be_visible()
    expect(page.locator("#pv-first h1")).to_have_text("Learning one point privately")
    expect(page.get_by_text("Default setting: POINT_d").first).to_be_visible()
    expect(page.locator("#pv-first noscript")).to_be_visible()
    expect(page.locator(".pv-first-wait")).to_be_hidden()
    curve = page.locator(f'{STILL} path[data-of="exponential"]').bounding_box()
    area = page.locator(f"{STILL} .pv-still-area").bounding_box()
    assert curve["width"] == pytest.approx(area["width"], rel=0.02)
    context.close()


@pytest.mark.whole
def test_the_live_page_takes_its_place(drawn, open_page):
    page = open_page(drawn, "/points?d=16")
    page.locator(".pv-plot .main-svg").first.wait_for()
    expect(page.locator("#pv-first")).to_have_count(0)
    expect(page.locator("[data-testid=stIconMaterial]").first).to_be_attached()
    page.wait_for_function("document.fonts.check('16px \"Material Symbols Rounded\"')")
    # Until then the names of icons, which are words, are not seen; now they are drawn.
    icon = page.locator("[data-testid=stMain] [data-testid=stIconMaterial]").first
    expect(icon).to_have_css("visibility", "visible")
    page.evaluate("document.documentElement.removeAttribute('data-pv-icons')")
    expect(icon).to_have_css("visibility", "hidden")
    # Every program that was fetched had been named from the start: none was found late.
    late = page.evaluate(
        """async () => {
          const text = await (await fetch(location.href)).text();
          const sent = new DOMParser().parseFromString(text, "text/html");
          const named = [...sent.querySelectorAll("link[href], script[src]")]
            .map((node) => new URL(node.getAttribute("href") ?? node.getAttribute("src"), location).href);
          return performance.getEntriesByType("resource").map(({ name }) => name)
            .filter((name) => /^http.*\\.(js|css)$/.test(name) && !named.includes(name));
        }"""
    )
    assert late == []
    fonts = page.evaluate(
        "performance.getEntriesByType('resource').map(({name}) => name)"
        ".filter((name) => /Source(Sans|Serif|Code)/.test(name))"
    )
    assert fonts == []


@pytest.mark.whole
def test_the_still_stays_until_there_is_something_behind_it(drawn, browser):
    context = chromium.profile(browser)
    page = context.new_page()
    page.clock.install()
    page.route_web_socket("**/_stcore/stream", lambda _: None)  # a full hall: no answer yet
    page.goto(drawn.url + "/points", wait_until="commit")
    page.wait_for_selector("[data-testid=stApp]")
    for _ in range(3):
        page.clock.fast_forward(30_000)
        expect(page.locator(STILL)).to_be_visible()
    inside = (
        "document.elementFromPoint(innerWidth / 2, innerHeight / 2).closest('#pv-first') !== null"
    )
    assert page.evaluate(inside)
    context.close()


@pytest.mark.whole
def test_first_words_stand_where_the_page_will_have_them(drawn, open_page, browser):
    context = chromium.profile(browser, java_script_enabled=False)
    before = context.new_page()
    before.goto(drawn.url + "/labels", wait_until="commit")
    title = before.locator("#pv-first h1")
    expect(title).to_have_text("Few labels, many people")
    expect(before.get_by_text("on its way")).to_be_hidden()  # nothing is, without a program
    page = open_page(drawn, "/labels")
    expect(page.locator("#pv-first")).to_have_count(0)
    box = title.bounding_box()
    page.wait_for_function(  # once its style sheet is there
        """({ x, y }) => { const box = document.querySelector("[data-testid=stMain] h1").getBoundingClientRect();
          return Math.abs(box.x - x) <= 2 && Math.abs(box.y - y) <= 2; }""",
        arg=box,
    )
    context.close()


@pytest.mark.whole
def test_no_hall_sees_another_setting_or_the_answer(drawn, browser):
    context = chromium.profile(browser)
    page = context.new_page()
    for query in ("?present=1", "?predict=1"):
        page.goto(drawn.url + "/points" + query, wait_until="commit")
        page.wait_for_selector("#root", state="attached")
        assert page.locator("#pv-first").count() == 0
    context.close()


def test_a_lost_connection_is_said_and_so_is_its_return(app_server, open_page):
    page = open_page(app_server, "/?embed=true", locale="en-GB")  # a profile of its own
    said = page.locator("#pv-connection")
    expect(said).to_have_attribute("role", "status")
    expect(said).to_have_text("")
    page.context.set_offline(True)
    try:
        expect(said).to_have_text(LOST, timeout=chromium.TIMEOUT)
    finally:
        page.context.set_offline(False)
    expect(said).to_have_text(BACK)
    expect(said).to_have_text("")
    settled(page)


@pytest.mark.whole
def test_a_silent_line_is_noticed_by_whoever_uses_it(host, open_page):
    # Nothing is closed and the browser is online: only answers do not come.
    page = open_page(host, "/points", locale="en-GB")
    said = page.locator("#pv-connection")
    slider = page.locator(".st-key-w_d input[type=range]")
    os.kill(host.process.pid, signal.SIGSTOP)
    try:
        slider.press("ArrowRight")
        expect(said).to_have_text(LOST)
    finally:
        os.kill(host.process.pid, signal.SIGCONT)
    expect(said).to_have_text(BACK)
    page.wait_for_url("**/points?*d=96*")


# Its halves are in the usual run: tests/pages/test_live.py asks the server, test_live.py the browser.
@pytest.mark.whole
def test_a_click_is_answered_by_the_figure_of_its_stop_alone(host, open_page):
    page = open_page(host, "/release")
    caption = page.locator(".st-key-main .pv-caption")
    expect(page.locator(".st-key-main .main-svg").first).to_be_visible()
    settled(page)
    # Strips of the first two sliders are asked for before anybody touches them.
    slider(page, "delta").evaluate("node => node.scrollIntoView({ block: 'center' })")
    left, width, _, y = track(page, "delta")
    with page.expect_response("**/app/stop/**") as answer:
        page.mouse.click(left + 0.9 * width, y)
    assert answer.value.status == 200
    figure = answer.value.json()
    page.wait_for_url(re.compile(r"[?&]delta="))
    settled(page)
    expect(caption).to_have_text(figure["caption"])
    # What the server sends for the page is the same.
    there = open_page(host, page.url.removeprefix(host.url))
    expect(there.locator(".st-key-main .pv-caption")).to_have_text(figure["caption"])
    assert figure["caption"].count("δ = ") == 1
