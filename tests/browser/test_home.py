"""The map in a real Chromium: it follows the hand, and its doors open by keyboard."""

import itertools
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from pages.shared.page.atlas import bound_part
from privsc_core.catalog import CONCEPTS
from privsc_core.evaluate import atlas
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
    for number, place in enumerate(deep([doors.count() - 1], range(doors.count()))):
        if number:
            page.go_back()
            expect(doors.first).to_be_visible(timeout=TIMEOUT)
            settled(page)
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
        assert any(re.fullmatch(f"{name}-(learner|lower|upper)", uid) for uid in uids), (
            named,
            uids,
        )
        assert (kind == "learner") == (f"{name}-learner" in uids)


@pytest.mark.whole
def test_the_doors_of_the_table_open_on_what_they_say(app_server, open_page):
    page = open_page(app_server, "/?eps=1.3")
    cells = page.locator("a.pv-cell")
    expect(cells.first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    for place in deep([0], range(cells.count())):
        named = parse_qs(urlsplit(cells.nth(place).get_attribute("href")).query)
        cells.nth(place).press("Enter")
        _arrived(page, named)
        page.go_back()
        expect(cells.first).to_be_visible(timeout=TIMEOUT)
        settled(page)


@pytest.mark.whole
def test_the_doors_of_the_atlas_open_on_what_they_say(app_server, open_page):
    page = open_page(app_server, "/atlas?d=96")
    paged = [entry for entry in atlas.entries() if entry.concept in CONCEPTS]
    keys = [bound_part(entry) for entry in paged if entry.computed]
    for key in deep(keys[2:3], keys):
        page.goto(f"{app_server.url}/atlas?d=96&open={key}")
        door = page.locator(f".st-key-w_open_{key}").get_by_role("link", name="On the page")
        expect(door).to_be_visible(timeout=TIMEOUT)
        settled(page)
        door.press("Enter")
        _arrived(page, {"view": ["need-d"], "d": ["96"]})


def _arrived(page, named):
    """Hold a class page to the settings that its door named, and to its figure."""
    page.wait_for_url(re.compile(r"view=need-d"), timeout=TIMEOUT)
    expect(page.locator(".st-key-main .main-svg").first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    there = parse_qs(urlsplit(page.url).query)
    assert {key: there.get(key) for key in named} == named
