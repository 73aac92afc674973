"""The map in a real Chromium: it follows the hand, and its doors open by keyboard."""

import itertools
import re

from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled
from tests.depth import deep

CHART = ".st-key-main .pv-chart"
LINES = f"document.querySelector('{CHART} .js-plotly-plot').data.filter(t => t.line?.width)"


def test_the_map_follows_its_slider_and_its_doors_open_by_keyboard(app_server, open_page):
    page = open_page(app_server)
    doors = page.locator(f"{CHART} .pv-door")
    expect(doors.first).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(f"{CHART} .js-plotly-plot .main-svg").first).to_be_visible(timeout=TIMEOUT)
    assert doors.count() == page.evaluate(f"{LINES}.length")
    # Each stands at its line's height or makes way, all inside the figure and apart.
    tops = sorted(box["y"] for box in (door.bounding_box() for door in doors.all()))
    assert all(later - before >= 17 for before, later in itertools.pairwise(tops))
    page.get_by_role("slider", name=re.compile("^ε:")).focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(CHART)).to_contain_text("ε = 0.4", timeout=TIMEOUT)
    page.wait_for_url(re.compile(r"eps=0\.4"))
    settled(page)
    links = [door.get_attribute("href") for door in doors.all()]
    assert all("eps=0.4" in link for link in links)
    # A line is told in a sentence at the focus, and stands out.
    last = doors.nth(doors.count() - 1)
    last.focus()
    expect(page.locator("#pv-tip")).to_have_text(last.get_attribute("data-tip"))
    assert page.locator(f"{CHART} .trace.pv-dim").count() > 3
    for place in deep([doors.count() - 1], range(doors.count())):
        named = doors.nth(place).get_attribute("data-uid")
        doors.nth(place).focus()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"view=need-d"))
        expect(page.locator(".st-key-main .main-svg").first).to_be_visible(timeout=TIMEOUT)
        settled(page)
        expect(page.locator(".st-key-pv_notes")).to_have_count(0)
        kind, name = re.search(r"(learner|bound)-(.+)$", named).groups()
        uids = page.evaluate(
            "Array.from(document.querySelector('.st-key-main .js-plotly-plot').data, t => t.uid)"
        )
        assert any(re.fullmatch(f"{name}(learner|lower|upper)", uid) for uid in uids), (named, uids)
        assert (kind == "learner") == (f"{name}learner" in uids)
        page.go_back()
        expect(doors.first).to_be_visible(timeout=TIMEOUT)
        settled(page)
