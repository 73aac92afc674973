"""The packing argument by keyboard: a second slider of m moves the page, and a reader hears it."""

import re

from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled

SAID = ".pv-said"


def slider(page, key):
    return page.locator(f".st-key-w_{key}").get_by_role("slider")


def test_it_is_played_by_keyboard_and_heard(app_server, open_page):
    page = open_page(app_server, "/points?open=boxes")
    expect(page.locator(".st-key-boxes-average .main-svg").first).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(SAID)).to_contain_text("500 are too few")
    settled(page)
    # A live region is heard when its words change, not when it is put in anew.
    page.evaluate(f"window.region = document.querySelector('{SAID}').closest('[role=status]')")
    slider(page, "m_boxes").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(SAID)).to_contain_text("700 are too few")
    page.wait_for_url(re.compile("m=700"))
    expect(slider(page, "m")).to_have_attribute("aria-valuetext", "700")
    assert page.evaluate("region.isConnected && region.textContent.includes('700')")
    page.get_by_role("button", name=re.compile("At the edge of this bound")).focus()
    page.keyboard.press("Enter")
    expect(page.locator(SAID)).to_contain_text("1,018 are enough")
    expect(page.locator(".st-key-main .pv-unseen").first).to_be_attached()
    merge = page.locator(".st-key-w_merge").get_by_role("radio").last
    merge.focus()
    page.keyboard.press("Space")
    expect(page.locator(SAID)).to_contain_text("510 buckets")
    page.wait_for_url(re.compile("merge=merged"))
