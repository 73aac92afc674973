"""The share dialog in a real Chromium: what is copied works, and everything can be reached."""

import html
import re

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled
from tests.depth import deep

START = "/points?v=2&d=96&eps=0.2&seed=3&learners=erm.hash"


def opened(page):
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this page")
    expect(dialog.get_by_role("textbox", name="Link to this page")).to_be_visible(timeout=TIMEOUT)
    return dialog


def choose(dialog, name):
    option = dialog.locator(".st-key-pv_share_dialog").get_by_role("radio", name=name, exact=True)
    option.click()
    expect(option).to_be_checked(timeout=TIMEOUT)
    settled(dialog.page)


def link_of(dialog):
    return dialog.get_by_role("textbox", name="Link to this page")


def on_clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_a_link_is_copied_by_one_click_and_shown_as_a_code(app_server, open_page):
    page = open_page(app_server, START)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog = opened(page)
    expect(link_of(dialog)).to_have_value(app_server.url + START, timeout=TIMEOUT)
    dialog.get_by_role("button", name="Copy link").click()
    expect(dialog.get_by_role("status")).to_have_text("Copied")
    copied = on_clipboard(page)
    assert copied == app_server.url + START
    copying_works_where_the_clipboard_is_withheld(page, dialog, copied)
    the_qr_code_fills_the_screen_and_escape_leaves_it(page, dialog, copied)


def copying_works_where_the_clipboard_is_withheld(page, dialog, link):
    # A page that came by plain http from another computer has no navigator.clipboard.
    page.evaluate("navigator.clipboard.writeText('')")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})"
    )
    button = dialog.get_by_role("button", name=re.compile("Copy link|Copied"))
    button.click()
    expect(dialog.get_by_role("status")).to_have_text("Copied")
    expect(dialog.get_by_role("button", name="✓ Copied")).to_be_focused()
    page.evaluate("delete navigator.clipboard")
    assert on_clipboard(page) == link
    # Refused altogether: the words say what is left to do, and the text is selected.
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true});"
        "document.execCommand = () => false"
    )
    dialog.get_by_role("button", name="Copied").click()
    expect(dialog.get_by_role("status")).to_contain_text("copy it with Ctrl+C")
    chosen = link_of(dialog).evaluate("box => box.selectionEnd - box.selectionStart")
    assert chosen == len(link)


@pytest.mark.whole
def test_what_is_embedded_is_seen_and_what_goes_along_is_a_choice(app_server, open_page):
    page = open_page(app_server, START)
    dialog = opened(page)
    the_preview_is_what_the_code_embeds(page, dialog, app_server.url + START)
    dialog.get_by_role("button", name="Learners, distribution").click()
    expect(link_of(dialog)).to_have_value(
        f"{app_server.url}/points?v=2&d=96&eps=0.2&seed=3", timeout=TIMEOUT
    )
    dialog.get_by_role("button", name="Seed, trials").click()
    expect(link_of(dialog)).to_have_value(
        f"{app_server.url}/points?v=2&d=96&eps=0.2", timeout=TIMEOUT
    )
    choose(dialog, "Present")
    expect(link_of(dialog)).to_have_value(
        f"{app_server.url}/points?v=2&d=96&eps=0.2&present=1&controls=d.eps", timeout=TIMEOUT
    )
    dialog.get_by_role("button", name="d", exact=True).click()
    choose(dialog, "Dark")
    dialog.get_by_text("Predict first").click()
    expect(link_of(dialog)).to_have_value(
        f"{app_server.url}/points?v=2&d=96&eps=0.2&present=1&controls=eps&predict=1"
        "&embed=true&embed_options=dark_theme",
        timeout=TIMEOUT,
    )


def the_preview_is_what_the_code_embeds(page, dialog, link):
    steps = page.evaluate("history.length")
    frames = dialog.locator("iframe")
    expect(frames).to_have_count(0, timeout=TIMEOUT)
    choose(dialog, "Embed")
    code = dialog.get_by_role("textbox", name="Code to embed this page")
    expect(frames).to_have_count(1, timeout=TIMEOUT)
    inside = dialog.frame_locator("iframe")
    expect(inside.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=TIMEOUT)
    source = frames.get_attribute("src")
    assert source.startswith(link)
    assert "embed=true" in source
    assert f'src="{html.escape(source)}"' in code.input_value()
    # Small enough to be seen as a whole, and not a step of the Back button.
    box = frames.bounding_box()
    assert box["width"] <= 760
    choose(dialog, "Dark")
    expect(frames).to_have_attribute("src", source + "&embed_options=dark_theme", timeout=TIMEOUT)
    expect(inside.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=TIMEOUT)
    assert page.evaluate("history.length") == steps
    choose(dialog, "Link")
    expect(frames).to_have_count(0, timeout=TIMEOUT)


def the_qr_code_fills_the_screen_and_escape_leaves_it(page, dialog, link):
    choose(dialog, "QR code")
    code = dialog.get_by_role("img", name=f"QR code of {link}")
    expect(code).to_be_visible(timeout=TIMEOUT)
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    full = dialog.get_by_role("button", name="Full screen")
    full.click()
    hall = page.get_by_role("dialog", name="Learning one point privately")
    expect(hall).to_contain_text(link)
    size = page.evaluate("[innerWidth, innerHeight]")
    box = hall.bounding_box()
    assert [box["width"], box["height"]] == size
    assert hall.locator("img").bounding_box()["height"] > 0.8 * size[1]
    page.keyboard.press("Escape")
    expect(hall).to_be_hidden()
    expect(dialog).to_be_visible(timeout=TIMEOUT)
    expect(full).to_be_focused()


@pytest.mark.whole
@pytest.mark.parametrize("size", [(390, 844), *deep([], [(1280, 720)])])
def test_everything_is_reached_by_the_keyboard(app_server, open_page, size):
    width, height = size
    page = open_page(app_server, START, viewport={"width": width, "height": height})
    share = page.get_by_role("button", name="Share", exact=True)
    share.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Share this page")
    copy = dialog.get_by_role("button", name="Copy link")
    expect(copy).to_be_visible(timeout=TIMEOUT)
    reached = set()
    for _ in range(20):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => { const node = document.activeElement;
                  return (node.getAttribute('aria-label') ?? node.textContent).trim(); }"""
            )
        )
    assert {"Link to this page", "Copy link", "Open", "Learners, distribution"} <= reached
    overflow = "node => node.scrollWidth - node.clientWidth"
    for name in ("Present", "Embed", "QR code"):
        choose(dialog, name)
        assert dialog.evaluate(overflow) <= 0
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0, timeout=TIMEOUT)
    settled(page)
    expect(dialog).to_have_count(0, timeout=TIMEOUT)


@pytest.mark.whole
def test_a_simulation_does_not_close_the_dialog(app_server, open_page):
    page = open_page(app_server, "/points?v=2&learners=noise&dist=uniform&trials=5000")
    dialog = opened(page)
    settled(page)
    expect(link_of(dialog)).to_be_visible(timeout=TIMEOUT)
    # A run of the whole page, as a simulation asks for.
    page.evaluate(
        """() => new Promise(done => {
          const app = document.querySelector('[data-testid=stApp]');
          let began = false;
          new MutationObserver(() => {
            if (app.dataset.testScriptState !== 'notRunning') began = true;
            else if (began) done();
          }).observe(app, {attributes: true});
          dispatchEvent(new PopStateEvent('popstate'));
        })"""
    )
    expect(link_of(dialog)).to_be_visible(timeout=TIMEOUT)
    page.wait_for_function("document.activeElement.closest('[role=dialog]') !== null")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0, timeout=TIMEOUT)
