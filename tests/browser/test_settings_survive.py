"""Settings in a real Chromium: they survive fast clicks, other pages, Back, and a cut connection."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser import chromium
from tests.browser.chromium import TIMEOUT, settled
from tests.browser.pictures import changed, finished, picture, press, shows
from tests.depth import whole

# Wait until a message of this kind was seen, by a function of the test's.
SEEN = "async (kind) => { while (!(await seen(kind))) await new Promise(requestAnimationFrame); }"


def test_settings_survive_changing_pages(app_server, open_page):
    page = open_page(app_server, "/points?d=96&tab=learners&learners=hash&open=recipe")
    before = picture(page)
    side = page.get_by_test_id("stSidebar")
    side.get_by_role("link", name="Lectures", exact=True).click()
    page.wait_for_url(f"{app_server.url}/lectures?v=2&d=96")
    settled(page)
    expect(page.locator(".st-key-pv_notes")).to_have_count(0)
    side.get_by_role("link", name="Points", exact=True).click()
    page.wait_for_url(re.compile(r"/points\?.*learners=hash"))
    shows(page, before)
    assert "tab=learners" in page.url
    assert "open=recipe" in page.url


@pytest.mark.whole
def test_back_and_forward_bring_the_settings_back(app_server, open_page):
    page = open_page(app_server, "/points?eps=1")
    shown = [picture(page)]
    page.get_by_role("slider", name=re.compile("d:")).first.focus()
    # The strip of the slider is there, so that a change is a message of its own.
    page.locator('.pv-chart[data-live~="d"]').wait_for(timeout=TIMEOUT)
    for stop in (96, 128):
        page.locator("html[data-pv-stands]").wait_for(state="attached")
        press(page, "d:")
        page.wait_for_url(re.compile(f"d={stop}"))
        shown.append(changed(page, shown[-1]))
    # Only the figure was drawn again; the links to other pages know it all the same.
    intervals = page.get_by_test_id("stSidebar").get_by_role(
        "link", name="Thresholds on 2ᵈ points", exact=True
    )
    expect(intervals).to_have_attribute("href", re.compile(r"/intervals\?v=2&d=128&eps=1$"))
    page.get_by_test_id("stSidebar").get_by_role(
        "link", name="Thresholds on 2ᵈ points", exact=True
    ).click()
    page.wait_for_url(re.compile(r"/intervals\?.*d=128"))
    finished(page)
    for wanted, address in ((2, "d=128"), (1, "d=96")):
        page.go_back()
        page.wait_for_url(re.compile(rf"/points\?.*{address}"))
        shows(page, shown[wanted])
    page.go_forward()
    page.wait_for_url(re.compile(r"/points\?.*d=128"))
    shows(page, shown[2])
    page.go_back()
    page.go_back()
    page.wait_for_url(re.compile(r"/points\?v=2&eps=1$"))
    shows(page, shown[0])


@pytest.mark.whole
def test_a_connection_that_is_cut_comes_back_with_the_settings(browser, app_server):
    context = chromium.profile(browser)
    sockets = []

    def through(route):
        route.connect_to_server()
        sockets.append(route)

    context.route_web_socket(re.compile("/_stcore/stream"), through)
    page = context.new_page()
    page.goto(f"{app_server.url}/points?learners=hash.exponential")
    before = picture(page)
    press(page, "d:")
    page.wait_for_url(re.compile("d=96"))
    after = changed(page, before)
    link = page.url
    sockets[-1].close(code=1001, reason="cut")
    expect(page.locator("#pv-connection")).to_have_text("The connection is back.")
    shows(page, after)
    press(page, "ε:")
    page.wait_for_url(re.compile("d=96.*eps=0.7"))
    changed(page, after)
    assert link.split("&")[1] in page.url
    context.close()


@pytest.mark.parametrize("held", ["asked", whole("said")])
def test_a_page_that_is_being_left_asks_for_nothing_any_more(app_server, open_page, held):
    """A slider is moved after a click on a link, on a line on which one direction is slow."""
    seen, late, holding = set(), [], False

    def through(route):
        def hear(name, send, message):
            if name == "said":
                seen.add(ForwardMsg.FromString(message).WhichOneof("type"))
            else:
                fragment = BackMsg.FromString(message).rerun_script.fragment_id
                seen.add("change" if fragment else "page")
            if holding and name == held:
                late.append((send, message))
            else:
                send(message)

        server = route.connect_to_server()
        route.on_message(partial(hear, "asked", server.send))
        server.on_message(partial(hear, "said", route.send))

    def slow_line(page):
        page.route_web_socket(re.compile("/_stcore/stream"), through)
        page.expose_function("seen", lambda kind: kind in seen)

    page = open_page(app_server, "/points", before=slow_line)
    finished(page)
    seen.clear()
    holding = True
    page.get_by_test_id("stSidebar").get_by_role(
        "link", name="Thresholds on 2ᵈ points", exact=True
    ).click()
    page.evaluate(SEEN, "page" if held == "asked" else "script_finished")
    seen.discard("change")
    press(page, "d:")
    page.evaluate(SEEN, "change")
    for send, message in late:
        send(message)
    holding = False
    page.wait_for_url(re.compile("/intervals"))
    finished(page)
    press(page, "d:")
    page.wait_for_url(re.compile(r"/intervals\?.*d=96"))
    finished(page)
