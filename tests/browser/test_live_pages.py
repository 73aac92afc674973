"""Sliders that are dragged on real pages, and what comes when it is looked at."""

import contextlib
import re

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled
from tests.browser.live import WATCH, grab, slider, touch
from tests.browser.server import ROOT, Server
from tests.depth import whole

TIMED = """
import math

import streamlit as st

from pages.shared.page import live
from pages.shared.scheduling import gate

gate.LATELY, live._CALM = math.inf, {few}
gate.GATE._shown.clear()
with st.container(key="main"):
    st.write("There is time {few} times.")
"""
SAYS = (".st-key-main .pv-caption", ".pv-cards", ".st-key-main .pv-title")


@pytest.mark.parametrize("name", ["release", whole("labels")])
def test_a_page_follows_a_slider(app_server, open_page, name):
    page = open_page(app_server, f"/{name}" + "?v=2&open=more" * (name == "release"))
    expect(page.locator(".st-key-main .main-svg").first).to_be_visible(timeout=TIMEOUT)
    touch(page, "d")
    settled(page)
    before = page.locator(SAYS[0]).inner_text()
    page.evaluate(WATCH, "d")
    slider(page, "d").press("ArrowRight")
    page.wait_for_url(re.compile("d=96"))
    expect(page.locator(SAYS[0])).not_to_have_text(before)
    expect(page.locator(".st-key-main .pv-chart:not([data-frame])")).to_have_count(1)
    settled(page)
    said = [page.locator(place).first.inner_text() for place in SAYS]
    seen = page.evaluate("seen")
    # Plotly may draw again what was there; the next one comes before the server has answered.
    drawn = zip(seen["drawn"], seen["followed"], strict=True)
    text, followed = next(each for each in drawn if each[0] != before)
    assert text == said[0]
    assert followed.startswith("d ")
    if name == "release":
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(re.compile("open=more$"))
        a_pinned_setting_stays_while_the_slider_moves(page)
        return
    there = open_page(app_server, f"/{name}?v=2&d=96")
    expect(there.locator(".st-key-main .main-svg").first).to_be_visible(timeout=TIMEOUT)
    assert said == [there.locator(place).first.inner_text() for place in SAYS]


def a_pinned_setting_stays_while_the_slider_moves(page):
    page.get_by_role("button", name="Pin this setting").click()
    page.wait_for_url(re.compile(r"pin=d-64_eps-0\.5"))
    expect(page.locator(".pv-pinned")).to_contain_text("Nothing has been changed yet")
    settled(page)  # what is drawn anew loses the focus, and the key with it
    slider(page, "d").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"d=96.*pin=d-64_eps-0\.5"))
    expect(page.locator(".pv-caption")).to_contain_text(
        re.compile(r"d = 96,.*Thin, pinned: d = 64, ε = 0.5")
    )
    row = page.locator(".pv-pinned tr").filter(has=page.locator("th", has_text=re.compile("^d$")))
    expect(row).to_have_text("d6496×1.5")
    drawn = page.locator(".st-key-main .js-plotly-plot").evaluate(
        "plot => plot._fullData.filter((t) => t.legendgroup === 'pinned' && t.uid !== 'pinned')"
        ".map((t) => t.line.width)"
    )
    assert len(drawn) > 1
    assert max(drawn) < 2
    page.get_by_role("button", name="Unpin").click()
    page.wait_for_url(re.compile("d=96&open=more$"))
    expect(page.locator(".pv-caption")).not_to_contain_text("pinned")
    expect(page.locator(".pv-pinned")).to_have_count(0)


@pytest.fixture
def timed_page(tmp_path, open_page):
    """Open a page of a server that has the time for what nobody asked for so often, then no more."""
    for name in ("pages", "assets"):
        (tmp_path / name).symlink_to(ROOT / name)
    with contextlib.ExitStack() as servers:

        def opened(few, path):
            (tmp_path / "app.py").write_text(TIMED.format(few=few), encoding="utf-8")
            server = Server(script=tmp_path / "app.py")
            servers.callback(lambda: troubles.append(server.stop()))
            first = open_page(server, "/")
            expect(first.locator(".st-key-main")).to_contain_text("There is time")
            page = open_page(server, path)
            for one in (first, page):  # before the server: they would ask on
                servers.callback(one.close)
            expect(page.locator(".st-key-main .main-svg").first).to_be_visible(timeout=TIMEOUT)
            return page

        troubles = []
        yield opened
    assert not any(troubles), troubles


def one_further(page):
    """Move the slider of d from its default."""
    slider(page, "d").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("d=96"))


@pytest.mark.whole
def test_the_table_of_numbers_comes_when_it_is_opened_and_follows_the_controls(timed_page):
    page = timed_page(1, "/release")
    part = page.locator(".st-key-pv_part_numbers")
    expect(part.locator(".pv-table")).to_have_count(0)
    part.locator("summary").click()
    expect(part.locator(".pv-table")).to_have_count(2)
    before = part.inner_text()
    one_further(page)
    settled(page)
    expect(part.locator(".pv-table")).to_have_count(2)
    assert part.inner_text() != before


def test_a_simulated_curve_of_another_setting_is_pale_and_called_earlier(app_server, open_page):
    page = open_page(app_server, "/thresholds")
    chart, legend = page.locator(".st-key-main .pv-chart"), page.locator(".st-key-main .legend")
    expect(legend).to_contain_text("Density learner (simulated)", timeout=TIMEOUT)
    settled(page)
    touch(page, "eps")
    left, width, _, y = grab(page, "eps")
    page.mouse.move(left + 0.8 * width, y)
    expect(chart).to_have_attribute("data-frame", "eps 14")
    expect(legend).to_contain_text("Density learner (earlier)")
    expect(page.locator(".st-key-main .pv-caption")).to_contain_text(
        "pale, is of the last simulation"
    )
    pale = page.locator(".st-key-main .scatterlayer .pv-earlier")
    assert pale.first.evaluate("node => getComputedStyle(node).opacity") == "0.3"
    page.mouse.up()
    page.wait_for_url(re.compile("eps=2"))
    expect(legend).to_contain_text("Density learner (simulated)", timeout=TIMEOUT)
    settled(page)
    expect(pale).to_have_count(0)


def test_a_stop_without_a_setting_says_so_and_shows_no_other_numbers(app_server, open_page):
    page = open_page(app_server, "/points?dist=bystanders")
    chart, cards = page.locator(".st-key-main .pv-chart"), page.locator(".pv-cards")
    expect(chart.locator(".main-svg").first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    touch(page, "d")
    left, width, _, y = grab(page, "d")
    pale = re.compile(r"\bpv-none\b")
    for _ in range(2):
        page.mouse.move(left, y)
        expect(chart.locator(".pv-refused")).to_have_text(
            "d must be at least 4 for 8 bystanders and a target: it is 2 here. Move d."
        )
        for part in (chart, cards):
            expect(part).to_have_class(pale)
        page.mouse.move(left + 0.3 * width, y)
        expect(chart.locator(".pv-refused")).to_have_text("")
        for part in (chart, cards):
            expect(part).not_to_have_class(pale)
    page.mouse.move(left, y)
    page.mouse.up()
    page.wait_for_url(re.compile(r"d=2(&|$)"))
    expect(page.get_by_text("No figure is drawn: there is no such setting.")).to_be_visible()
