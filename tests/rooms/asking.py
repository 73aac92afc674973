"""Requests to the application that answers below ``room/``, without a server."""

import asyncio
import json
from typing import NamedTuple

SITE = "privsc.example"
OURS = {"host": SITE, "origin": f"https://{SITE}", "sec-fetch-site": "same-origin"}


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


async def request(
    app, method, path, *, body=b"", address="192.0.2.1", headers=OURS, token="", secret=""
):
    path, _, query = path.partition("?")
    said = dict(headers)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    if method == "POST":
        said.setdefault("content-length", str(len(content)))
    said |= {"x-room-token": token} if token else {}
    said |= {"x-room-secret": secret} if secret else {}
    sent = []
    parts = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive():
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "query_string": query.encode("latin-1", "replace"),
        "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in said.items()],
        "client": (address, 5000),
    }  # fmt: skip
    await app(scope, receive, send)
    heads = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], heads, b"".join(part.get("body", b"") for part in sent[1:]))


def ask(app, method, path, **more):
    return asyncio.run(request(app, method, path, **more))
