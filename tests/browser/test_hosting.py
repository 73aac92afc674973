"""A real browser while its server goes away and comes back."""

import contextlib

import pytest
from playwright.sync_api import expect

from pages.shared.host.static_files import HEADERS
from tests.browser import chromium
from tests.browser.chromium import TIMEOUT, settled
from tests.browser.pictures import changed, picture, shows
from tests.browser.test_take_away import CHART, saved, unfold
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


@pytest.mark.whole
def test_pages_work_under_the_headers_and_inside_another_site(host, browser, tmp_path):
    context = chromium.profile(browser)
    page = context.new_page()
    watch = chromium.Watch(page, host.url)
    answer = page.goto(host.url + "/points?v=1&d=96")
    assert (
        answer.headers.items() >= {name.lower(): value for name, value in HEADERS.items()}.items()
    )
    picture(page)
    unfold(page, "Files: everything in one zip")
    saved(page, page.get_by_role("button", name="Everything in one zip"))
    for path in ("/laboratory", "/halfspaces", "/points?present=1", "/"):
        page.goto(host.url + path)
        settled(page)
    outside = tmp_path / "outside.html"
    outside.write_text(
        f'<iframe src="{host.url}/points?embed=true&d=96"></iframe>', encoding="utf-8"
    )
    page.goto(outside.as_uri())
    expect(page.frame_locator("iframe").locator(CHART)).to_be_visible(timeout=TIMEOUT)
    assert not [*watch.console_errors, *watch.page_errors, *watch.exceptions]
    # Planted: what the policy forbids does end on the console.
    page.goto(host.url + "/_stcore/health")
    page.evaluate("fetch('https://elsewhere.example').catch(() => null)")
    assert "Content Security Policy" in watch.complaints()
    context.close()
