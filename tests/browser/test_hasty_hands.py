"""What a page says does not depend on how it came there: hasty hands, and then its own address.

Keys that follow each other at once, and are taken back at once, overtake what the server says of
them. In the end address, figure and cards must be those of a page that begins at the address.
"""

import random

import pytest
from playwright.sync_api import Error

from tests.browser.chromium import TIMEOUT
from tests.browser.pictures import differences, finished
from tests.depth import deep

ROUNDS = 15
KEYS = ("ArrowRight", "ArrowLeft")
GAPS = (0, 0, 10, 30, 100, 300)  # ms between two keys
SAID = """() => {
  const texts = (selector) => [...document.querySelectorAll(selector)]
    .filter((node) => !node.closest(".pv-gone")).map((node) => node.textContent);
  const sliders = [...document.querySelectorAll(".st-key-pv_stage input[type=range]")];
  return JSON.stringify({
    cards: texts(".pv-card"), words: texts(".pv-title, .pv-caption, .st-key-pv_claim"),
    figure: texts(".st-key-main .textpoint text").filter(Boolean).sort(),
    sliders: sliders.map((input) => input.getAttribute("aria-valuetext")),
  });
}"""


def hasty(page, hand):
    """Press keys at two sliders, and take some of them back."""
    for name in hand.choices(("d", "eps"), k=hand.randint(1, 3)):
        page.locator(f".st-key-w_{name} input[type=range]").focus()
        for _ in range(hand.randint(1, 5)):
            page.keyboard.press(hand.choice(KEYS))
            page.evaluate("gap => new Promise((done) => setTimeout(done, gap))", hand.choice(GAPS))


def apart(page, fresh):
    """Return where a page does not come to say what one says that begins at its address."""
    for _ in range(5):
        finished(page)
        address = page.url
        fresh.goto(address)
        finished(fresh)
        said = fresh.evaluate(SAID)
        try:
            page.wait_for_function(
                f"said => ({SAID})() === said", arg=said, timeout=TIMEOUT / 4, polling=100
            )
        except Error:
            if (page.url, fresh.evaluate(SAID)) == (address, said):
                return differences(page.evaluate(SAID), said)
            continue  # one of them was not yet at rest
        return []
    return ["no rest"]


@pytest.mark.whole
@pytest.mark.parametrize("name", ["points", "halfspaces", "intervals", "lines"])
def test_hasty_hands_leave_a_page_as_its_address_says(app_server, open_page, name):
    hand = random.Random(name)  # noqa: S311 - no secret
    page, fresh = open_page(app_server, f"/{name}"), open_page(app_server, f"/{name}")
    for turn in range(deep(ROUNDS, 4 * ROUNDS)):
        page.bring_to_front()
        hasty(page, hand)
        assert not apart(page, fresh), f"turn {turn}: {page.url}"
