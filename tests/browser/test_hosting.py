"""A real browser while its server goes away and comes back."""

import contextlib

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.chromium import TIMEOUT, settled
from tests.load.host import Host


@pytest.fixture
def host():
    with contextlib.closing(Host("serve")) as host:
        host.start()
        yield host
        assert not host.trouble()


@pytest.mark.slow  # the front end waits longer and longer between two attempts
def test_an_open_page_survives_a_restart_of_the_server(host, browser):
    # Not through open_page: a browser whose server is gone does say so on its console.
    context = chromium.profile(browser)
    page = context.new_page()
    page.goto(host.url + "/points?d=16&eps=0.2")
    settled(page)
    slider = page.locator(".st-key-w_d input[type=range]")
    expect(slider).to_have_attribute("aria-valuetext", "16")
    slider.press("ArrowRight")
    page.wait_for_url("**/points?*d=24*")
    app = page.locator("[data-testid=stApp]")
    host.kill()
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED", timeout=TIMEOUT)
    host.start()
    # By itself: nobody reloads.
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=TIMEOUT)
    settled(page)
    expect(slider).to_have_attribute("aria-valuetext", "24")
    slider.press("ArrowRight")
    page.wait_for_url("**/points?*d=32*")
    assert "eps=0.2" in page.url
    page.reload()
    settled(page)
    expect(slider).to_have_attribute("aria-valuetext", "32")
    context.close()
