"""The sphere of the half-spaces is turned in the figure: by mouse, by finger, by arrow keys."""

import math
import re

import pytest
from playwright.sync_api import TimeoutError, expect  # noqa: A004 - Playwright's name

from tests.browser.chromium import TIMEOUT, settled

# With exact curves above, which come once.
LINK = "/halfspaces?learners=erm,arcs&open=sphere&around=0&up=0&m=50"
PLOT = ".st-key-sphere .pv-plot"
# From where it is seen, and the worst difference to the points' own projection.
SEEN = f"""() => {{
  const plot = document.querySelector('{PLOT}');
  const {{ around, up }} = plot.layout.meta.turn;
  const [a, h] = [around, up].map((angle) => angle * Math.PI / 180);
  let off = 0, points = 0;
  for (const {{ x, y, meta, uid }} of plot._fullData) {{
    if (!meta?.space || uid !== 'label1') continue;
    for (const [i, [px, py, pz]] of meta.space[0].map((_, i) => [i, meta.space.map((row) => row[i])])) {{
      const near = Math.cos(h) * (Math.cos(a) * px + Math.sin(a) * py) + Math.sin(h) * pz;
      if (Math.abs(near) < 1e-6) continue;
      if (near < 0) {{ if (Number.isFinite(x[i])) off = 9; continue; }}
      points += 1;
      // Turned back by hand: first about the horizontal, then about the vertical axis.
      const depth = Math.cos(h) * near - Math.sin(h) * y[i], z = Math.sin(h) * near + Math.cos(h) * y[i];
      off = Math.max(off, Math.hypot(
        Math.cos(a) * depth - Math.sin(a) * x[i] - px, Math.sin(a) * depth + Math.cos(a) * x[i] - py, z - pz));
    }}
  }}
  return {{ around, up, off, points }};
}}"""
UNPACKED = """() => { const plot = document.querySelector('.st-key-sphere .pv-plot');
  for (const trace of plot._fullData) if (trace.meta?.space?.[0]?.bdata) {
    trace.meta.space = trace.meta.space.map(({ bdata }) => [...new Float32Array(
      Uint8Array.from(atob(bdata), (sign) => sign.charCodeAt(0)).buffer)]); } }"""
# It has not moved for forty frames, and nothing lies over its middle: a page that was opened at a part
# goes there once more when figures above have come.
LIES_STILL = """plot => { const area = document.querySelector(`${plot} .nsewdrag`);
  const { x, y, width, height } = area.getBoundingClientRect(), place = [x, y, width, height].join();
  window.pvStill = place === window.pvPlace ? window.pvStill + 1 : 0;
  window.pvPlace = place;
  if (window.pvStill < 40) return false;
  const free = area === document.elementFromPoint(x + width / 2, y + height / 2);
  if (!free) { area.scrollIntoView({ block: "center", behavior: "instant" }); window.pvStill = 0; }
  return free; }"""


def seen(page, around, up, timeout=TIMEOUT):
    """Wait until it is seen from there; every point is where it belongs."""
    page.wait_for_function(
        "([plot, around, up]) => { const turn = document.querySelector(plot)?.layout?.meta?.turn;"
        " return turn && Math.abs(turn.around - around) < 6 && Math.abs(turn.up - up) < 6; }",
        arg=[PLOT, around, up], timeout=timeout,
    )  # fmt: skip
    page.evaluate(UNPACKED)
    found = page.evaluate(SEEN)
    assert found["points"] > 5
    assert found["off"] < 1e-5
    return found["around"], found["up"]


def in_the_link(page, around, up):
    page.wait_for_url(re.compile(rf"around={around}(&|$)"))
    page.wait_for_url(re.compile(rf"up={up}(&|$)"))
    expect(page.locator(f"{PLOT} + .pv-caption")).to_contain_text(
        f"from {around}° around and {up}° up", timeout=TIMEOUT
    )


def middle(page):
    area = page.locator(f"{PLOT} .nsewdrag").first
    # Figures above come with their own heights.
    for chart in (".st-key-main", ".st-key-sphere"):
        expect(page.locator(f"{chart} .main-svg").first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    expect(page.locator("progress")).to_have_count(0)
    page.wait_for_function(LIES_STILL, arg=PLOT, timeout=TIMEOUT)
    box = area.bounding_box()
    # A drag from edge to edge of the sphere is half a turn.
    degrees = page.evaluate(
        f"() => {{ const {{ xaxis }} = document.querySelector('{PLOT}')._fullLayout;"
        " return 90 * (xaxis.range[1] - xaxis.range[0]) / xaxis._length; }"
    )
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, degrees


def by_hand(page, act):
    """Return what a hand does at the sphere; the page anew if something moved under it or came between."""
    for _ in range(5):
        seen(page, 0, 0)
        try:
            return act(*middle(page))
        except (TimeoutError, AssertionError) as error:
            lost = error
            page.mouse.up()
            page.goto(page.url.partition("?")[0] + LINK.partition("/halfspaces")[2])
            settled(page)
    raise lost


def test_it_turns_by_mouse_and_by_keys(app_server, open_page):
    page = open_page(app_server, LINK)

    def hold(x, y, degrees):
        page.mouse.move(x, y)
        page.mouse.down()
        expect(page.locator(f"{PLOT}.pv-held")).to_be_visible(timeout=TIMEOUT / 9)
        page.mouse.move(x - 41 / degrees, y + 24 / degrees, steps=3)
        # What one holds follows the hand, before anything was sent.
        return seen(page, 41, 24, timeout=TIMEOUT / 9)

    around, up = by_hand(page, hold)
    assert math.isclose(around, 41, abs_tol=0.5)
    assert math.isclose(up, 24, abs_tol=0.5)
    assert "around=0" in page.url
    page.mouse.up()
    in_the_link(page, 40, 25)
    expect(page.locator(".st-key-w_around").get_by_role("slider")).to_have_attribute(
        "aria-valuetext", "40"
    )
    page.locator(PLOT).focus()
    for key in ("ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    in_the_link(page, 35, 30)
    assert seen(page, 35, 30) == (35, 30)


@pytest.mark.whole
def test_it_turns_by_finger(app_server, open_page):
    page = open_page(
        app_server, LINK, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844}
    )
    touch = page.context.new_cdp_session(page)
    top = "document.querySelector('[data-testid=stMain]').scrollTop"

    def send(kind, *points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]})  # fmt: skip

    def swipe(x, y, degrees):
        before = page.evaluate(top)
        send("touchStart", (x, y))
        for part in (0.25, 0.5, 0.75, 1.0):
            send("touchMove", (x + part * 40 / degrees, y + part * 30 / degrees))
        send("touchEnd")
        seen(page, -40, 30, timeout=TIMEOUT / 9)
        return before

    before = by_hand(page, swipe)
    in_the_link(page, -40, 30)
    assert seen(page, -40, 30) == (-40, 30)
    # The page has stayed where it was.
    assert page.evaluate(top) == pytest.approx(before, abs=2)
