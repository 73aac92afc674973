"""A real browser while its server goes away and comes back."""

import contextlib

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.chromium import TIMEOUT, settled
from tests.browser.pictures import changed, picture, shows
from tests.load.host import Host


@pytest.fixture
def host():
    with contextlib.closing(Host("serve")) as host:
        host.start()
        yield host
        assert not host.trouble()


@pytest.mark.whole  # the front end waits longer and longer between two attempts
def test_an_open_page_survives_a_restart_of_the_server(host, browser):
    # Not through open_page: a browser whose server is gone does say so on its console.
    context = chromium.profile(browser)
    page = context.new_page()
    page.goto(host.url + "/intervals?dist=uniform&eps=0.2&trials=250")
    before = picture(page)
    slider = page.locator(".st-key-w_d input[type=range]")
    slider.press("ArrowRight")
    page.wait_for_url("**/intervals?*d=96*")
    after, link = changed(page, before), page.url
    page.reload()  # the whole page ran last: then Streamlit does not run it when it reconnects
    settled(page)
    shows(page, after)
    app = page.locator("[data-testid=stApp]")
    host.kill()
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED", timeout=TIMEOUT)
    host.start()
    # By itself: nobody reloads.
    expect(page.locator("#pv-connection")).to_have_text("The connection is back.", timeout=TIMEOUT)
    shows(page, after)
    assert page.url == link
    expect(slider).to_have_attribute("aria-valuetext", "96")
    slider.press("ArrowRight")
    page.wait_for_url("**/intervals?*d=128*")
    changed(page, after)
    assert "eps=0.2" in page.url
    assert "dist=uniform" in page.url
    page.reload()
    settled(page)
    expect(slider).to_have_attribute("aria-valuetext", "128")
    context.close()
