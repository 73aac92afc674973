"""The class pages in a real Chromium, with the network cut."""

import re

import pytest
from playwright.sync_api import expect

from privsc_core.catalog import concept
from tests.browser.chromium import TIMEOUT, settled
from tests.classes import known
from tests.depth import deep, firsts, whole
from tests.pages.declared import DECLARED

# Each page that has a d, with a curve of its first view that moves with it.
MOVING = {
    f"/{page.slug}": known(concept(name)).moving
    for name, page in DECLARED.items() if known(concept(name)).moving
}  # fmt: skip
DECLARED_AT = {f"/{page.slug}": page for page in DECLARED.values()}
PLACES = {f"/{page.slug}": known(concept(name)).moves_on for name, page in DECLARED.items()}
MOVES_ON = {path: f"?v=1&dist={law}&d=64" for path, law in PLACES.items() if law}
PAGES = pytest.mark.parametrize("path", MOVING)
CHART = ".st-key-main .js-plotly-plot"
TRACES = f"document.querySelector('{CHART}').data"


def further(path):
    """Return where the slider of d stands after a step from where a page opens."""
    item = DECLARED_AT[path].settings["d"]
    first = 64 if path in MOVES_ON else item.default
    return next(int(stop) for stop in item.stops if stop > first)


def curve(page, path):
    """Return the page's moving curve as the browser holds it."""
    return page.evaluate(
        f"uid => {{ const y = {TRACES}.find(t => t.uid === uid).y;"
        " return Array.from(y._inputArray ?? y); }",
        MOVING[path],
    )


def view_of(page):
    """Return the zoom, and which curves are hidden; their marks come and go with their numbers."""
    return page.evaluate(
        f"""() => {{ const plot = document.querySelector('{CHART}');
          return [plot._fullLayout.xaxis.range, plot._fullLayout.yaxis.range,
            plot._fullData.filter(t => t.visible === 'legendonly').map(t => t.uid)
              .filter(uid => !uid.endsWith("-at"))]; }}"""
    )


def drawn(page):
    settled(page)
    expect(page.locator(f"{CHART} .main-svg").first).to_be_visible(timeout=TIMEOUT)


# What the first view says: the separation of points, and that nobody escapes with intervals.
FIRST = {
    "/points": (("22", "1,030", "366"), "Impossible for every proper ε-DP"),
    "/intervals": (("29", "72", "1,994", "2,087"), "Impossible for every ε-DP learner"),
}
# Phone, hall and laptop. What is folded away is decided when the page opens, what is beside what at
# any time.
SIZES = [(390, 844), (1920, 1080), (1280, 720)]


def fits(page, size):
    """Wait until the figure is on a screen of this size; nothing sticks out of it."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(
        f"document.querySelector('{CHART}').getBoundingClientRect().right <= innerWidth"
    )
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


# The words on a figure that lie over others. A line's box is higher than what is seen of it.
COVERED = f"""() => {{
  const texts = [...document.querySelectorAll("{CHART} .textpoint text")];
  const lines = texts.flatMap((text, i) => [text, ...text.querySelectorAll("tspan.line")]
    .filter((line) => !line.querySelector("tspan") && line.textContent.trim())
    .map((line) => [i, line.textContent, line.getBoundingClientRect()]));
  return lines.flatMap(([i, one, a]) => lines.filter(([k, , b]) => i < k
    && a.left < b.right && b.left < a.right && a.top + 4 < b.bottom && b.top + 4 < a.bottom)
    .map(([, other]) => [one, other]));
}}"""


@pytest.mark.parametrize("path", firsts(deep(list(MOVING)[::3], MOVING)))
def test_a_control_changes_the_figure_and_keeps_zoom_and_hidden_curves(app_server, open_page, path):
    # That the link then opens the same picture, on a server that has just started: test_links.
    page = open_page(app_server, path + MOVES_ON.get(path, ""))
    drawn(page)
    numbers, sentence = FIRST.get(path, ((), ""))
    for number in numbers:
        expect(page.locator(".pv-cards")).to_contain_text(number)
    expect(page.locator(".st-key-main")).to_contain_text(sentence)
    unzoomed = view_of(page)
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    x, y, width, height = (box[name] for name in ("x", "y", "width", "height"))
    page.mouse.move(x + 0.3 * width, y + 0.3 * height)
    page.mouse.down()
    page.mouse.move(x + 0.7 * width, y + 0.7 * height, steps=4)
    page.mouse.up()
    page.wait_for_function(
        f"x => document.querySelector('{CHART}')._fullLayout.xaxis.range[0] !== x",
        arg=unzoomed[0][0],
    )
    page.locator(f"{CHART} .legendtoggle").last.click()
    page.wait_for_function(
        f"n => document.querySelector('{CHART}')._fullData"
        ".filter(t => t.visible === 'legendonly').length > n",
        arg=len(unzoomed[2]),
    )
    zoomed, before = view_of(page), curve(page, path)
    cards = page.locator(".pv-cards").text_content()
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pv-cards")).not_to_have_text(cards)
    page.wait_for_url(re.compile(f"[?&]d={further(path)}(&|$)"))
    settled(page)
    page.wait_for_function(
        f"([uid, before]) => {{ const y = {TRACES}.find(t => t.uid === uid).y;"
        " return JSON.stringify(Array.from(y._inputArray ?? y)) !== JSON.stringify(before); }",
        arg=[MOVING[path], before],
    )
    assert view_of(page) == zoomed
    page.get_by_role("slider").nth(1).focus()
    for turn in range(deep(2, 8)):
        page.keyboard.press("ArrowRight" if turn % 2 == 0 else "ArrowLeft")
        settled(page)
    assert view_of(page) == zoomed
    for size in SIZES[1:]:
        fits(page, size)


# Colours move nothing: every second page is dark, and in a deep run all are both, at all sizes. In
# the usual run two pages are looked at, by the tests around this one.
@pytest.mark.parametrize(
    ("path", "scheme", "size"),
    deep(
        [whole(path, ("light", "dark")[n // 2 % 2], SIZES[0]) for n, path in enumerate(MOVING)],
        [(path, scheme, size) for path in MOVING for scheme in ("light", "dark") for size in SIZES],
    ),
    ids=str,
)
def test_nothing_sticks_out_at_any_size(app_server, open_page, path, scheme, size):
    viewport = dict(zip(("width", "height"), size, strict=True))
    page = open_page(app_server, path, viewport=viewport, color_scheme=scheme)
    drawn(page)
    fits(page, size)


# Least m that lie close, three of them at the right edge; and three that are one, told apart by name.
@pytest.mark.parametrize(
    "link",
    [
        "/intervals?eps=0.01&d=256&delta=1e-06&learners=erm.exponential.tree.search",
        whole("/points?d=64&learners=exponential.permute-and-flip.generic.generic-flip.margin"),
        whole("/conjunctions?d=8"),
        whole("/points?d=2&eps=10&learners=erm.exponential.permute-and-flip"),
    ],
)
def test_numbers_beside_marks_do_not_cover_each_other(app_server, open_page, link):
    page = open_page(app_server, link, viewport={"width": SIZES[0][0], "height": SIZES[0][1]})
    drawn(page)
    for size in SIZES:
        fits(page, size)
        page.wait_for_function(
            f"([width, height]) => innerWidth === width && document.querySelectorAll('{CHART} .textpoint').length",
            arg=list(size),
        )
        expect(page.locator(f"{CHART} .textpoint").first).to_be_visible()
        assert page.evaluate(COVERED) == []


@pytest.mark.whole
def test_the_number_at_the_end_of_an_axis_is_written_in_a_first_picture(app_server, open_page):
    page = open_page(app_server, "/parities?learners=erm.elimination-klnrs")
    drawn(page)
    expect(page.locator(f"{CHART} .xtick text").filter(has_text="2,000")).to_be_visible()


# A simulation that arrives on another page: test_live_pages.py.
@pytest.mark.whole
def test_a_simulation_arrives_with_progress_and_ends(app_server, open_page):
    page = open_page(app_server, "/points?dist=bystanders&trials=500")
    drawn(page)
    expect(page.locator(".st-key-main")).to_contain_text("(simulated)", timeout=TIMEOUT)


@pytest.mark.whole
def test_what_takes_long_has_a_bar_that_moves_and_can_be_stopped(app_server, open_page):
    page = open_page(app_server, "/intervals?eps=0.05&alpha=0.05&beta=0.05&open=see")
    drawn(page)
    page.get_by_text("Least m on each distribution").click()
    place = "[class*='st-key-pv_wait_contrast_picture']"
    bar = page.locator(f"{place} progress")
    # Without the loops of the core being heard there would be a bar, and no value.
    page.wait_for_function(
        f"""() => {{ const bar = document.querySelector(`{place} progress`);
          const shares = (window.shares ??= new Set());
          if (bar?.hasAttribute('value')) shares.add(bar.value);
          return shares.size >= 3; }}""",
        timeout=TIMEOUT,
    )
    shares = page.evaluate("[...shares]")
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    expect(bar).to_have_accessible_name(re.compile(r"^Computing … \d+ %"))
    assert page.locator(CHART).count() == 1  # nothing else waits with it
    page.locator(f"{place} button").click()
    expect(page.get_by_role("button", name="Compute it after all")).to_be_visible(timeout=TIMEOUT)
    expect(bar).to_have_count(0)


@pytest.mark.whole
def test_running_times_are_measured_and_drawn(app_server, open_page):
    points = deep(3, 10)
    page = open_page(app_server, "/pseudorandom?v=2&open=why")
    drawn(page)
    page.get_by_text("Measure the running time here").click()
    expect(page.locator(".st-key-time .main-svg").first).to_be_visible(timeout=TIMEOUT)
    page.wait_for_function(
        "document.querySelector('.st-key-time .js-plotly-plot')?._fullData"
        f"?.find(t => t.uid === 'measured')?.x.length >= {points}",
        timeout=TIMEOUT,
    )


def test_a_setting_that_is_mended_brings_its_sections_back(app_server, open_page):
    page = open_page(app_server, "/points?dist=bystanders&d=3")
    expect(page.get_by_text("No figure is drawn: there is no such setting.")).to_be_visible()
    section = page.locator(".st-key-pv_part_take-away")
    expect(section).to_have_count(0)
    # The slider stays under the hand: what is missing above and beside it keeps its room.
    moved = page.get_by_role("slider").first
    before = moved.bounding_box()["y"]
    moved.focus()
    page.keyboard.press("ArrowRight")
    drawn(page)
    expect(section).to_have_count(1)
    assert moved.bounding_box()["y"] == pytest.approx(before, abs=30)


@pytest.mark.whole
def test_an_open_section_follows_the_controls_and_a_folded_one_costs_nothing(app_server, open_page):
    page = open_page(app_server, "/points?v=2&open=take-away")
    drawn(page)
    fold = page.locator(".st-key-w_open_recipe")
    fold.locator("summary").click()
    expect(fold).to_contain_text("d=64", timeout=TIMEOUT)
    settled(page)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(fold).to_contain_text("d=96", timeout=TIMEOUT)
    page.wait_for_url(re.compile(r"open=take-away\.recipe"))
