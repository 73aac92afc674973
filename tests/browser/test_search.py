"""The search and the atlas in a real browser: by keyboard, by button, and to the place itself."""

import re

from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled
from tests.browser.test_accessibility import serious

ENTRY = ".st-key-w_open_bound-release-theorem-7-2"
LEARNER = "#learner-hash"
IN_VIEW = """place => { const box = document.querySelector(place)?.getBoundingClientRect();
  return box && box.top >= 0 && box.top < innerHeight - 40; }"""


def test_the_atlas_shows_what_a_link_names_and_the_search_leads_on(app_server, open_page):
    page = open_page(app_server, "/atlas?d=96&open=bound-release-theorem-7-2")
    expect(page.locator(f"{ENTRY} .pv-chart .main-svg").first).to_be_visible(timeout=TIMEOUT)
    page.wait_for_function(IN_VIEW, arg=ENTRY)
    dialog = page.get_by_role("dialog", name="Search")
    typed = page.get_by_label("Search the bounds")
    typed.press("/")
    expect(dialog).to_be_hidden()
    expect(typed).to_have_value("/")
    typed.fill("")
    typed.blur()

    # By keyboard: what is chosen is said, and Enter goes there with the setting.
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Search")
    expect(box).to_be_focused()
    found = dialog.get_by_role("option")
    expect(found.first).to_contain_text("Overview", timeout=TIMEOUT)
    box.fill("zzzz")
    expect(dialog.get_by_role("status")).to_contain_text("No results")
    box.fill("packing bound")
    several = dialog.get_by_role("group", name="Packing bound, bound", exact=True)
    expect(several.get_by_role("option", name="Points", exact=True)).to_be_visible()
    box.fill("hash learn")
    expect(found.first).to_contain_text("Hash learner")
    assert serious(page, within=".pv-searching") == ""
    box.press("ArrowDown")
    expect(found.nth(1)).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-activedescendant") == found.nth(1).get_attribute("id")
    box.press("ArrowUp")
    box.press("Enter")
    page.wait_for_url(re.compile("/points[?]"), timeout=TIMEOUT)
    settled(page)
    expect(page.locator(LEARNER)).to_be_attached(timeout=TIMEOUT)
    page.wait_for_function(IN_VIEW, arg=LEARNER)
    assert "d=96" in page.url

    # By the button, which has the focus again afterwards; a place on the same page is gone to, too.
    button = page.get_by_role("button", name=re.compile("^Search")).first
    button.click()
    expect(dialog).to_be_visible(timeout=TIMEOUT)
    box.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
