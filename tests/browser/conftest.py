"""Fixtures for tests in a real Chromium against a real server, with the network cut.

- ``app_server``    one server for all browser tests, in whichever process of the run: what one of
                    them had computed is there for the others;
- ``small``         a server of small pages whose figures are made up;
- ``fresh_server``  a factory: each call starts a new server, for "the first request of a fresh
                    server";
- ``browser``       one Chromium for all browser tests;
- ``open_page``     a factory: each call is a new page on the server of your choice, returned once
                    Streamlit has finished its run. Pages share a profile, for its cache, and what
                    they store is cleared; with options of a profile (a telephone) a page has one of
                    its own, whose first page is slow. `touch` has the pointer of a finger, `before`
                    is called with the page before it asks for anything.

A test fails when its page asked another host for anything, printed an error on the console,
threw, or ends showing an exception of Streamlit's; a server fails the test that used it last when
its log holds a traceback. Nothing sleeps: wait for a condition (``expect``, ``settled``), never for a time.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import chromium
from tests.browser.chromium import settled
from tests.browser.server import Joined, Server
from tests.browser.small import served

HERE = Path(__file__).parent
ARTIFACTS = HERE.parents[1] / ".artifacts"


def pytest_collection_modifyitems(items):
    """Mark what is in this folder, and run it last: quick tests speak first."""
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.browser)
    items[:] = [item for item in items if HERE not in item.path.parents] + ours


@pytest.fixture(scope="package")
def app_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server | Joined]:
    if not hasattr(request.config, "workerinput"):
        yield from ours()
        return
    # Of several processes the first to come starts it, and waits for the others before it stops it.
    folder = tmp_path_factory.getbasetemp().parent
    told = folder / "server.url"
    with ExitStack() as stack:
        door, users = (
            stack.enter_context((folder / name).open("w", encoding="utf-8"))
            for name in ("server.door", "server.users")
        )
        found: Server | Joined | None = None
        while found is None:
            fcntl.flock(door, fcntl.LOCK_EX)
            if not told.exists():
                found = stack.enter_context(contextmanager(ours)())
                told.write_text(found.url, encoding="utf-8")
            fcntl.flock(users, fcntl.LOCK_SH)
            if found is None and told.exists():  # nobody has stopped it while we waited
                found = Joined(told.read_text(encoding="utf-8"))
            fcntl.flock(door, fcntl.LOCK_UN)
        yield found
        if isinstance(found, Server):
            fcntl.flock(users, fcntl.LOCK_EX)
            told.unlink()


def ours() -> Iterator[Server]:
    """Yield a new server; its log must be clean in the end."""
    server = Server()
    try:
        yield server
    finally:
        trouble = server.stop()
    assert not trouble, f"the server's log shows trouble:\n{trouble}"


@pytest.fixture(scope="package")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from served(tmp_path_factory.mktemp("small"))


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


@pytest.fixture(scope="package")
def shared_profile(browser: Browser, app_server: Server | Joined) -> Iterator[BrowserContext]:
    """A profile that keeps its cache; a plain page of it keeps its process alive."""
    context = chromium.profile(browser)
    context.new_page().goto(app_server.url + "/_stcore/health")
    yield context
    context.close()


@pytest.fixture
def open_page(
    request: pytest.FixtureRequest, browser: Browser, shared_profile: BrowserContext, fresh_server
) -> Iterator[Callable[..., Page]]:
    # Asks for fresh_server only for the order: pages are closed before the servers they talk to.
    opened: list[tuple[Page, chromium.Watch]] = []

    def new_page(viewport=None, color_scheme="light", *, touch=False, **options: Any) -> Page:
        if options:
            options["color_scheme"] = color_scheme
            options["viewport"] = viewport or chromium.VIEWPORT
            return chromium.profile(browser, **options).new_page()
        page = shared_profile.new_page()
        page.set_viewport_size(viewport or chromium.VIEWPORT)
        page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
        if touch:
            page.context.new_cdp_session(page).send(
                "Emulation.setTouchEmulationEnabled", {"enabled": True}
            )
        return page

    def open_page(
        server: Server | Joined, path: str = "/", *, before=lambda _: None, **options: Any
    ) -> Page:
        page = new_page(**options)
        opened.append((page, chromium.Watch(page, server.url)))
        before(page)
        page.goto(server.url + path)
        settled(page)
        return page

    yield open_page

    report = getattr(request.node, "report_call", None)
    for number, (page, watch) in enumerate(opened):
        if not page.is_closed():
            if report is not None and report.failed:
                ARTIFACTS.mkdir(exist_ok=True)
                page.screenshot(path=ARTIFACTS / f"{request.node.name}-{number}.png")
            watch.look(page)
            page.evaluate("localStorage.clear()")
            page.close()
        if page.context is not shared_profile:
            page.context.close()
    complaints = "\n".join(filter(None, (watch.complaints() for _, watch in opened)))
    if complaints:
        pytest.fail(complaints, pytrace=False)
