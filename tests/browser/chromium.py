"""Where the real browser comes from, and what it may not do."""

import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    Request,
    ViewportSize,
    WebSocket,
    expect,
)

# The same order as in .ci/bootstrap.py.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

FLAGS = [
    "--no-sandbox",  # containers have no user namespaces, and the browser sees only our pages
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # a page finds the programs of the one before it compiled
    # The network is cut below the pages as well: no name resolves, whoever asks.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

# Milliseconds until a condition that never comes is a failure. A wait that is answered costs
# nothing, so this is for a machine that has ten other things to do; only failures take so long.
TIMEOUT = 180_000
expect.set_options(timeout=TIMEOUT)  # otherwise 5 s, wherever a test names no time

VIEWPORT: ViewportSize = {"width": 1280, "height": 720}

LOCAL_SCHEMES = {"data", "blob", "about"}


def find(playwright: Playwright) -> str | None:
    """Return the path of a Chromium: the named one, the system's, or Playwright's own."""
    named = os.environ.get("PRIVSC_CHROMIUM")
    if named:
        return named
    system = next(filter(None, map(shutil.which, NAMES)), None)
    own = playwright.chromium.executable_path
    return system or (own if own and Path(own).exists() else None)


def profile(browser: Browser, **options: Any) -> BrowserContext:
    """Return a fresh profile of the browser."""
    options = {"viewport": VIEWPORT, "reduced_motion": "reduce"} | options
    context = browser.new_context(service_workers="block", **options)
    context.set_default_timeout(TIMEOUT)
    return context


# Looked at in each frame; `expect` looks once a second in the end.
SETTLED = """() => {
  const { testConnectionState, testScriptState } = document.querySelector("[data-testid=stApp]")?.dataset ?? {};
  return testConnectionState === "CONNECTED" && testScriptState === "notRunning";
}"""


def settled(page: Page) -> None:
    """Wait until Streamlit is connected and has finished its run."""
    page.wait_for_function(SETTLED, timeout=TIMEOUT)


class Watch:
    """Remembers everything that went wrong in a page and those it opens.

    A page may talk to one server only. Others are out of reach anyway (`FLAGS`), so requests need
    not go through Playwright, which would switch the browser's cache off.
    """

    def __init__(self, page: Page, server_url: str) -> None:
        self.host = urlsplit(server_url).netloc
        self.foreign: list[str] = []
        self.console_errors: list[str] = []
        self.page_errors: list[str] = []
        self.exceptions: list[str] = []
        self.follow(page)

    def _is_foreign(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme not in LOCAL_SCHEMES and parts.netloc != self.host

    def _record(self, request: Request) -> None:
        if self._is_foreign(request.url):
            self.foreign.append(f"{request.method} {request.url}")

    def _record_socket(self, socket: WebSocket) -> None:
        if self._is_foreign(socket.url):
            self.foreign.append(f"WEBSOCKET {socket.url}")

    def follow(self, page: Page) -> None:
        """Listen to the requests, the console and the uncaught exceptions of a page."""
        page.on("request", self._record)
        page.on("websocket", self._record_socket)
        page.on("popup", self.follow)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.page_errors.append(str(error)))

    def _listen(self, message: ConsoleMessage) -> None:
        # On a deep link the front end looks for the server below the page's path first.
        probe = message.location.get("url", "").endswith(("/_stcore/health", "/host-config"))
        # Nobody but a test cuts the line, and it may cut a load that nobody waits for.
        cut = "net::ERR_INTERNET_DISCONNECTED" in message.text
        if message.type == "error" and not probe and not cut:
            self.console_errors.append(message.text)

    def look(self, page: Page) -> None:
        """Note the exceptions that Streamlit shows on a page at this moment."""
        if not page.is_closed():
            self.exceptions += page.locator("[data-testid=stException]").all_inner_texts()

    def complaints(self) -> str:
        """Return everything that went wrong as text, empty when nothing did."""
        return "\n".join(
            f"{title}:\n  " + "\n  ".join(found)
            for title, found in (
                ("requests to other hosts (blocked)", self.foreign),
                ("errors on the browser's console", self.console_errors),
                ("uncaught exceptions in the page", self.page_errors),
                ("exceptions shown on the page", self.exceptions),
            )
            if found
        )
