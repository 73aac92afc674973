"""The presenter view in a real Chromium: lectures by keyboard, predict and reveal, embedding."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from pages.shared.hall.lectures import shipped
from tests.browser.chromium import TIMEOUT, settled
from tests.depth import deep, whole
from tests.pages.app import html, run

SHORTEST = min(shipped(), key=lambda lecture: len(lecture.scenes))
LECTURES = pytest.mark.parametrize(
    "lecture", deep([SHORTEST], shipped()), ids=lambda lecture: lecture.name
)
COUNT = ".pv-count strong"
PLOT = ".js-plotly-plot .main-svg"
# Resolves once an element has lain still for five frames: fonts and figures push it on.
STILL = """async (node) => {
  const box = () => JSON.stringify(node.getBoundingClientRect());
  for (let last = "", still = 0; still < 5; await new Promise(requestAnimationFrame)) {
    still = box() === last ? still + 1 : 0;
    last = box();
  }
}"""

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


def counted(page, number, total):
    """Wait until the foot, and no other, counts a scene: a run that was cut short leaves its own
    on the screen for a moment."""
    expect(page.locator(COUNT)).to_have_text([f"{number} of {total}"], timeout=TIMEOUT)


def shows(page, lecture, number):
    """Wait until a scene is on the screen, whole."""
    total = len(lecture.scenes)
    counted(page, number, total)
    scene = lecture.scenes[number - 1]
    expect(page.get_by_role("heading", level=1)).to_have_text(scene.title)
    expect(page.locator(".st-key-pv_scene")).to_have_text(scene.caption)
    settled(page)
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    assert f"/{scene.page}?" in page.url


def cards(lecture, number):
    """Return the numbers on the cards of a scene by another way: of a visitor who begins there."""
    scene = lecture.scenes[number - 1]
    told = dict(scene.params, present="1", lecture=lecture.name, scene=str(number))
    shown = html(run(f"pages/{scene.page}.py", **told))
    rows = re.findall(r'<dl class="pv-cards">.*?</dl>', shown, re.DOTALL)
    return re.findall(r"<strong[^>]*>([^<]*)</strong>", " ".join(rows))


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

# The middle of the first slider's thumb, if there is one, once it lies still: what is drawn later
# than the slider may push it on.
THUMB = """async () => {
  const at = () => {
    const input = document.querySelector("[class*=st-key-w_] input[type=range]:not(:disabled)");
    const box = input?.parentElement.parentElement.getBoundingClientRect();
    return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
  };
  await document.fonts.ready;
  for (let here = at(), still = 0; ; still += 1) {
    await new Promise(requestAnimationFrame);
    const now = at();
    if (String(now) !== String(here)) still = 0;
    if (still === 3) return now;
    here = now;
  }
}"""


def drag(page):
    """Drag the first slider of a scene across many of its stops; tell whether it has one."""
    at = page.evaluate(THUMB)
    if at:
        x, y = at
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + (200 if x < 640 else -200), y, steps=3)
        page.mouse.up()
    return bool(at)


@pytest.mark.whole
@LECTURES
def test_a_lecture_whose_sliders_are_dragged_runs_by_clicker_and_fits_the_screen(
    app_server, open_page, lecture
):
    # At each scene it is moved from one screen to the other; in a deep run all lectures are, and
    # go back to their beginning.
    place = shipped().index(lecture)
    page = open_page(app_server, "/lectures", viewport=SIZES[place % 2])
    page.get_by_role("link", name="Start").nth(place).focus()
    page.keyboard.press("Enter")
    for number, scene in enumerate(lecture.scenes, start=1):
        shows(page, lecture, number)
        fits(page, scene)
        # What was dragged before is forgotten: the setting is the scene's own.
        here = set(parse_qs(urlsplit(page.url).query))
        asked = {"guess"} if "predict" in scene.params else set()
        assert here - {"v", "present", "lecture", "scene"} <= set(scene.params) | asked
        expect(page.locator(".pv-cards strong")).to_have_text(cards(lecture, number))
        page.set_viewport_size(SIZES[(place + number) % 2])
        fits(page, scene)
        drag(page)
        page.keyboard.press("PageDown")
    # At the end a further step does nothing.
    shows(page, lecture, len(lecture.scenes))
    first = deep(len(lecture.scenes) - 1, 1)
    for number in range(len(lecture.scenes) - 1, first - 1, -1):
        drag(page)
        page.keyboard.press("ArrowLeft" if number % 2 else "PageUp")
        shows(page, lecture, number)
        fits(page, lecture.scenes[number - 1])
    # A reload, as a change of the theme is one, does not lose where it was begun; and a scene that
    # another page was run with, as a late move of a slider may have it, finds its own.
    here = f"/{lecture.scenes[first - 1].page}?"
    page.goto(page.url.replace(here, "/pseudorandom?"))
    shows(page, lecture, first)
    page.get_by_role("button", name="Leave").hover()
    expect(page.get_by_text("Back to where this lecture was begun.")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile("/lectures"))


def test_a_scene_with_a_question_of_two_lines_is_no_taller_than_the_screen(app_server, open_page):
    page = open_page(app_server, "/points?const=paper&learners=exponential&predict=1&present=1"
                                 "&controls=d&lecture=what-constants-cost", viewport=SIZES[0])  # fmt: skip
    expect(page.locator(".st-key-pv_kept")).to_be_visible()
    for size in SIZES:
        page.set_viewport_size(size)
        page.wait_for_function(
            "(main => main.scrollHeight <= main.clientHeight)(document.querySelector('[data-testid=stMain]'))"
        )


# Whether a question was on the screen, under each title; before anything of the page runs.
SEEN = """window.seen = new Set();
new MutationObserver(() => {
  const box = document.querySelector(".st-key-pv_ask");
  const asked = box && getComputedStyle(box).visibility === "visible";
  window.seen.add(`${document.querySelector("h1")?.textContent}: ${Boolean(asked)}`);
}).observe(document, { subtree: true, childList: true, characterData: true });"""


def steps(page, number, *keys):
    """Press keys at once, the last of which leads to a scene, and wait for it."""
    for key in keys:
        page.keyboard.press(key)
    counted(page, number, len(shipped()[2].scenes))
    settled(page)


def moves(page, says):
    """Wait until the arrow that goes up has moved the first slider."""
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_url(re.compile(says))


def test_no_key_is_lost_and_none_moves_a_slider_but_up_and_down(app_server, open_page):
    page = open_page(app_server, "/points?const=paper&learners=exponential&predict=1&present=1"
                                 "&controls=d&lecture=what-constants-cost")  # fmt: skip
    titles = [scene.title for scene in shipped()[2].scenes]
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    page.evaluate(SEEN)
    assert drag(page)
    page.wait_for_url(re.compile(r"guess=(?!100\b)"))
    url = page.url
    for key in ("PageUp", "ArrowLeft", "Home"):  # nothing is before the first scene
        page.keyboard.press(key)
    assert page.locator(".st-key-w_guess input").evaluate("n => n === document.activeElement")
    page.keyboard.press("q")
    code = page.get_by_role("dialog", name="Learning one point privately")
    expect(code).to_contain_text("points?v=2&const=paper&learners=exponential&bounds=all&predict=1")
    assert code.locator("img").evaluate("i => i.decode().then(() => i.naturalWidth)") > 0
    page.keyboard.press("Escape")
    expect(code).to_be_hidden()
    assert page.url == url
    steps(page, 2, "PageDown")
    # Under a new title there is never the question of the scene before.
    seen = page.evaluate("[...window.seen]")
    assert f"{titles[0]}: true" in seen
    assert f"{titles[1]}: false" in seen
    assert f"{titles[1]}: true" not in seen
    steps(page, 4, "PageDown", "PageDown")  # the second while scene 3 is being drawn
    moves(page, "alpha=0.02")
    steps(page, 5, "ArrowRight")
    blank = page.get_by_role("dialog", name="Blank screen")
    for key in (".", "b"):
        page.keyboard.press(key)
        expect(blank).to_be_visible()
        page.keyboard.press("PageDown")
        expect(blank).to_be_hidden()
    page.keyboard.press("l")
    expect(page.locator(".pv-scenes [aria-current]")).to_have_text(titles[4])
    page.locator(".pv-scenes").get_by_role("button", name=titles[5]).click()
    steps(page, 6)
    # The first scene still has what was guessed there.
    steps(page, 1, "Home")
    assert parse_qs(urlsplit(page.url).query)["guess"] == parse_qs(urlsplit(url).query)["guess"]
    # This lecture was begun by a link: from it, too, one comes to the lectures.
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(r"/lectures\b"))
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()
    page.keyboard.press("b")
    expect(blank).to_have_count(0)


def test_a_lecture_of_ones_own_survives_a_reload_and_is_no_markup(app_server, open_page):
    page = open_page(app_server, "/lectures")
    page.set_input_files(
        "input[type=file]", files=[{"name": "my.toml", "mimeType": "text/plain", "buffer": OWN}]
    )
    page.get_by_role("link", name="Start your lecture").click()
    counted(page, 1, 2)
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
    counted(page, 1, 2)


@pytest.mark.parametrize(
    ("page_of", "answer"),
    [
        ("points", "Exponential mechanism needs 7,442"),
        whole("labels", "GenericLearner with any number of people needs 96"),
    ],
)
def test_predict_then_reveal(app_server, open_page, page_of, answer):
    page = open_page(app_server, f"/{page_of}?d=256&predict=1")
    expect(page.locator(PLOT).first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    # Nothing gives the answer away: no curve, no card, no table, no caption.
    assert page.evaluate("document.querySelector('.js-plotly-plot').data[0].x.length") == 0
    assert "7,442" not in page.locator("[data-testid=stMain]").inner_text()
    assert "7442" not in page.content()
    page.locator(".nsewdrag").first.evaluate(STILL)
    box = page.locator(".nsewdrag").first.bounding_box()
    y = box["y"] + 0.3 * box["height"]
    page.mouse.move(box["x"] + 0.3 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y + 5, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"guess=(?!1000?\b)\d+"))
    settled(page)
    guess = int(re.search(r"guess=(\d+)", page.url)[1])
    assert guess == pytest.approx(10 ** (0.6 * 7), rel=0.1)  # the axis goes from 1 to 10⁷
    page.get_by_role("slider", name=re.compile("prediction")).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(rf"guess=(?!{guess}\b)\d+"))
    guess = int(re.search(r"guess=(\d+)", page.url)[1])
    page.get_by_role("button", name="Reveal").click()
    said = page.locator(".st-key-pv_verdict")
    expect(said).to_contain_text(f"Predicted {guess:,}. {answer}")
    expect(page.locator(".pv-cards").first).to_contain_text("3,799")
    expect(page.get_by_role("button", name="Predict first")).to_be_visible()
    # Whatever has come to lie under the pointer at rest, nothing fades at the moment of the answer.
    settled(page)
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert page.locator(".pv-lit, .pv-dim").count() == 0
    # On a map, dark or bright, the words of the guess have a ground of their own.
    drawn = page.locator(".st-key-main .js-plotly-plot")
    on_map = "plot => plot.data.some(({ type }) => type === 'heatmap')"
    ground = "plot => plot.layout.annotations[0].bgcolor ?? ''"
    assert bool(drawn.evaluate(ground)) == drawn.evaluate(on_map) == (page_of == "labels")
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(said).to_have_count(0)


@pytest.mark.parametrize("theme", [whole("light"), "dark"])
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
        "href", re.compile(r"\?v=2&d=96")
    )
    dark = page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    assert (dark == "rgb(15, 22, 35)") == (theme == "dark")


@pytest.mark.whole
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
