"""Fixtures for tests in a real Chromium against a real server, with the network cut.

- ``app_server``    one server for all browser tests;
- ``fresh_server``  a factory: each call starts a new server, for "the first request of a fresh
                    server";
- ``browser``       one Chromium for all browser tests;
- ``open_page``     a factory: each call is a fresh profile on the server of your choice, returns
                    the Playwright page once Streamlit has finished its run.

A test fails when its page asked another host for anything, printed an error on the console,
threw, or ends showing an exception of Streamlit's; a server fails the test that used it last when its log holds a traceback. Nothing sleeps:
wait for a condition (``expect``, ``settled``), never for a time.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium
from tests.browser.chromium import settled
from tests.browser.server import Server

HERE = Path(__file__).parent
ARTIFACTS = HERE.parents[1] / ".artifacts"


def pytest_collection_modifyitems(items):
    """Mark what is in this folder, and run it last: quick tests speak first."""
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.browser)
    items[:] = [item for item in items if HERE not in item.path.parents] + ours


@pytest.fixture(scope="package")
def app_server() -> Iterator[Server]:
    server = Server()
    yield server
    trouble = server.stop()
    assert not trouble, f"the server's log shows trouble:\n{trouble}"


@pytest.fixture
def fresh_server() -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(*options: str, **settings: Any) -> Server:
        started.append(Server(*options, **settings))
        return started[-1]

    yield start
    trouble = "".join([server.stop() for server in started])
    assert not trouble, f"the server's log shows trouble:\n{trouble}"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    # Package scope, not session: Playwright keeps an event loop running in this thread, which
    # must be gone before other tests (AppTest, asyncio) want one.
    with sync_playwright() as playwright:
        path = chromium.find(playwright)
        if path is None:
            pytest.skip("no Chromium found: install one, or name one in PRIVSC_CHROMIUM")
        browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(
    request: pytest.FixtureRequest, browser: Browser, fresh_server
) -> Iterator[Callable[..., Page]]:
    # Asks for fresh_server only for the order: pages are closed before the servers they talk to.
    opened: list[tuple[Page, chromium.Watch]] = []

    def open_page(server: Server, path: str = "/", **options: Any) -> Page:
        context = chromium.profile(browser, **options)
        watch = chromium.Watch(context, server.url)
        page = context.new_page()
        opened.append((page, watch))
        page.goto(server.url + path)
        settled(page)
        return page

    yield open_page

    report = getattr(request.node, "report_call", None)
    for number, (page, watch) in enumerate(opened):
        if report is not None and report.failed and not page.is_closed():
            ARTIFACTS.mkdir(exist_ok=True)
            page.screenshot(path=ARTIFACTS / f"{request.node.name}-{number}.png")
        watch.look(page)
        page.context.close()
    complaints = "\n".join(filter(None, (watch.complaints() for _, watch in opened)))
    if complaints:
        pytest.fail(complaints, pytrace=False)
