"""A phone: no room is missing on the calculator, a door leads where it says, the list of pages makes way."""

import re

from playwright.sync_api import expect

from privsc_core.catalog import concept
from tests.browser.chromium import settled
from tests.browser.test_accessibility import serious

# How much wider the page is than its window.
OVERFLOW = """() => Math.max(...["stApp", "stMain"].map((id) => {
  const it = document.querySelector(`[data-testid=${id}]`);
  return it.scrollWidth - it.clientWidth;
}))"""


# Whether every box beside a slider says what the slider says.
ALIKE = """() => {
  const boxes = [...document.querySelectorAll('[class*="st-key-pv_number_"] .pv-box')];
  return boxes.length > 3 && boxes.every((box) => {
    const slider = box.closest('[class*="st-key-pv_number_"]').querySelector("input[type=range]");
    return box.value === slider.getAttribute("aria-valuetext").replaceAll(",", "");
  });
}"""


def test_the_calculator_answers_on_a_phone_and_its_doors_and_the_list_of_pages_lead_on(
    app_server, open_page
):
    page = open_page(
        app_server, "/calculator?v=2&m=2000&d=16&for=beta",
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True,
    )  # fmt: skip
    rows = page.locator(".pv-reckoning tbody").get_by_role("row")
    expect(rows).to_have_count(5)
    page.get_by_text(re.compile("^The other .* learners")).tap()
    expect(rows).to_have_count(len(concept("point").learners))
    assert page.evaluate(OVERFLOW) == 0
    assert serious(page) == ""
    page.get_by_role("combobox", name="I look for").tap()
    page.get_by_role("option", name="d: size").tap()
    page.wait_for_url(re.compile(r"[?&]for=d(&|$)"))
    expect(page.locator(".pv-sentence .pv-gap")).to_have_text("d = ?")
    # Sliders made room for others: no box is left with another one's number.
    page.wait_for_function(ALIKE)
    row = rows.filter(has_text="Exponential mechanism")
    expect(row.locator("strong")).to_have_text("65")
    row.get_by_role("link", name="Packing bound, halfway").tap()
    page.wait_for_url(re.compile(r"/points\?.*d=130.*open=bound-packing-two#theory$"))
    settled(page)
    expect(page.locator(".st-key-w_open_bound-packing-two details")).to_have_attribute("open", "")
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    drawer = page.locator("[data-testid=stSidebar]")
    page.locator("[data-testid=stExpandSidebarButton]").tap()
    expect(drawer).to_have_attribute("data-collapsed", "false")
    page.get_by_role("link", name="Thresholds on 2ᵈ points", exact=True).tap()
    page.wait_for_url(re.compile("/intervals"))
    expect(drawer).not_to_have_attribute("data-collapsed", "false")
    settled(page)
    # Help fits a finger.
    button = page.get_by_role("button", name=re.compile("^Help for d:")).bounding_box()
    assert min(button["width"], button["height"]) >= 36
    thumb = page.get_by_role("slider", name=re.compile("^d:")).bounding_box()
    assert button["y"] + button["height"] <= thumb["y"] + thumb["height"] / 2
