"""Cold browsers: everything that a browser with an empty cache fetches, then the first picture.

What that is, one real Chromium says first; then raw clients fetch the same addresses. They accept gzip and throw
the bytes away.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.async_api import async_playwright

from tests.browser import chromium
from tests.load import scenarios
from tests.load.measure import Tally
from tests.load.visitor import PATIENCE, TroubleError, trusting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.load.scenarios import Hall

_CONNECTIONS = 6


async def assets(url: str) -> list[str]:
    """Return the paths that a real browser asks for on its first visit to `url`, in order."""
    paths: list[str] = []
    async with async_playwright() as playwright:
        path = chromium.find(playwright)  # type: ignore[arg-type]
        browser = await playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        try:
            page = await (await browser.new_context(ignore_https_errors=True)).new_page()
            page.on("request", lambda request: paths.append(_path(request.url)))
            await page.goto(url)
            await page.locator(".js-plotly-plot").first.wait_for()
        finally:
            await browser.close()
    return [path for path in dict.fromkeys(paths) if path]


def _path(url: str) -> str:
    parts = urlsplit(url)
    if not parts.scheme.startswith("http"):
        return ""
    return parts.path + (f"?{parts.query}" if parts.query else "")


async def cold(hall: Hall) -> dict[str, Any]:
    """Everybody comes in at once with an empty cache; until everything is there and drawn."""
    await hall.empty()
    wanted = {page: await assets(f"{hall.base}/{page}") for page in hall.pages}
    tally, record = Tally(), {"scenario": "cold-browsers", "sessions": hall.sessions}
    sizes: list[int] = []

    async def browse(number: int) -> None:
        visitor = hall.visitor(number)
        begin = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                sizes.append(await _fetch_all(hall.base, wanted[visitor.page]))
                await visitor.open()
                await visitor.arrive()
            tally.seconds.append(time.perf_counter() - begin)
        except (TroubleError, OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            tally.errors.append(f"{type(error).__name__}: {error}")
        finally:
            await visitor.close()

    async with scenarios.watched(hall, record):
        await asyncio.gather(*(browse(number) for number in range(hall.sessions)))
    record["requests_each"] = max(map(len, wanted.values()))
    record["mb_each"] = round(sum(sizes) / 2**20 / max(len(sizes), 1), 2)
    return scenarios.per_request(record | tally.record())


async def _fetch_all(base: str, paths: list[str]) -> int:
    """Fetch the page, then the rest as a browser does; return how many bytes came.

    With TLS there is HTTP/2 and one connection, over which everything is asked for at once; here
    that is HTTP/1.1 with the requests in a row. Without TLS there are six connections.
    """
    if base.startswith("https"):
        return await _fetch_some(base, iter([paths[:1], paths[1:]]))
    received = await _fetch_some(base, iter([paths[:1]]))
    rest = iter([path] for path in paths[1:])  # shared: who is free takes the next
    parts = await asyncio.gather(*(_fetch_some(base, rest) for _ in range(_CONNECTIONS)))
    return received + sum(parts)


async def _fetch_some(base: str, batches: Iterator[list[str]]) -> int:
    """Fetch over one connection; the requests of one batch are sent together."""
    where = urlsplit(base)
    secure = where.scheme == "https"
    reader, writer = await asyncio.open_connection(
        where.hostname, where.port, ssl=trusting() if secure else None, limit=2**20
    )
    received = 0
    try:
        for batch in batches:
            for path in batch:
                writer.write(
                    f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\nAccept-Encoding: gzip\r\n"
                    "User-Agent: privsc-load\r\n\r\n".encode()
                )
            for path in batch:
                received += await _answer(reader, path)
    finally:
        writer.close()
    return received


async def _answer(reader: asyncio.StreamReader, path: str) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    status = int(head.split(" ", 2)[1])
    # The two probes below a page's path are meant to fail.
    if status >= 400 and "/_stcore/" not in path:
        raise TroubleError(f"status {status} for {path}")
    fields = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
    }
    received = len(head)
    if "chunked" in fields.get("transfer-encoding", ""):
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
            received += size
        await reader.readline()
    else:
        left = int(fields.get("content-length", 0))
        received += left
        while left:
            left -= len(await reader.read(min(left, 2**18))) or left
    return received
