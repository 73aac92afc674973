"""The fixtures themselves: the network is cut and told on, errors are seen, servers end."""

import os

import pytest
from playwright.sync_api import Error, expect

from tests.browser import chromium
from tests.browser.server import Server


def test_the_home_page_opens_with_the_network_cut(app_server, open_page):
    page = open_page(app_server)
    expect(page.locator("[data-testid=stMain]")).to_be_visible()


def test_a_fresh_server_answers_and_is_gone_afterwards():
    server = Server()
    assert server.is_healthy()
    pid = server._process.pid
    assert not server.stop()
    assert not server.is_healthy()
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_a_script_that_fails_is_told_on_twice(tmp_path, browser):
    script = tmp_path / "broken.py"
    script.write_text("raise ZeroDivisionError('planted')", encoding="utf-8")
    server = Server(script=script)
    context = chromium.profile(browser)
    page = context.new_page()
    watch = chromium.Watch(page, server.url)
    page.goto(server.url)
    expect(page.locator("[data-testid=stException]")).to_be_visible()
    watch.look(page)
    context.close()
    assert len(watch.exceptions) == 1
    assert "planted" in server.stop()


def test_a_request_to_another_host_is_blocked_and_told_on(app_server, browser):
    context = chromium.profile(browser)
    page = context.new_page()
    watch = chromium.Watch(page, app_server.url)
    page.goto(app_server.url + "/_stcore/health")
    with pytest.raises(Error, match="Failed to fetch"):
        page.evaluate("fetch('https://example.org/x')")
    context.close()
    assert watch.foreign == ["GET https://example.org/x"]
    assert "example.org" in watch.complaints()


def test_a_socket_to_another_host_is_told_on(app_server, browser):
    context = chromium.profile(browser)
    page = context.new_page()
    watch = chromium.Watch(page, app_server.url)
    page.goto(app_server.url + "/_stcore/health")
    page.evaluate(
        "new Promise(done => { new WebSocket('wss://example.org/x').onclose = () => done() })"
    )
    context.close()
    assert watch.foreign == ["WEBSOCKET wss://example.org/x"]


def test_errors_in_the_page_are_told_on(app_server, browser):
    context = chromium.profile(browser)
    page = context.new_page()
    watch = chromium.Watch(page, app_server.url)
    page.goto(app_server.url + "/_stcore/health")
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('planted') })")
    with page.expect_event("console"):
        page.evaluate("console.error('said aloud')")
    context.close()
    assert watch.page_errors == ["planted"]
    assert watch.console_errors == ["said aloud"]
