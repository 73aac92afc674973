"""The fixtures themselves: the network is cut and told on, errors are seen, servers end."""

import os

import pytest
from playwright.sync_api import Error, expect

from tests.browser import chromium
from tests.browser.server import Server


def test_a_script_that_fails_is_told_on_twice_and_its_server_is_gone_afterwards(
    tmp_path, shared_profile
):
    script = tmp_path / "broken.py"
    script.write_text("raise ZeroDivisionError('planted')", encoding="utf-8")
    server = Server(script=script)
    assert server.is_healthy()
    pid = server._process.pid
    page = shared_profile.new_page()
    watch = chromium.Watch(page, server.url)
    page.goto(server.url)
    expect(page.locator("[data-testid=stException]")).to_be_visible()
    watch.look(page)
    page.close()
    assert len(watch.exceptions) == 1
    assert "planted" in server.stop()
    assert not server.is_healthy()
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_other_hosts_are_out_of_reach_and_told_on_as_errors_are(app_server, browser):
    context = chromium.profile(browser)
    page = context.new_page()
    watch = chromium.Watch(page, app_server.url)
    page.goto(app_server.url + "/_stcore/health")
    with pytest.raises(Error, match="Failed to fetch"):
        page.evaluate("fetch('https://example.org/x')")
    page.evaluate(
        "new Promise(done => { new WebSocket('wss://example.org/x').onclose = () => done() })"
    )
    watch.console_errors.clear()
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('planted') })")
    with page.expect_event("console"):
        page.evaluate("console.error('said aloud')")
    context.close()
    assert watch.foreign == ["GET https://example.org/x", "WEBSOCKET wss://example.org/x"]
    assert watch.page_errors == ["planted"]
    assert watch.console_errors == ["said aloud"]
    assert "example.org" in watch.complaints()
