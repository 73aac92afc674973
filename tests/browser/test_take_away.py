"""What people take away, as they get it: files saved by a real browser, opened without a network."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.chromium import TIMEOUT, settled
from tests.depth import deep, whole

CHART = ".st-key-main .pv-plot"
MOST = 8e6  # bytes of the one HTML file

# Every number that Plotly holds, arrays as lists.
DATA = """plot => plot._fullData.map(({ uid, x, y, z, visible }) => ({
  uid, visible, x: Array.from(x), y: Array.from(y, (v) => (Number.isNaN(v) ? null : v)),
  z: z ? Array.from(z, (row) => Array.from(row)) : null }))"""


def drawn(page):
    expect(page.locator(f"{CHART} .main-svg").first).to_be_visible(timeout=TIMEOUT)
    settled(page)


def saved(page, button):
    with page.expect_download() as info:
        button.click()
    return info.value.suggested_filename, Path(info.value.path())


def unfold(page, words):
    part = page.locator(".st-key-pv_part_take-away details:not([open]) > summary")
    if part.count():  # on the page of a class
        part.click()
    page.get_by_text(words).click()
    settled(page)


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("/points?v=2&d=96&bounds=all", ["Success probability against m", "d = 96", "Theorem 2.4"]),
        whole("/intervals?v=2&view=map-m-d&eps=1", ["success over m and d", "ε = 1,", "Lemma 3.4"]),
    ],
)
def test_a_saved_figure_says_what_it_is_and_where_it_is_from(app_server, open_page, link, words):
    page = open_page(app_server, link)
    drawn(page)
    address = page.url.replace("%2C", ",").replace("&", "&amp;")
    page.evaluate("history.replaceState(history.state, '', `${location}&present=1&guess=9#top`)")
    tools = page.locator(".st-key-main .pv-tools")
    name, path = saved(page, tools.get_by_role("button", name="Download as SVG"))
    assert re.fullmatch(r"privsc-[\w.-]+\.svg", name)
    text = path.read_text(encoding="utf-8")
    joined = " ".join(re.findall(r">([^<>]+)</text>", text))
    for word in [*words, "privsc 0.", "et al. 2013"]:
        assert word in joined
    # The link, on one line or several, without how the page was shown.
    assert address in re.sub(r"</text><text[^>]*>", "", text)
    assert "present=1" not in text
    assert "guess" not in text
    # Nobody clicks on paper: its legend has what is drawn, and nothing else.
    hidden = page.locator(CHART).evaluate(
        "plot => plot._fullData.filter((t) => t.visible === 'legendonly').map((t) => t.name)"
    )
    assert hidden
    assert not [name for name in hidden if name[:30] in text]
    # Nor has the legend on the screen, until they are asked for.
    legend, more = page.locator(f"{CHART} .legend"), tools.get_by_role("button", name="more bounds")
    assert not [name for name in hidden if name[:30] in legend.text_content()]
    more.click()
    for name in hidden:
        expect(legend).to_contain_text(name[:30])
    more.click()
    expect(legend).not_to_contain_text(hidden[0][:30])
    # Nothing of the words lies on the plot or outside of the paper.
    boxes = page.evaluate(
        """text => {
          const place = document.createElement("div");
          place.style = "position:fixed;left:0;top:0;z-index:9999999";
          place.append(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
          document.body.append(place);
          const box = (node) => { const b = node.getBoundingClientRect();
            return [b.left, b.top, b.right, b.bottom]; };
          const paper = place.firstChild;
          const out = { paper: box(paper), words: [...paper.querySelectorAll(":scope > text")].map(box),
            plot: box([...paper.children].find((n) => n.tagName === "svg")),
            inside: [...paper.querySelectorAll("svg text")].map(box) };
          place.remove();
          return out; }""",
        text,
    )
    left, top, right, bottom = boxes["paper"]
    for box in (*boxes["words"], *boxes["inside"]):
        assert left <= box[0] < box[2] <= right
        assert top <= box[1] < box[3] <= bottom
    for box in boxes["words"]:
        assert box[3] <= boxes["plot"][1] + 6 or box[1] >= boxes["plot"][3] - 6
    _, path = saved(page, tools.get_by_role("button", name="Download as PNG"))
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") == 1920


@pytest.mark.whole
def test_one_zip_holds_everything(app_server, open_page):
    page = open_page(app_server, "/points?v=2&d=96&learners=exponential.hash")
    drawn(page)
    unfold(page, "Files: everything in one zip")
    name, path = saved(page, page.get_by_role("button", name="Everything in one zip"))
    assert name.endswith(".zip")
    expect(page.get_by_text("The zip is with your downloads.")).to_be_visible()
    with zipfile.ZipFile(path) as packed:
        assert packed.testzip() is None
        files = {item: packed.read(item) for item in packed.namelist()}
    assert set(files) == {
        "README.txt", "data.csv", "manifest.json", "references.bib", "notebook.ipynb",
        "snippet.py", "figure.svg", "figure.png",
    }  # fmt: skip
    assert b"d = 96" in files["figure.svg"]
    assert files["figure.png"][:4] == b"\x89PNG"
    manifest = json.loads(files["manifest.json"])
    assert manifest["parameters"]["d"] == 96
    assert manifest["link"].startswith(f"{app_server.url}/points?v=2")
    assert "d=96" in manifest["link"]
    # The numbers of the file are those on the screen, which have 24 bits.
    rows = list(csv.DictReader(io.StringIO(files["data.csv"].decode())))
    for trace in page.locator(CHART).evaluate(DATA):
        if trace["uid"] not in {"exponential", "hash"}:
            continue
        mine = [row for row in rows if (row["curve"], row["method"]) == (trace["uid"], "exact")]
        assert [int(row["m"]) for row in mine] == trace["x"]
        for row, y in zip(mine, trace["y"], strict=True):
            assert abs(float(row["success"]) - y) <= 2**-24


def stands_still(browser, file, caption):
    """Look at the file where no program runs, as in the preview of a mail: a figure, and why."""
    context = chromium.profile(browser, offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.get_by_text("save the file, and open it in a browser")).to_be_visible()
    expect(page.locator("input")).to_be_hidden()
    area = page.locator(".pv-still-area > svg").bounding_box()
    assert area["width"] > 400
    assert area["height"] > 200
    expect(page.locator("figcaption")).to_have_text(caption)
    expect(page.locator("#pv-link a")).to_have_attribute("href", re.compile("^http"))
    context.close()


@pytest.mark.parametrize(
    "link",
    [*deep([], ["/points?v=2&d=96&learners=exponential.hash", "/labels?d=8"]),
     "/release?view=map-m-d"],
)  # fmt: skip
def test_one_html_file_opens_without_any_network(app_server, open_page, browser, tmp_path, link):
    page = open_page(app_server, link)
    drawn(page)
    page_data = page.locator(CHART).evaluate(DATA)
    unfold(page, "One HTML file with a slider")
    name, path = saved(page, page.get_by_role("button", name="One HTML file"))
    file = tmp_path / name
    file.write_bytes(path.read_bytes())
    assert file.suffix == ".html"
    assert file.stat().st_size < MOST
    context = chromium.profile(browser, offline=True)
    troubles = []
    context.on("request", lambda r: troubles.append(r.url) if r.url != file.as_uri() else None)
    try:
        alone = context.new_page()
        alone.on("console", lambda message: troubles.append(message.text))
        alone.on("pageerror", lambda error: troubles.append(str(error)))
        alone.goto(file.as_uri())
        plot = alone.locator(".pv-plot")
        expect(plot.locator(".main-svg").first).to_be_visible()
        assert plot.evaluate(DATA) == page_data
        slider = alone.get_by_role("slider")
        start, caption = slider.input_value(), alone.locator(".pv-caption").inner_text()
        slider.focus()
        alone.keyboard.press("ArrowRight")
        expect(alone.locator(".pv-caption")).not_to_have_text(caption)
        alone.wait_for_function("document.querySelector('.pv-plot').dataset.draws >= 2")
        assert int(slider.input_value()) == int(start) + 1
        assert plot.evaluate(DATA) != page_data
        assert re.match(r"[dε] = \d", slider.get_attribute("aria-valuetext"))
        alone.keyboard.press("ArrowLeft")
        alone.wait_for_function("document.querySelector('.pv-plot').dataset.draws >= 3")
        assert plot.evaluate(DATA) == page_data
        alone.keyboard.press("Home")
        expect(slider).to_have_value("0")
        assert app_server.url in alone.locator("#pv-link a").get_attribute("href")
        assert re.search(r"@\w+\{(BBKN13|BNS15),", alone.locator("pre").text_content())
        _, path = saved(alone, alone.get_by_role("button", name="Download as SVG"))
        assert app_server.url in path.read_text(encoding="utf-8")
        wide = alone.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        stands_still(browser, file, caption)
        expect(alone.locator(".pv-still, #pv-quiet")).to_have_count(0)
    finally:
        context.close()
    assert not troubles, troubles


def test_the_chromium_of_these_tests_has_no_network():
    assert any(flag.startswith("--host-resolver-rules=MAP * ~NOTFOUND") for flag in chromium.FLAGS)
