"""A lecture with two phones: they are asked by each scene, answer, and are told."""

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import TIMEOUT, settled

OWN = b"""title = "Mine"
about = "Two questions."
[[scene]]
title = "One"
link = "points?d=128&learners=exponential&predict=1"
caption = "First."
question = "How many at d = 128?"
[[scene]]
title = "Two"
link = "points?d=128&learners=exponential&predict=1"
caption = "Second."
question = "Is it so?"
choices = ["Yes, it is", "No"]
right = 1
"""


@pytest.mark.whole  # a server as `privsc serve` starts it visits all its pages first
def test_phones_answer_what_a_lecture_asks(fresh_server, open_page, browser, tmp_path):
    server = fresh_server(served=True, env={"PRIVSC_ROOMS": str(tmp_path / "rooms.db")})
    page = open_page(server, "/lectures", viewport={"width": 1920, "height": 1080})
    file = {"name": "my.toml", "mimeType": "text/plain", "buffer": OWN}
    page.set_input_files("input[type=file]", files=[file])
    page.get_by_role("link", name="Start your lecture").click()
    page.get_by_role("button", name="Open a room").click()
    page.get_by_role("dialog", name="Answer with your phone").get_by_role("button").click()
    room = page.locator(".pv-room")
    expect(room).to_contain_text("0 phones", timeout=TIMEOUT)
    code = room.locator("strong").text_content()
    context = browser.new_context(viewport={"width": 320, "height": 568}, has_touch=True)
    phones = [context.new_page(), browser.new_context(forced_colors="active").new_page()]
    for phone, guess in zip(phones, ("2000", "7,000"), strict=True):
        phone.goto(f"{server.url}/join/{code.lower()}")
        expect(phone.get_by_role("heading", name="How many at d = 128?")).to_be_visible()
        expect(phone.get_by_role("button", name="Commit")).to_be_disabled()
        phone.get_by_label("Or type it").fill(guess)
        phone.get_by_role("button", name="Commit").click()
        expect(phone.locator("#done")).to_contain_text("The room has it.")
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(room).to_contain_text("2 phones · 2 answered")
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".st-key-pv_verdict")).to_contain_text(
        "the median of 2 answers", timeout=TIMEOUT
    )
    expect(phones[0].locator("#truth")).to_have_text("Exponential mechanism needs 3,803.")
    expect(phones[0].locator("#own")).to_contain_text("2,000, by a factor of 1.9 too small")
    page.keyboard.press("PageDown")
    # A phone that comes again is the same phone, and has the present question.
    expect(phones[1].get_by_role("heading", name="Is it so?")).to_be_visible(timeout=TIMEOUT)
    phones[0].reload()
    phones[0].get_by_text("Yes, it is").click()
    phones[0].get_by_role("button", name="Commit").click()
    expect(room).to_contain_text("2 phones · 1 answered")
    settled(page)
    page.get_by_role("button", name="Reveal").click()
    expect(phones[0].locator("#own")).to_have_text("Your answer is right.")
    expect(phones[1].locator("#own")).to_have_text("You gave no answer.")
    expect(page.locator("li[data-right]")).to_contain_text("1 of 1", timeout=TIMEOUT)
    for phone in phones:
        phone.context.close()
