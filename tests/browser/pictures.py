"""Pictures of pages, to wait for and to compare, and what a hand does to change them.

A picture is everything that a page's figures hold: the bytes of every array, layout, title,
caption, summary and table.
"""

import json
import re

from playwright.sync_api import Error, expect

from tests.browser.chromium import TIMEOUT, settled

# The figures of a page as text, one JSON object a figure; empty until all of them are drawn.
PICTURE = """() => {
  const plain = (value) => {
    if (value && value._inputArray) value = value._inputArray;
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return value.constructor.name + [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
    }
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).filter((name) => name[0] !== "_").sort()
      .map((name) => [name, plain(value[name])]));
  };
  const charts = [...document.querySelectorAll(".pv-chart")];
  if (charts.some((chart) => !chart.querySelector(".js-plotly-plot .main-svg"))) return "";
  return charts.map((chart) => {
    const button = chart.querySelector("[data-action=table]");
    if (button.getAttribute("aria-pressed") !== "true" && !button.hidden) button.click();
    const plot = chart.querySelector(".js-plotly-plot");
    const words = [".pv-title", ".pv-caption", "figcaption", ".pv-scroll"].map(
      (name) => chart.querySelector(name).textContent);
    return JSON.stringify([words, plain(plot.data), plain(plot.layout)]);
  }).join("\\n");
}"""
# Whether a page's figures are all drawn: cheap, where reading them takes a good part of a second.
DRAWN = """() => { const charts = [...document.querySelectorAll(".pv-chart")];
  const fits = (plot) => plot?.querySelector(".main-svg")
    && Math.abs(plot._fullLayout.width - plot.clientWidth) < 2; // the page may have been narrower
  // Without its style sheet, which comes with its elements, it is narrower too.
  const styled = [...document.querySelectorAll("style")].some(
    ({ textContent }) => textContent.includes("stMainBlockContainer"));
  return styled && charts.length && charts.every((one) => fits(one.querySelector(".js-plotly-plot"))
    && one.dataset.frame === undefined && one.dataset.sketched === undefined); }"""
OFTEN = 200  # milliseconds between two readings of a picture
BUSY = ".st-key-pv_stop"  # a simulation that goes on has this button
PART = re.compile(r"[\d,]+ of [\d,]+ simulated")  # and its figure, which may be there first, this


def finished(page):
    """Wait until the page is drawn and no simulation runs."""
    settled(page)
    expect(page.locator(BUSY)).to_have_count(0, timeout=TIMEOUT)
    expect(page.locator(".st-key-main", has_text=PART)).to_have_count(0, timeout=TIMEOUT)
    settled(page)
    page.wait_for_function(DRAWN, timeout=TIMEOUT)


def picture(page):
    finished(page)
    return page.evaluate(PICTURE)


def differences(one, other, path=""):
    """Return where two pictures differ, and how: whole they are too long to read."""
    if not path:
        one, other = (json.loads(f"[{','.join(text.splitlines())}]") for text in (one, other))
    pairs = []
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = [(name, one.get(name), other.get(name)) for name in {*one, *other}]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(number, *pair) for number, pair in enumerate(zip(one, other, strict=True))]
    elif one != other:
        a, b = str(one), str(other)
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
        return [f"{path} at {at}: {a[at : at + 40]} | {b[at : at + 40]}"]
    found = [differences(a, b, f"{path}/{name}") for name, a, b in pairs if a != b]
    return [line for lines in found for line in lines]


def shows(page, wanted):
    """Wait until a page shows exactly this picture; say where it differs if it never does."""
    finished(page)
    try:
        page.wait_for_function(f"wanted => ({PICTURE})() === wanted", arg=wanted, polling=OFTEN)
    except Error:
        assert not differences(page.evaluate(PICTURE), wanted)


def agree(page, other):
    """Wait until two pages show the same picture; say where they differ if they never do."""
    for _ in range(40):
        wanted = picture(page)  # anew: what was read may have been half redrawn
        finished(other)
        try:
            other.wait_for_function(
                f"wanted => ({PICTURE})() === wanted",
                arg=wanted,
                polling=OFTEN,
                timeout=TIMEOUT / 40,
            )
        except Error:
            continue
        return
    assert not differences(picture(other), picture(page))


def changed(page, before):
    """Wait until the page shows another picture, and return it."""
    page.wait_for_function(
        f"before => {{ const now = ({PICTURE})(); return now && now !== before; }}",
        arg=before,
        polling=OFTEN,
        timeout=TIMEOUT,
    )
    return picture(page)


def press(page, name, key="ArrowRight"):
    """Move a slider by one stop."""
    page.get_by_role("slider", name=re.compile(name)).first.focus()
    page.keyboard.press(key)


def choose(page, label, option):
    """Choose from a drop-down list."""
    page.get_by_role("combobox", name=re.compile(label)).first.click()
    page.get_by_role("option", name=option).first.click()


def push(page, name):
    page.get_by_role("button", name=name).click()


def unfold(page, label):
    page.locator("summary", has_text=label).first.click()
