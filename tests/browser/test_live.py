"""Sliders that are dragged: the figure follows every stop without a round trip.

On a small page whose strips are made up (small.py), so that a test can tell every stop's frame apart
and nothing waits for a computation. Real pages: test_live_pages.py.
"""

import fcntl
import json
import re

import pytest
from playwright.sync_api import expect

from pages.shared.chart.payload import payload
from tests.browser.chromium import settled
from tests.browser.live import WATCH, grab, shows, slider, strip, touch, track

# What is on the screen, whoever drew it.
LOOK = """() => {
  const plot = document.querySelector(".pv-plot");
  const texts = (selector) => [...plot.querySelectorAll(selector)]
    .filter((node) => !node.closest(".pv-gone") && node.textContent).map((node) => node.textContent);
  const path = (selector) => plot.querySelector(selector).getAttribute("d");
  const ends = (d) => d.match(/-?[\\d.]+,-?[\\d.]+/g).map((point) => point.split(",").map(Number));
  const points = ends(path(".tracelow .js-line"));
  const written = (node) => node.textContent && !node.closest(".pv-gone");
  const places = [...plot.querySelectorAll(".textpoint text")].filter(written).flatMap((word) =>
    [word.parentNode, word, ...[...word.children].filter(written)].flatMap((node) => ["x", "y", "dy", "text-anchor", "transform"].map((name) => node.getAttribute(name))))
    .map((value) => value && value.replace(/\\d+\\.\\d+/g, (number) => Math.round(number)));
  const mark = plot.querySelector(".traceat .point").getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
  const lines = [...plot.querySelectorAll(".scatterlayer path.js-line")].filter((line) => !line.closest(".pv-gone"))
    .map((line) => getComputedStyle(line))
    .map(({ stroke, strokeWidth, strokeDasharray, fill }) => [stroke, strokeWidth, strokeDasharray, fill]);
  const { className, dataset, textContent } = document.querySelector(".pv-card");
  return { caption: document.querySelector(".pv-caption").textContent,
    card: [className, dataset.about, textContent], lines,
    words: texts(".textpoint text"), places, ticks: texts(".xaxislayer-above text").sort((a, b) => a - b),
    first: points[0], last: points.at(-1), mark };
}"""

# A hand rests at every stop for as long as the chart waits for: its timers end at once, in their order.
HASTE = "() => { window.patient = setTimeout; window.setTimeout = (act, _, ...rest) => patient(act, 0, ...rest); }"
REST = "() => new Promise((rested) => setTimeout(rested))"


def test_a_drag_draws_every_stop_and_ends_where_the_server_does(open_page, small):
    page = open_page(small, "/live")
    touch(page, "d")
    settled(page)
    # Plotly has drawn it.
    expect(page.locator(".pv-plot:not(.pv-new) .pv-own")).not_to_have_count(0)
    left, width, _, y = grab(page, "d")
    page.mouse.move(left, y)
    shows(page, "d = 1, k = 2")
    expect(page.locator(".pv-chart[data-sketched]")).to_have_count(1)
    page.evaluate(WATCH, "d")
    page.evaluate(HASTE)
    for stop in range(1, 21):
        page.mouse.move(left + width * stop / 20, y)
        shows(page, f"d = {stop + 1}, k = 2")
        page.evaluate(REST)  # also where the server's figure is
    expect(page.locator("#shown")).to_have_text("d=16 k=2")  # the server knows of nothing yet
    page.evaluate("window.setTimeout = patient")
    seen = page.evaluate("seen")
    assert seen["passed"] == list(range(1, 21))
    drawn = [text for text in dict.fromkeys(seen["drawn"]) if text != "d = 1, k = 2"]  # late
    assert drawn == [f"d = {d}, k = 2" for d in range(2, 22)]
    assert not seen["elements"]  # none came, none went
    moved = page.evaluate(LOOK)
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=21 k=2")
    expect(page.locator(".pv-chart:not([data-sketched])")).to_have_count(1)  # Plotly has drawn it
    drawn = page.evaluate(LOOK)
    shows(page, "d = 21, k = 2")
    for name in ("caption", "card", "words", "places", "ticks", "lines"):
        assert moved[name] == drawn[name]
    for name in ("first", "last", "mark"):  # to the pixel
        assert moved[name] == pytest.approx(drawn[name], abs=1.0)
    # From what Plotly has just drawn: an axis that shrinks has ticks that are moved by hand.
    left, _, _, y = grab(page, "d")
    page.mouse.move(left, y)
    shows(page, "d = 1, k = 2")
    expect(page.locator(".pv-plot .pv-own")).not_to_have_count(0)
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=1 k=2")


# What is seen of a slider, and what of it was set by hand.
SLIDER = """(name) => {
  const input = document.querySelector(`.st-key-w_${name} input[type=range]`);
  const said = input.closest(".stSlider").querySelector("[data-testid=stSliderThumbValue]");
  const [words, thumb, track] = [said, said.parentElement, said.parentElement.parentElement];
  const box = (node) => { const { x, width } = node.getBoundingClientRect(); return [x, width].map(Math.round); };
  const fill = track.firstElementChild;
  return { value: input.value, aria: input.getAttribute("aria-valuetext"), words: words.textContent, thumb: box(thumb),
    place: box(words), fill: getComputedStyle(fill).backgroundImage, own: fill.style.backgroundImage };
}"""


def test_a_thumb_that_is_moved_by_hand_is_as_streamlit_draws_it(open_page, small):
    page = open_page(small, "/live")
    touch(page, "d")
    left, width, x, y = grab(page, "d")
    page.mouse.move(x + 9, y)  # of the first move the slider hears
    for stop in (0, 7, 20):
        page.mouse.move(left + width * stop / 20, y)
        shows(page, f"d = {stop + 1}, k = 2")
        by_hand = page.evaluate(SLIDER, "d")
        assert by_hand["own"]
        page.mouse.up()
        expect(page.locator("#shown")).to_have_text(f"d={stop + 1} k=2")
        expect(page.locator(".st-key-w_d .stSlider [style*=background-image]")).to_have_count(0)
        assert page.evaluate(SLIDER, "d") == by_hand | {"own": ""}
        page.mouse.down()
        page.mouse.move(left + width * stop / 20 + (9 if stop < 20 else -9), y)


def test_the_page_does_not_move_back_and_forth_under_the_hand(open_page, small):
    page = open_page(small, "/live")

    def down():
        """Return how far down head and plot begin: below cards and a title with more lines at late stops."""
        return page.evaluate(
            "['.pv-head', '.pv-plot'].map(part => document.querySelector(part).getBoundingClientRect().top)"
        )

    touch(page, "d")
    early = down()
    slider(page, "d").press("Home")
    expect(page.locator("#shown")).to_have_text("d=1 k=2")
    settled(page)
    # As Streamlit does where words have changed, which may be after the figure has come.
    page.locator(".pv-cards").evaluate("({ parentElement: p }) => { p.innerHTML = p.innerHTML; }")
    left, width, _, y = grab(page, "d")
    page.mouse.move(left + width, y)
    shows(page, "d = 21, k = 2")
    late = down()
    assert late[0] > early[0] + 10  # or the words took no lines more
    assert late[1] > late[0] + early[1] - early[0] + 10
    page.mouse.move(left, y)
    shows(page, "d = 1, k = 2")
    assert down() == late
    page.mouse.move(left + width / 20, y)
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=2 k=2")
    settled(page)
    assert down() == late
    slider(page, "m").focus()  # another figure, whose words are its own
    page.keyboard.press("End")
    page.wait_for_function(
        "early => document.querySelector('.pv-plot').getBoundingClientRect().top === early",
        arg=early[1],
    )


def test_a_drag_after_a_zoom_has_the_ticks_of_the_zoom(open_page, small):
    page = open_page(small, "/live")
    expect(page.locator(".pv-plot .main-svg").first).to_be_visible()
    touch(page, "d")
    # Plotly draws its ticks anew, and finds those that are kept for frames among them.
    page.evaluate(
        "() => Plotly.relayout(document.querySelector('.pv-plot'), { 'xaxis.range': [0, 13] })"
    )
    left, width, _, y = grab(page, "d")
    page.mouse.move(left + width, y)
    shows(page, "d = 21, k = 2")
    moved = page.evaluate(LOOK)
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=21 k=2")
    expect(page.locator(".pv-chart:not([data-sketched])")).to_have_count(1)
    drawn = page.evaluate(LOOK)
    assert moved["ticks"] == drawn["ticks"]
    assert len(moved["ticks"]) > 1
    assert moved["mark"] == pytest.approx(drawn["mark"], abs=1.0)


def test_a_hand_that_comes_back_a_card_a_finger_and_the_last_word_of_the_server(open_page, small):
    page = open_page(small, "/live")
    touch(page, "d")
    a_drag_that_comes_back_leaves_nothing(page)
    a_card_that_was_pointed_at_when_a_drag_began_does_not_light_up_again(page)
    a_finger_drags_as_a_mouse_does(page)
    what_the_server_says_last_counts_although_it_is_on_the_screen_already(page)


def a_drag_that_comes_back_leaves_nothing(page):
    left, width, x, y = track(page, "d")
    page.mouse.move(x, y)
    before = page.evaluate(SLIDER, "d")
    page.mouse.down()
    page.evaluate(HASTE)
    for place in (x + 1, left, x + 60, left + width / 2):
        page.mouse.move(place, y)
    shows(page, "d = 11, k = 2")
    page.mouse.move(x, y)
    shows(page, "d = 16, k = 2")
    page.evaluate(REST)
    page.evaluate("window.setTimeout = patient")
    page.mouse.up()
    expect(page.locator(".pv-chart:not([data-sketched])")).to_have_count(1)  # Plotly has drawn it
    assert page.evaluate(SLIDER, "d") == before
    page.keyboard.press("ArrowRight")  # and the slider knows where it is
    expect(page.locator("#shown")).to_have_text("d=17 k=2")
    assert page.evaluate(SLIDER, "d")["words"] == "17"
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#shown")).to_have_text("d=16 k=2")


def a_card_that_was_pointed_at_when_a_drag_began_does_not_light_up_again(page):
    card = page.locator(".pv-card")
    left, width, x, y = grab(page, "d")
    # As where it is pointed at while keys move the slider: the page keeps it so, for later.
    page.evaluate("document.querySelector('.pv-card').classList.add('pv-lit')")
    page.mouse.move(left + width, y)
    shows(page, "d = 21, k = 2")
    expect(card).to_have_class(re.compile("pv-bad.* pv-lit"))
    page.evaluate("document.querySelector('.pv-card').classList.remove('pv-lit')")
    page.mouse.move(x, y)
    shows(page, "d = 16, k = 2")
    expect(card).to_have_class("pv-card pv-good")
    page.mouse.up()


def a_finger_drags_as_a_mouse_does(page):
    left, width, x, y = track(page, "d")
    session = page.context.new_cdp_session(page)

    def finger(kind, *at):
        points = [{"x": place, "y": y} for place in at]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    finger("touchStart", x)
    finger("touchMove", x - 2)
    for stop in (15, 3, 12):
        finger("touchMove", left + width * stop / 20)
        shows(page, f"d = {stop + 1}, k = 2")
    expect(page.locator("#shown")).to_have_text("d=16 k=2")
    finger("touchEnd")
    expect(page.locator("#shown")).to_have_text("d=13 k=2")
    assert page.evaluate(SLIDER, "d")["words"] == "13"


def what_the_server_says_last_counts_although_it_is_on_the_screen_already(page):
    left, _width, x, y = track(page, "d")
    # As where a key is taken back at once: the server answers both.
    answer = """number => new Promise((resolve) => {
      const card = document.querySelector(".pv-card");
      card.parentNode.innerHTML = card.outerHTML.replace(/(?<=<strong>)\\d+/, number);
      setTimeout(resolve);
    })"""
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(left, y)
    shows(page, "d = 1, k = 2")
    page.evaluate(answer, "17")
    shows(page, "d = 1, k = 2")  # that was not what the hand asks for
    page.evaluate(answer, "1")
    page.mouse.move(x, y)
    expect(page.locator(".pv-caption")).to_have_text("d = 13, k = 2")
    expect(page.locator(".pv-card strong")).to_have_text("1")
    page.mouse.up()


def test_arrow_keys_follow_and_a_stop_that_was_left_does_not_come_back(open_page, small):
    page = open_page(small, "/live")
    touch(page, "d")
    page.evaluate(WATCH, "d")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    shows(page, "d = 21, k = 2")
    expect(page.locator("#shown")).to_have_text("d=21 k=2")
    settled(page)
    # Answers to the first presses came while the slider stood elsewhere: none was shown.
    drawn = [int(text.split(",")[0].removeprefix("d = ")) for text in page.evaluate("seen.drawn")]
    assert drawn == sorted(drawn)
    # Typed between two stops, or beyond them: it is one, and the box follows the slider.
    box = page.get_by_role("textbox", name="bits, typed")
    expect(box).to_have_value("21")
    box.fill("1,030")
    box.press("Enter")
    expect(page.locator("#shown")).to_have_text("d=1030 k=2")
    page.wait_for_url("**/live?v=2&d=1030")
    expect(slider(page, "d")).to_have_attribute("aria-valuetext", "1030")
    touch(page, "d")
    page.mouse.move(*track(page, "d")[2:])
    page.mouse.down()
    page.mouse.move(track(page, "d")[0], track(page, "d")[3])
    shows(page, "d = 1, k = 2")
    expect(box).to_have_value("1")
    expect(page.locator("#shown")).to_have_text("d=1030 k=2")
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=1 k=2")


# Strips: asked for ahead, outdated, or not there yet when a slider is clicked.


def test_a_server_with_little_to_do_is_asked_before_anybody_touches(open_page, small):
    page = open_page(small, "/live?k=7")
    strip(page, "d")
    strip(page, "k")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
    )
    shows(page, "d = 16, k = 7")
    # A move makes the other strip old; it is asked for anew.
    slider(page, "d").press("ArrowRight")
    shows(page, "d = 17, k = 7")
    page.wait_for_url(re.compile("d=17"))
    strip(page, "k")


def test_a_strip_of_another_setting_is_never_drawn(open_page, small):
    page = open_page(small, "/live")
    touch(page, "d")
    touch(page, "k")
    page.keyboard.press("ArrowRight")
    shows(page, "d = 16, k = 3")
    expect(page.locator("#shown")).to_have_text("d=16 k=3")
    slider(page, "d").focus()  # asks again: the strip it had was of k = 2
    strip(page, "d", "lost")  # the server had no time for it
    touch(page, "d")
    page.keyboard.press("ArrowRight")
    shows(page, "d = 17, k = 3")
    # And the strip of d outlives the moves of d.
    expect(page.locator("#shown")).to_have_text("d=17 k=3")
    chart = page.locator(".pv-chart")
    expect(chart).to_have_attribute("data-live", "d")
    a_figure_that_plotly_drew_in_a_drag_comes_to_rest_without_the_marks_it_kept(page)
    # A figure that follows nothing forgets what it could show.
    slider(page, "m").focus()
    page.keyboard.press("ArrowRight")
    expect(chart).not_to_have_attribute("data-live", re.compile("."))
    slider(page, "d").focus()
    page.keyboard.press("ArrowRight")
    shows(page, "d = 18, k = 8")  # the server's answer
    expect(chart).not_to_have_attribute("data-live", re.compile("."))


def a_figure_that_plotly_drew_in_a_drag_comes_to_rest_without_the_marks_it_kept(page):
    touch(page, "k")
    left, width, x, y = track(page, "k")
    words = page.locator(".pv-plot .tracearea .textpoint")
    expect(words).to_be_visible()  # on a slow machine the strip may be there before Plotly is
    page.mouse.move(x, y)
    page.mouse.down()
    # The axis has a title here: Plotly draws, and keeps the words of the other stops, unseen.
    page.mouse.move(left + width * 7 / 8, y)
    shows(page, "d = 17, k = 8")
    expect(words).to_be_hidden()
    assert words.count() == 1
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=17 k=8")
    expect(page.locator(".pv-chart:not([data-sketched])")).to_have_count(1)
    expect(words).to_have_count(0)


def test_a_stop_without_a_strip_is_shown_by_itself_or_said_by_the_page(open_page, small):
    """Its server has much to do: it is asked for a strip when a hand drags, for a stop at a click."""
    x = list(range(1, 41))
    made = {
        "data": [{"type": "scatter", "mode": "lines", "name": "low", "uid": "low", "x": x, "y": x}],
        "layout": {},
    }
    figure = payload(
        made, height=300, title="Success", summary="Alone.", filename="s", caption="by itself",
    )  # fmt: skip
    page, asked, answers = open_page(small, "/live?k=6"), [], [{"json": json.loads(figure)}]

    def answer(route):
        asked.append(route.request.url.rpartition("/")[2])
        route.fulfill(**answers.pop() if answers else {"status": 204})

    page.route("**/app/stop/**", answer)
    expect(page.locator(".pv-plot .main-svg").first).to_be_visible()
    expect(slider(page, "d")).to_be_attached()
    left, width, _, y = track(page, "d")
    with small.gate.open("w") as gate:  # the server does not run while it is locked
        fcntl.flock(gate, fcntl.LOCK_EX)
        page.mouse.click(left + width / 4, y)
        expect(page.locator(".pv-caption")).to_have_text("by itself")
        expect(page.locator("#shown")).to_have_text("d=16 k=6")
    expect(page.locator("#shown")).to_have_text("d=6 k=6")
    shows(page, "d = 6, k = 6")  # the server's word is the last
    assert asked == ["5"]
    # There is none: the page says it.
    settled(page)
    page.evaluate(WATCH, "d")
    page.mouse.click(left + width * 13 / 20, y)
    expect(page.locator("#shown")).to_have_text("d=14 k=6")
    shows(page, "d = 14, k = 6")
    assert asked == ["5", "13"]
    assert set(page.evaluate("seen.drawn")) == {"d = 14, k = 6"}
    expect(page.locator(".pv-chart")).to_have_attribute("data-live", "")
    a_hand_that_drags_asks_for_parts_of_a_strip_and_for_no_single_stop(page)
    assert asked == ["5", "13"]


def a_hand_that_drags_asks_for_parts_of_a_strip_and_for_no_single_stop(page):
    left, width, _, y = grab(page, "d")
    for stop in (14, 13):
        page.mouse.move(left + width * stop / 20, y)
    strip(page, "d")
    for stop in (13, 5, 20):  # of each of the three parts
        page.mouse.move(left + width * stop / 20, y)
        expect(page.locator(".pv-caption")).to_have_text(f"d = {stop + 1}, k = 6")
    page.mouse.move(left + width * 5 / 20, y)
    expect(page.locator("#shown")).to_have_text("d=14 k=6")
    page.mouse.up()
    expect(page.locator("#shown")).to_have_text("d=6 k=6")


def test_what_was_said_before_comes_back_where_the_page_says_nothing_else(open_page, small):
    with small.gate.open("w") as gate:
        page = open_page(small, "/live?k=9")
        touch(page, "d")
        number = page.locator(".pv-card strong")
        expect(number).to_have_text("16")
        fcntl.flock(gate, fcntl.LOCK_EX)
        page.keyboard.press("ArrowRight")
        expect(number).to_have_text("≈ 17")  # the strip's, until the page says more
        # The server's figure is there, and its cards are not.
        expect(page.locator(".pv-chart")).not_to_have_attribute("data-frame", re.compile("."))
        expect(number).to_have_text("≈ 17")
        # Taken back before it does: the server's cards are those that it has sent already.
        page.keyboard.press("ArrowLeft")
        expect(number).to_have_text("≈ 16")
        fcntl.flock(gate, fcntl.LOCK_UN)
        expect(number).to_have_text("16")
