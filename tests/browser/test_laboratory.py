"""The matrix of the laboratory: clicks answer at once, none is lost, and keys reach every cell."""

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
    page.keyboard.press("ArrowDown")
    expect(cell(2, 3)).to_be_focused()
    page.get_by_role("button", name="− point").click()
    page.wait_for_function("() => location.search.includes('4x2.')", timeout=TIMEOUT)
    # 11, 10, 11, 00: three different concepts.
    dimensions = page.get_by_role("table", name="Dimensions of 3 concepts on 2 points")
    expect(dimensions).to_be_visible(timeout=TIMEOUT)
