"""The first minute in a real browser: offered, walked through by keyboard, remembered."""

import re

from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled

FIGURE = ".st-key-main .main-svg"
# Whether a curve stands out, by its uid.
LIT = """() => Object.fromEntries([...document.querySelectorAll(".st-key-main .scatterlayer > .trace")]
  .map((group) => [group.__data__[0].trace.uid, !group.classList.contains("pv-dim")]))"""
# The page writes its cards anew, as it does when their numbers come.
WRITTEN_ANEW = """cards => { const cleared = cards.cloneNode(true);
  for (const card of cleared.children) card.classList.remove("pv-lit");
  cards.innerHTML = cleared.innerHTML; }"""


def lit(page):
    return {uid for uid, on in page.evaluate(LIT).items() if on}


def lights(page, uids):
    """Wait until these curves stand out, and no others: a busy page draws when it can."""
    page.wait_for_function(
        f"wanted => {{ const now = ({LIT})(); const on = Object.keys(now).filter((uid) => now[uid]);"
        " return on.sort().join() === wanted; }",
        arg=",".join(sorted(uids)),
    )


def words_and_curves(page):
    """Light them by keyboard and by mouse, from either side."""
    # The still of the page has these words, too: whoever is there before our program waits for it.
    page.wait_for_function("document.documentElement.dataset.pvLit !== undefined")
    settled(page)
    page.get_by_role("link", name="others", exact=True).focus()
    expect(page.locator(".pv-card.pv-lit")).to_contain_text("366")
    lights(page, {"hash", "hash-at"})
    page.locator(".pv-cards").evaluate(WRITTEN_ANEW)
    expect(page.locator(".pv-card.pv-lit")).to_contain_text("366")
    page.locator(".pv-card").first.hover()
    lights(page, {"erm", "erm-at"})
    page.locator(".st-key-main .legend .traces", has_text=re.compile("^Hash learner")).hover()
    expect(page.locator(".pv-card.pv-lit")).to_contain_text("366")
    expect(page.locator("a.pv-lit")).to_have_text("others")
    page.mouse.move(1, 1)
    page.get_by_role("link", name="others", exact=True).blur()


def test_the_first_minute(app_server, open_page):
    page = open_page(app_server, "/points")
    expect(page.locator(FIGURE).first).to_be_visible(timeout=TIMEOUT)
    offer = page.get_by_role("button", name="90-second tour")
    expect(offer).to_be_visible()
    everything = lit(page)

    words_and_curves(page)

    # Five steps, with the numbers of the page.
    offer.press("Enter")
    steps = ("The question", "The curve", "The slider", "The red edge", "The escape")
    numbers = ("22", "dotted", "22", "1,030", "366")
    for at, (title, number) in enumerate(zip(steps, numbers, strict=True), 1):
        card = page.get_by_role("dialog", name=re.compile(f"^Tour, {at} of 5 · {title}"))
        expect(card).to_contain_text(number)
        page.wait_for_function(
            "() => { const box = document.querySelector('.pv-tour').getBoundingClientRect();"
            " return box.x >= 0 && box.y >= 0 && box.right <= 1280 && box.bottom <= 720; }"
        )
        if title == "The slider":
            slider = page.get_by_role("slider").first
            slider.press("ArrowRight")  # it is the slider's own
            expect(card).to_contain_text("now d is 96")
            slider.press("ArrowLeft")
            expect(card).to_contain_text("now d is 64")
            settled(page)
            page.get_by_role("button", name="Next").focus()
        if title == "The red edge":
            lights(page, {"packing-two-lower", "packing-two-ceiling", "packing-two-area"})
        page.keyboard.press("Enter" if at % 2 else "ArrowRight")
    tour = page.get_by_role("dialog")
    expect(tour).to_have_count(0)  # Enter on the last one: Done
    expect(offer).to_be_focused()
    lights(page, everything)

    offer.press("Enter")
    page.keyboard.press("Escape")
    expect(tour).to_have_count(0)
    expect(offer).to_be_focused()

    # Who has been here is not asked again, and finds it by its link, which ends with it.
    page.goto(app_server.url + "/points?v=2&tour=1")
    expect(tour).to_have_accessible_name(re.compile("1 of 5"), timeout=TIMEOUT)
    expect(offer).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(tour).to_have_accessible_name(re.compile("2 of 5"))
    page.keyboard.press("Escape")
    expect(tour).to_have_count(0)
    page.wait_for_url(re.compile("/points$"))
    settled(page)
    expect(offer).to_have_count(0)  # the plain address, and not the first visit
