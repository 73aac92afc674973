"""The presenter view in a real Chromium: lectures by keyboard, predict and reveal, embedding."""

import re

import pytest
from playwright.sync_api import expect

from pages.shared.hall.lectures import shipped
from tests.browser.chromium import TIMEOUT, settled
from tests.depth import deep

LECTURES = pytest.mark.parametrize("lecture", shipped(), ids=lambda lecture: lecture.name)
COUNT = ".pv-count strong"
PLOT = ".js-plotly-plot .main-svg"

OWN = b"""title = "Mine"
about = "Two scenes."
[[scene]]
title = "<b>One</b>"
link = "points?d=128&controls=d.eps"
caption = "First, *with* $2^{64}$: 1 -> 2 -- for $5 & <i>."
[[scene]]
title = "Two"
link = "intervals?d=8"
caption = "Second."
"""


def shows(page, lecture, number):
    """Wait until a scene is on the screen, whole."""
    total = len(lecture.scenes)
    expect(page.locator(COUNT)).to_have_text(f"{number} of {total}", timeout=TIMEOUT)
    scene = lecture.scenes[number - 1]
    expect(page.get_by_role("heading", level=1)).to_have_text(scene.title)
    expect(page.locator(".st-key-pv_scene")).to_have_text(scene.caption)
    settled(page)
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    assert f"/{scene.page}?" in page.url


def fits(page, scene):
    """Wait until the scene is inside the screen; an exhibit alone may be longer."""
    page.wait_for_function(
        """() => { const box = document.querySelector(".js-plotly-plot").getBoundingClientRect();
          return box.left >= 0 && box.right <= innerWidth; }"""
    )
    if "open" not in scene.params:
        page.wait_for_function(
            "document.querySelector('.st-key-pv_bar').getBoundingClientRect().bottom"
            " <= innerHeight + 1"
        )


SIZES = [{"width": 1920, "height": 1080}, {"width": 1280, "height": 720}]
SHORTEST = min(shipped(), key=lambda lecture: len(lecture.scenes))


@LECTURES
def test_a_lecture_runs_by_keyboard_to_its_end_and_back_and_fits_the_screen(
    app_server, open_page, lecture
):
    # The shortest lecture is moved from one screen to the other at each scene, the others have one
    # of them each; in a deep run all are moved, and go back to their beginning.
    place = shipped().index(lecture)
    moved = deep(lecture is SHORTEST, True)
    page = open_page(app_server, "/lectures", viewport=SIZES[place % 2])
    page.get_by_role("link", name="Start").nth(place).focus()
    page.keyboard.press("Enter")
    for number, scene in enumerate(lecture.scenes, start=1):
        shows(page, lecture, number)
        fits(page, scene)
        if moved:
            page.set_viewport_size(SIZES[(place + number) % 2])
            fits(page, scene)
        page.keyboard.press("PageDown" if number % 2 else "ArrowRight")
    # At the end a further step does nothing.
    shows(page, lecture, len(lecture.scenes))
    first = deep(len(lecture.scenes) - 1, 1)
    for number in range(len(lecture.scenes) - 1, first - 1, -1):
        page.keyboard.press("ArrowLeft" if number % 2 else "PageUp")
        shows(page, lecture, number)
        fits(page, lecture.scenes[number - 1])


def test_a_scene_opens_from_its_link_and_an_arrow_on_a_slider_moves_the_slider(
    app_server, open_page
):
    page = open_page(app_server, "/points?present=1&controls=d&lecture=what-constants-cost&scene=2")
    expect(page.locator(COUNT)).to_have_text(re.compile("2 of"))
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("d=96"))
    expect(page.locator(COUNT)).to_have_text(re.compile("2 of"))
    page.get_by_role("button", name="Leave").click()
    page.wait_for_url(re.compile(r"/points\?v=1&d=96$"))
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()


def test_a_lecture_of_ones_own_survives_a_reload_and_is_no_markup(app_server, open_page):
    page = open_page(app_server, "/lectures")
    page.set_input_files(
        "input[type=file]", files=[{"name": "my.toml", "mimeType": "text/plain", "buffer": OWN}]
    )
    page.locator(".st-key-pv_lecture_own a").click()
    expect(page.locator(COUNT)).to_have_text("1 of 2", timeout=TIMEOUT)
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>One</b>")
    expect(page.get_by_role("slider")).to_have_count(2)
    words = page.locator(".st-key-pv_scene")
    expect(words.locator(".katex")).to_have_count(1, timeout=TIMEOUT)
    assert (
        words.locator("p").evaluate(
            "p => [...p.childNodes].map((n) => n.nodeType === 3 ? n.data : '|').join('')"
        )
        == "First, *with* |: 1 → 2 — for $5 & <i>."
    )
    page.reload()
    settled(page)
    expect(page.locator(COUNT)).to_have_text("1 of 2")


def test_a_lecture_that_is_wrong_says_where(app_server, open_page):
    page = open_page(app_server, "/lectures")
    wrong = OWN.replace(b"intervals", b"secrets")
    page.set_input_files(
        "input[type=file]", files=[{"name": "my.toml", "mimeType": "text/plain", "buffer": wrong}]
    )
    expect(page.get_by_text("scene 2 link must start with one of the pages")).to_be_visible()


def test_a_lecture_that_this_server_does_not_know_leaves_the_picture(app_server, open_page):
    page = open_page(app_server, "/points?present=1&lecture=own-0123456789abcdef&d=16")
    expect(page.get_by_text("load its file again")).to_be_visible()
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)


def test_predict_then_reveal(app_server, open_page):
    page = open_page(app_server, "/points?d=256&predict=1")
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)
    # Nothing gives the answer away: no curve, no card, no table, no caption.
    assert page.evaluate("document.querySelector('.js-plotly-plot').data[0].x.length") == 0
    assert "7,442" not in page.locator("[data-testid=stMain]").inner_text()
    assert "7442" not in page.content()
    box = page.locator(".nsewdrag").first.bounding_box()
    y = box["y"] + 0.3 * box["height"]
    page.mouse.move(box["x"] + 0.3 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y + 5, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"guess=(?!100\b)\d+"))
    settled(page)
    guess = int(re.search(r"guess=(\d+)", page.url)[1])
    assert 100 < guess < 10_000
    page.get_by_role("slider", name=re.compile("prediction")).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(rf"guess=(?!{guess}\b)\d+"))
    guess = int(re.search(r"guess=(\d+)", page.url)[1])
    page.get_by_role("button", name="Reveal").click()
    said = page.locator(".st-key-pv_verdict")
    expect(said).to_contain_text(f"Predicted {guess:,}. Exponential mechanism needs 7,442")
    expect(page.locator(".pv-cards").first).to_contain_text("7,442")
    page.get_by_role("button", name="Clear").click()
    expect(said).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_embedded_page_has_figure_and_kept_controls_in_a_forced_theme(
    app_server, open_page, theme
):
    page = open_page(
        app_server,
        f"/points?embed=true&embed_options={theme}_theme&controls=d&d=96",
        viewport={"width": 800, "height": 600},
        color_scheme="light" if theme == "dark" else "dark",
    )
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_role("slider")).to_have_count(1)
    expect(page.locator(".pv-cards")).to_have_count(0)
    expect(page.get_by_role("link", name="Open in privsc")).to_have_attribute(
        "href", re.compile(r"\?v=1&d=96")
    )
    dark = page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    assert (dark == "rgb(15, 22, 35)") == (theme == "dark")


def test_a_theme_is_a_theme_and_leave_shows_the_whole_page(app_server, open_page):
    page = open_page(app_server, "/points?present=1&controls=d.eps&d=96")
    dark = """getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
      === "rgb(15, 22, 35)" """
    with page.expect_navigation():
        page.get_by_role("button", name="Dark").click()
    page.wait_for_function(f"document.querySelector('[data-testid=stApp]') && {dark}")
    settled(page)
    expect(page.get_by_role("slider")).to_have_count(2, timeout=TIMEOUT)
    assert "embed" not in page.url
    # A link that forces a theme has that one, and is no embedding either.
    page.goto(f"{app_server.url}/intervals?present=1&embed=true&embed_options=light_theme&d=96")
    page.wait_for_url(lambda url: "embed" not in url)
    settled(page)
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("slider").first).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_role("link", name="Points", exact=True)).to_be_visible()
    expect(page.locator("#pv-page")).to_have_attribute("data-mode", "full")
    page.reload()
    settled(page)
    assert not page.evaluate(dark)
    expect(page.locator("#pv-page")).to_have_attribute("data-mode", "full")
