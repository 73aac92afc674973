"""Strips of live sliders: asked for ahead, outdated, or not there yet when a slider is clicked."""

import fcntl
import json
import re

import pytest
from playwright.sync_api import expect

from pages.shared.chart.payload import payload
from tests.browser.live import WATCH, served, shows, slider, strip, touch, track


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("live")


@pytest.fixture(scope="module")
def server(folder):
    yield from served(folder)


def test_a_server_with_little_to_do_is_asked_before_anybody_touches(open_page, server):
    page = open_page(server, "/?k=7")
    strip(page, "d")
    strip(page, "k")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
    )
    shows(page, "d = 16, k = 7")
    # A move makes the other strip old; it is asked for anew.
    slider(page, "d").press("ArrowRight")
    shows(page, "d = 17, k = 7")
    page.wait_for_url(re.compile("d=17"))
    strip(page, "k")


def test_a_strip_of_another_setting_is_never_drawn(open_page, server):
    page = open_page(server)
    touch(page, "d")
    touch(page, "k")
    page.keyboard.press("ArrowRight")
    shows(page, "d = 16, k = 3")
    expect(page.locator("#shown")).to_have_text("d=16 k=3")
    touch(page, "d")  # asks again: the strip it had was of k = 2
    page.keyboard.press("ArrowRight")
    shows(page, "d = 17, k = 3")
    # And the strip of d outlives the moves of d.
    expect(page.locator("#shown")).to_have_text("d=17 k=3")
    expect(page.locator(".pv-chart")).to_have_attribute("data-live", "d")


def test_a_figure_that_follows_nothing_forgets_what_it_could_show(open_page, server):
    page = open_page(server)
    touch(page, "d")
    slider(page, "m").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pv-chart")).not_to_have_attribute("data-live", re.compile("."))
    slider(page, "d").focus()
    page.keyboard.press("ArrowRight")
    shows(page, "d = 17, k = 2")  # the server's answer
    expect(page.locator(".pv-chart")).not_to_have_attribute("data-live", re.compile("."))


@pytest.fixture
def alone(open_page, server, folder):
    """Open a page whose server has a figure of single stops, or none; return it and what is asked.

    It does not run while the third, a file, is locked.
    """

    def opened(figure):
        page, asked = open_page(server, "/?k=6"), []

        def answer(route):
            asked.append(route.request.url.rpartition("/")[2])
            route.fulfill(json=figure, status=200) if figure else route.fulfill(status=204)

        page.route("**/app/stop/**", answer)
        expect(page.locator(".pv-plot .main-svg").first).to_be_visible()
        expect(slider(page, "d")).to_be_attached()
        return page, asked, gate

    with (folder / "gate").open("w") as gate:
        yield opened


def test_a_click_without_a_strip_shows_its_stop_by_itself(alone):
    x = list(range(1, 41))
    made = {
        "data": [{"type": "scatter", "mode": "lines", "name": "low", "uid": "low", "x": x, "y": x}],
        "layout": {},
    }
    page, asked, gate = alone(json.loads(payload(
        made, height=300, title="Success", summary="Alone.", filename="s", caption="by itself",
    )))  # fmt: skip
    left, width, _, y = track(page, "d")
    fcntl.flock(gate, fcntl.LOCK_EX)
    page.mouse.click(left + width / 4, y)
    expect(page.locator(".pv-caption")).to_have_text("by itself")
    expect(page.locator("#shown")).to_have_text("d=16 k=6")
    fcntl.flock(gate, fcntl.LOCK_UN)
    expect(page.locator("#shown")).to_have_text("d=6 k=6")
    shows(page, "d = 6, k = 6")  # the server's word is the last
    assert asked == ["5"]


def test_where_there_is_no_single_stop_the_page_says_it(alone):
    page, asked, _ = alone(None)
    page.evaluate(WATCH, "d")
    left, width, _, y = track(page, "d")
    page.mouse.click(left + width / 4, y)
    expect(page.locator("#shown")).to_have_text("d=6 k=6")
    shows(page, "d = 6, k = 6")
    assert asked == ["5"]
    assert set(page.evaluate("seen.drawn")) == {"d = 6, k = 6"}


def test_a_hand_that_drags_asks_for_no_single_stop(alone):
    page, asked, _ = alone(None)
    left, width, x, y = track(page, "d")
    page.mouse.move(x, y)
    page.mouse.down()
    for stop in (14, 13, 12, 5):
        page.mouse.move(left + width * stop / 20, y)
    strip(page, "d")
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=6 k=6")
    assert asked == []


def test_what_was_said_before_comes_back_where_the_page_says_nothing_else(
    open_page, server, folder
):
    with (folder / "gate").open("w") as gate:
        page = open_page(server, "/?k=9")
        touch(page, "d")
        number = page.locator(".pv-card strong")
        expect(number).to_have_text("16")
        fcntl.flock(gate, fcntl.LOCK_EX)
        page.keyboard.press("ArrowRight")
        expect(number).to_have_text("≈ 17")  # the strip's, until the page says more
        # The server's figure is there, and its cards are not.
        expect(page.locator(".pv-chart")).not_to_have_attribute("data-frame", re.compile("."))
        expect(number).to_have_text("≈ 17")
        # Taken back before it does: the server's cards are those that it has sent already.
        page.keyboard.press("ArrowLeft")
        expect(number).to_have_text("≈ 16")
        fcntl.flock(gate, fcntl.LOCK_UN)
        expect(number).to_have_text("16")
