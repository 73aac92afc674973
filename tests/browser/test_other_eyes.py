"""What is seen in forced colours, on a magnified or small projector, and on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled
from tests.depth import whole
from tests.pages.declared import DECLARED

FIGURE = ".st-key-main .main-svg"

# Marks every element that says something by its ground alone: what is chosen, and shapes without words
# and without an edge. Of those that are not chosen one beside it is enough.
MARK = """() => {
  const see = (n) => n.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !n.closest("svg, iframe");
  const sized = (n) => { const box = n.getBoundingClientRect(); return box.width > 2 && box.height > 2; };
  const clear = (s) => /^rgba.*, 0\\)$/.test(s.backgroundColor) && s.backgroundImage === "none";
  const edged = (s) => ["Top", "Right", "Bottom", "Left"].some((side) =>
    parseFloat(s[`border${side}Width`]) && s[`border${side}Style`] !== "none");
  let count = 0;
  for (const n of document.querySelectorAll("[data-testid=stMain] *, [role=dialog] *")) {
    if (!see(n) || !sized(n) || n.matches("input, [data-testid=stSkeleton]")) continue;
    const s = getComputedStyle(n);
    const chosen = ["checked", "pressed", "selected"].some((what) => n.getAttribute(`aria-${what}`) === "true");
    const shape = !clear(s) && !n.textContent.trim() && !edged(s) && !n.querySelector("button, input, svg");
    const thumb = n.matches(".stSlider *") && n.querySelector(":scope > div > input");
    if (chosen) n.dataset.seenAs = "chosen";
    else if (shape || thumb) n.dataset.seenAs = "shape";
    count += Boolean(n.dataset.seenAs);
  }
  return count;
}"""
# What of them is the colour of the page now, without an edge or an outline.
LOST = """() => {
  const [canvas, button] = ["Canvas", "ButtonFace"].map((colour) => {
    const probe = document.body.appendChild(document.createElement("p"));
    probe.style.background = colour;
    const seen = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return seen;
  });
  const lost = (n) => {
    const s = getComputedStyle(n);
    const ground = s.backgroundColor !== canvas && !/^rgba.*, 0\\)$/.test(s.backgroundColor);
    if (n.dataset.seenAs === "chosen") return !ground || s.backgroundColor === button;
    return !ground && (s.borderTopStyle === "none" || !parseFloat(s.borderTopWidth)) && s.outlineStyle === "none";
  };
  return [...document.querySelectorAll("[data-seen-as]")].filter(lost).map((n) => n.outerHTML.slice(0, 150));
}"""
POINTS, LABORATORY = "/points", "/laboratory"
READY = {LABORATORY: ".pv-matrix", "/calculator": ".pv-scale", "/atlas": "[data-testid=stTabs]"}


@pytest.mark.parametrize(
    "path",
    [POINTS]
    + [whole(path) for path in (*READY, "/", "/labels", "/delta")]
    + [whole(f"/{page.slug}") for page in DECLARED.values() if page.slug != "points"],
)
def test_what_only_a_ground_tells_is_seen_in_forced_colours(app_server, open_page, path):
    page = open_page(app_server, path)
    expect(page.locator(READY.get(path, FIGURE)).first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    page.wait_for_function(f"() => ({MARK})() > 2")  # the sliders may come after the figure
    page.emulate_media(forced_colors="active")
    assert page.evaluate(LOST) == []
    if path == POINTS:  # the focus has a colour of the system's, on a thumb as well
        page.get_by_role("slider").first.focus()
        page.keyboard.press("Home")
        ring = page.get_by_role("slider").first.evaluate(
            "n => { const s = getComputedStyle(n.parentElement.parentElement); return [s.outlineStyle, s.outlineWidth]; }"
        )
        assert ring == ["solid", "3px"]
        settled(page)
        page.emulate_media(forced_colors="none")
        page.evaluate(MARK)  # also what the slider has drawn anew
        page.emulate_media(forced_colors="active")
        # Without the sheet of forced colours this test sees what is lost.
        page.evaluate(
            "[...document.querySelectorAll('style')].filter((s) => s.textContent.includes('forced-colors'))"
            ".forEach((s) => { s.textContent = s.textContent.replaceAll('forced-colors: active', 'width: 0px'); })"
        )
        assert len(page.evaluate(LOST)) > 2


def boxes(page, *selectors):
    """Return the boxes of what is visible of some selectors, all measured at one moment."""
    return page.evaluate(
        """all => all.map((one) => [...document.querySelectorAll(one)].filter((n) => n.checkVisibility())
          .map((n) => { const b = n.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }))""",
        list(selectors),
    )


def meet(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# The words of a heading, without the empty end of their last line.
WORDS = """() => { const range = document.createRange();
  range.selectNodeContents(document.createTreeWalker(document.querySelector("h1"), NodeFilter.SHOW_TEXT).nextNode());
  const b = range.getBoundingClientRect();
  return [b.left, b.top, b.right, b.bottom]; }"""
SMALL = [(853, 480), (1024, 768), (1280, 720)]


def test_a_magnified_page_and_hall_lose_nothing(app_server, open_page):
    # As 150 % of a projector with 1280 x 720.
    page = open_page(app_server, POINTS, viewport={"width": 853, "height": 480})
    expect(page.locator(FIGURE).first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    # The browser loads the program of Streamlit's buttons late.
    expect(page.locator(".st-key-pv_tools button").nth(2)).to_be_visible()
    for width, height in SMALL:
        page.set_viewport_size({"width": width, "height": height})
        heading = page.evaluate(WORDS)
        (buttons,) = boxes(page, ".st-key-pv_tools button")
        assert len(buttons) > 2
        assert not [box for box in buttons if meet(heading, box) or box[2] > width]
    page.goto(app_server.url + "/points?present=1&lecture=private-learning-costs-samples")
    expect(page.locator(FIGURE).first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    for width, height in SMALL[::-1]:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            """() => { const foot = document.querySelector(".st-key-pv_bar").getBoundingClientRect();
              const numbers = [...document.querySelectorAll(".st-key-main :is(.xtick, .xtitle, .g-xtitle)")];
              return numbers.length > 3 && foot.bottom <= innerHeight + 1
                && numbers.every((n) => n.getBoundingClientRect().bottom <= foot.top); }"""
        )


def test_on_a_phone_a_row_is_as_high_as_its_words_and_the_tour_lies_on_no_slider(
    app_server, open_page
):
    page = open_page(app_server, POINTS, viewport={"width": 390, "height": 844})
    expect(page.locator(FIGURE).first).to_be_visible(timeout=TIMEOUT)
    settled(page)
    page.locator(".st-key-w_open_numbers summary").click()
    expect(page.locator(".st-key-pv_part_numbers .pv-table")).to_have_count(2)
    settled(page)
    sideways = "[...document.querySelectorAll('.pv-table')].filter((n) => n.scrollWidth > n.clientWidth + 1).length"
    assert page.evaluate(sideways) == 0
    rows, cells = boxes(
        page, ".st-key-pv_part_numbers tbody tr", ".st-key-pv_part_numbers tbody :is(th, td)"
    )
    assert len(rows) > 20
    for row in rows:  # no empty band of a line or more
        ends = sorted((cell[1], cell[3]) for cell in cells if meet(row, cell))
        low = ends[0][0]
        for top, bottom in ends:
            assert top - low < 24
            low = max(low, bottom)
        assert row[3] - low < 24
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.get_by_role("button", name="90-second tour").click()
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("dialog")).to_have_accessible_name("Tour, 3 of 5 · The slider")
    page.wait_for_function(
        """() => { const [card, thumb] = [".pv-tour", ".stSlider input"].map((one) => document.querySelector(one));
          const [a, b] = [card, thumb.parentElement.parentElement].map((n) => n.getBoundingClientRect());
          return a.top >= 0 && b.bottom <= innerHeight && (a.bottom <= b.top || a.top >= b.bottom)
            && document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2)?.closest(".stSlider"); }"""
    )
