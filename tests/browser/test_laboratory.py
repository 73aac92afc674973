"""The matrix of the laboratory: clicks answer at once, none is lost, and keys reach every cell."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled


def test_a_matrix_is_clicked_together(app_server, open_page):
    page = open_page(app_server, "/laboratory?v=1&of=4x3.ExA")
    settled(page)

    def cell(row, column):
        return page.get_by_role("button", name=f"concept {row}, point {column}", exact=True)

    expect(cell(2, 1)).to_have_attribute("aria-pressed", "true", timeout=TIMEOUT)
    for column in (1, 2, 3):  # faster than the server answers
        cell(1, column).click()
        expect(cell(1, column)).to_have_text("1")
    page.wait_for_function("() => location.search.includes('4x3.8xA')", timeout=TIMEOUT)
    # A link of version 1 opens all parts, and stays at the top.
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop") == 0
    page.keyboard.press("ArrowDown")
    expect(cell(2, 3)).to_be_focused()
    before = cell(2, 3).get_attribute("aria-pressed")
    page.keyboard.press("Space")
    expect(cell(2, 3)).not_to_have_attribute("aria-pressed", before)
    page.keyboard.press("Space")
    expect(cell(2, 3)).to_have_attribute("aria-pressed", before)
    page.get_by_role("button", name="− point").click()
    page.wait_for_function("() => location.search.includes('4x2.')", timeout=TIMEOUT)
    # 11, 10, 11, 00: three different concepts.
    dimensions = page.get_by_role("table", name="Dimensions of 3 concepts on 2 points")
    expect(dimensions).to_be_visible(timeout=TIMEOUT)


@pytest.mark.whole
def test_everything_is_done_and_heard_without_a_mouse(app_server, open_page):
    page = open_page(app_server, "/laboratory?v=1&of=thresholds-4")
    settled(page)
    # The accessibility tree, as a screen reader has it.
    matrix = page.get_by_role("region", name="Matrix of labels").aria_snapshot()
    assert 'columnheader "4"' in matrix
    assert 'button "concept 2, point 4" [pressed]' in matrix
    assert 'button "concept 1, point 4" [pressed]' not in matrix
    said = page.get_by_role("status").filter(has_text="different concepts")
    expect(said).to_contain_text(
        "5 different concepts on 4 points: Representation dimension 2.322, Littlestone dimension, LDim 2, VC dimension 1"
    )

    words = page.locator("summary", has_text="The tree in words")
    words.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("first: ask point")).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("button", name="I predict 1").focus()
    page.keyboard.press("Enter")
    game = page.get_by_role("status").filter(has_text="mistake")
    expect(game).to_contain_text("1 mistake in 1 round", timeout=TIMEOUT)
    page.get_by_role("radio", name="You are the adversary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Its label is 1").focus()
    page.keyboard.press("Enter")
    expect(game).to_contain_text("in 1 round", timeout=TIMEOUT)

    cell = page.get_by_role("button", name="concept 1, point 1", exact=True)
    cell.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    other = page.get_by_role("button", name="concept 1, point 2", exact=True)
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(other).to_be_focused()
    expect(said).to_contain_text("VC dimension 2", timeout=TIMEOUT)
