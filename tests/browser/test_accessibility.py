"""WCAG 2.2 AA as far as a program can tell, and pages that need no network at all."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from privsc_core.catalog import concept
from tests.browser.chromium import TIMEOUT, settled
from tests.classes import known
from tests.depth import deep, whole
from tests.pages.declared import DECLARED

CLASS_PAGES = tuple(f"/{page.slug}" for page in DECLARED.values())
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa")
OPTIONS = {"runOnly": {"type": "tag", "values": list(RULES)}, "resultTypes": ["violations"]}
FIGURE = ".st-key-main .main-svg"
BOUND = "[class*=st-key-w_open_bound-]"

# What has the focus: its name, and whether anything around it looks different than without it.
FOCUSED = """() => {
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  const near = [it, ...it.parentElement.children];
  for (let n = it.parentElement, i = 0; n && i < 4; n = n.parentElement, i += 1) near.push(n);
  const look = () => near.map((n) => {
    const s = getComputedStyle(n);
    const shown = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1.5;
    return [shown, s.boxShadow, s.borderColor].join();
  });
  const on = look();
  it.blur();
  const off = look();
  it.focus({ preventScroll: true });
  const labels = (it.getAttribute("aria-labelledby") ?? "").split(" ")
    .map((id) => document.getElementById(id))
    .map((n) => n?.getAttribute("aria-label") ?? n?.innerText ?? "").join(" ").trim();
  const name = it.getAttribute("aria-label") || labels || it.innerText
    || it.labels?.[0]?.innerText || "";
  const box = it.getBoundingClientRect();
  const seen = document.elementFromPoint(
    Math.min(Math.max(box.x + box.width / 2, 1), innerWidth - 2),
    Math.min(Math.max(box.y + box.height / 2, 1), innerHeight - 2));
  return { html: it.outerHTML.slice(0, 200), name: name.trim(), ring: on.some((v, i) => v !== off[i]),
    inside: box.bottom > 0 && box.top < innerHeight, covered: seen === null };
}"""


LABORATORY = "/laboratory"
PLAIN_PAGES = ("/", "/lectures", "/atlas", "/ours", LABORATORY)


def drawn(page, path):
    settled(page)
    if path == LABORATORY:
        expect(page.locator(".pv-matrix")).to_be_visible(timeout=TIMEOUT)
    elif path not in {"/lectures", "/atlas", "/ours"}:
        expect(page.locator(FIGURE).first).to_be_visible(timeout=TIMEOUT)
    # Before its first run a page is not running either: words that are drawn anew lose the focus.
    settled(page)


def unfold(page, selector):
    fold = page.locator(f"{selector} details").first
    fold.locator("summary").first.click()
    expect(fold).to_have_attribute("open", "")
    settled(page)


def serious(page, within=None):
    """Return what axe finds serious or critical, as text; on the page or in a part of it."""
    found = Axe().run(page, context=within, options=OPTIONS).response["violations"]
    return "\n".join(
        f"{item['id']} ({item['impact']}): {node['html'][:200]}\n  {node['failureSummary']}"
        for item in found
        if item["impact"] in {"serious", "critical"}
        for node in item["nodes"]
    )


# Every page with all that its link unfolds; the tabs of the theory are spread over the pages. What is
# dark is the same few style sheets: one page, and all of them in a deep run.
RICH = [f"/{page.slug}?{known(concept(name)).rich}" for name, page in DECLARED.items()]


def everything_open(page):
    unfold(page, ".st-key-w_open_see")
    # Its link says more than the first controls do.
    expect(page.locator(".st-key-w_open_more details")).to_have_attribute("open", "")
    page.locator(".st-key-main [data-action=table]").click()
    settled(page)
    expect(page.locator(".st-key-main .pv-scroll table")).to_be_visible()


# A page of each theme: switching a page that is drawn takes longer than opening another. The usual run
# asks axe about points, below, and about the calculator.
@pytest.mark.whole
@pytest.mark.parametrize(
    ("link", "scheme"),
    [(link, "light") for link in (*PLAIN_PAGES, *RICH[:-1], *deep([], RICH[-1:]))]
    + [(link, "dark") for link in (*deep([], [*PLAIN_PAGES, *RICH[:-1]]), RICH[-1])],
)
def test_axe_finds_nothing_serious(app_server, open_page, link, scheme):
    page = open_page(app_server, link, color_scheme=scheme)
    drawn(page, link)
    if link not in PLAIN_PAGES:
        everything_open(page)
    if "tab=notation" in link:
        expect(page.get_by_text("The set of all points that can occur")).to_be_visible()
    assert serious(page) == ""
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages.get_by_role("link", name="Points", exact=True)).to_be_visible(timeout=TIMEOUT)
    # What axe does not mind: Markdown in a name, and a name said twice.
    assert page.locator('[aria-label*="**"]').count() == 0
    for slider in page.locator("input[type=range]").all():
        assert len(slider.get_attribute("aria-labelledby").split()) == 1


@pytest.mark.whole
@pytest.mark.parametrize("path", deep(["/points"], ["/", *CLASS_PAGES]))
def test_axe_finds_nothing_serious_on_a_phone(app_server, open_page, path):
    page = open_page(
        app_server, path, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    drawn(page, path)
    if path != "/":
        everything_open(page)
        # What is half under the bar at the top is no small target.
        page.locator("[data-testid=stMain]").evaluate("page => page.scrollTo(0, 0)")
    assert serious(page) == ""


HALL = "/points?present=1&lecture=private-learning-costs-samples"


REVEALED, ASKED = "&controls=d.eps&guess=500", "&predict=1&d=128&scene=3"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("state", "scheme"),
    [(REVEALED, "light"), (ASKED, "dark"), *deep([], [(REVEALED, "dark"), (ASKED, "light")])],
)
def test_axe_finds_nothing_serious_before_an_audience(app_server, open_page, state, scheme):
    page = open_page(app_server, HALL + state, color_scheme=scheme)
    drawn(page, HALL)
    assert serious(page) == ""


PARTS = ("Link", "Present", "Embed", "QR code")
DIALOG = "[role=dialog]"


@pytest.mark.whole
@pytest.mark.parametrize(("scheme", "parts"), [("light", PARTS), ("dark", deep(PARTS[1:2], PARTS))])
def test_axe_finds_nothing_serious_in_the_share_dialog(app_server, open_page, scheme, parts):
    page = open_page(app_server, "/points", color_scheme=scheme)
    drawn(page, "/points")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog")
    for part in parts:
        dialog.get_by_text(part, exact=True).first.click()
        settled(page)
        assert serious(page, within=DIALOG) == ""
    if scheme == "light":  # what is behind it; and axe itself would find something
        assert serious(page) == ""
        page.evaluate("place => document.querySelector(place).append(new Image(9, 9))", DIALOG)
        assert "image-alt" in serious(page, within=DIALOG)


@pytest.mark.whole
def test_axe_itself_would_find_something(app_server, open_page):
    page = open_page(app_server, "/")
    page.evaluate("document.querySelector('[data-testid=stMain]').append(new Image(9, 9))")
    assert "image-alt" in serious(page)


@pytest.mark.parametrize("path", deep([whole("/"), "/points"], ["/", *CLASS_PAGES]))
def test_a_page_is_used_by_keyboard_and_read_by_axe(app_server, open_page, path):
    # A link that says a setting stays at the top, with the focus.
    page = open_page(app_server, path + "?v=2&eps=0.4&open=numbers.theory" * (path != "/"))
    drawn(page, path)
    assert serious(page) == ""
    names = []
    for _ in range(200):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if found is None:  # past the end
            break
        assert found["name"], found
        assert "**" not in found["name"], found
        assert found["ring"], found
        assert found["inside"], found
        assert not found["covered"], found
        names.append(found["name"])
    else:
        pytest.fail("Tab never leaves the page")
    assert names[0] == "Skip to main content"
    if path != "/":
        spoken = " | ".join(names)
        for part in ("ε: privacy loss", "Full screen", "What each learner needs", "Bounds"):
            assert part in spoken
        assert spoken.index("Full screen") < spoken.index("What each learner needs")
    # What axe does not mind: a name said twice.
    for slider in page.locator("input[type=range]").all():
        assert len(slider.get_attribute("aria-labelledby").split()) == 1
    if path == "/points":
        a_word_explains_itself_on_focus_and_escape_closes_it(page)


def a_word_explains_itself_on_focus_and_escape_closes_it(page):
    word, tip = page.get_by_role("button", name="proper", exact=True), page.get_by_role("tooltip")
    word.focus()
    page.wait_for_function(
        """() => {
          const id = document.activeElement.getAttribute("aria-describedby");
          const tip = id && document.querySelector(`#${id}[role=tooltip]`);
          return tip && tip.checkVisibility() && tip.textContent.includes("always a concept of the class");
        }"""
    )
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    word.hover()
    expect(tip).to_be_visible()
    tip.hover()  # it stays while the pointer rests on it
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_questions_go_on_by_keyboard_and_count_once(app_server, open_page):
    part = ".st-key-pv_practise"
    page = open_page(app_server, "/points?open=practise&seed=7")
    onward, sentence = page.locator(f"{part}_next button"), page.locator(f"{part} strong").first
    before = sentence.inner_text()
    onward.press("Enter")
    expect(sentence).not_to_have_text(before)
    expect(onward).to_be_focused()
    for choice in range(2):
        page.locator(f"{part}_{choice} button").press("Enter")
        expect(page.locator(f"{part}_{choice}")).to_contain_text(re.compile("[✓✗]"))
        expect(page.locator(".pv-practised")).to_contain_text("of 1 right")
    page.reload()
    expect(page.locator(".pv-practised")).to_contain_text("of 1 right")


@pytest.mark.whole
def test_nothing_moves_for_those_who_asked_for_that_and_the_table_scrolls_by_keyboard(
    app_server, open_page
):
    page = open_page(app_server, "/points")
    settled(page)
    # Waited for: the style sheet is an element of the page like any other, and may come again.
    page.wait_for_function(
        """() => ![...document.querySelectorAll("*")].filter((n) => {
          const s = getComputedStyle(n);
          const longest = Math.max(...s.transitionDuration.split(",").map(parseFloat));
          return longest > 0.01 || (s.animationName !== "none" && parseFloat(s.animationDuration));
        }).length"""
    )
    # What changed is said, once it has come to rest.
    page.get_by_role("slider", name="d: bits of a domain point").press("ArrowRight")
    figure = page.locator(".st-key-main figcaption")
    before = figure.inner_text()
    expect(figure).not_to_have_text(before, timeout=TIMEOUT)
    # The learners' numbers by the figure, and of the cards what it does not say: the bound.
    said = f"{figure.inner_text()} Proper: impossible below 1,497."
    expect(page.locator("#pv-aloud")).to_have_text(said, timeout=TIMEOUT)
    page.get_by_role("button", name="Show the data as a table").first.press("Enter")
    table = page.locator(".st-key-main .pv-scroll")
    expect(table).to_be_visible()
    table.press("End")
    page.wait_for_function("document.querySelector('.st-key-main .pv-scroll').scrollTop > 0")


@pytest.mark.whole
def test_mathematics_fonts_and_icons_come_from_this_server(app_server, open_page):
    # The fixture blocks every other host and fails the test if one was asked.
    page = open_page(app_server, "/points")
    fonts = []
    page.on("response", lambda answer: fonts.append(answer) if "/media/" in answer.url else None)
    drawn(page, "/points")
    unfold(page, BOUND)
    formula = page.locator(f"{BOUND} .katex-display").first
    expect(formula).to_be_visible()
    assert formula.locator("math").count() == 1, "read out"
    box = formula.locator(".katex-html").bounding_box()
    assert box["width"] > 50
    assert box["height"] > 10
    loaded = page.evaluate(
        """async () => {
          await document.fonts.ready;
          const shown = [...document.fonts].filter((f) => f.status !== "unloaded");
          return shown.map((f) => [f.family.replaceAll('"', ""), f.status]);
        }"""
    )
    assert {status for _, status in loaded} == {"loaded"}
    families = {family for family, _ in loaded}
    assert {"KaTeX_Main", "KaTeX_Math", "Material Symbols Rounded"} <= families
    # A missing icon font would spell the icon's name, many times wider than its height.
    icon = page.locator("[data-testid=stMain] [data-testid=stIconMaterial]").first.bounding_box()
    assert icon["width"] <= 1.5 * icon["height"]
    assert all(answer.ok for answer in fonts)
