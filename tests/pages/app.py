"""A page as `AppTest` runs it, without a browser, and what is on it."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Widget

ROOT = Path(__file__).parents[2]


def run(file: str, opened: Iterable[str] | Mapping[str, object] = (), **params: str) -> AppTest:
    """Run a page; `opened` names what a reader has opened, or has what the session knows."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    known = opened if isinstance(opened, Mapping) else dict.fromkeys(opened, True)
    for key, value in known.items():
        app.session_state[key] = value
    if file != "app.py":
        app.switch_page(file)
    for key, value in params.items():
        app.query_params[key] = value
    return app.run()


def html(app: AppTest) -> str:
    return " ".join(str(block.proto.body) for block in app.get("html"))


def param(app: AppTest, key: str) -> str | None:
    """Return what the link says; AppTest has a text or a list of one."""
    value = app.query_params.get(key)
    return value[0] if isinstance(value, list) else value


def press(app: AppTest, key: str) -> AppTest:
    return next(button for button in app.button if button.key == key).click().run()


def open_view(app: AppTest) -> dict[str, Any]:
    """Return what a reader of a page meets before opening anything: words, buttons and controls.

    Links count as buttons. The bar at the side and the figures are not part of it.
    """
    words, found = [], {"buttons": 0, "controls": 0}
    left = list(app.main.children.values())
    while left:
        node = left.pop()
        if isinstance(node, Block):
            if node.type == "expander" and not node.proto.expanded:
                words.append(node.label)
                found["buttons"] += 1
            else:
                left += node.children.values()
            continue
        kind, said = node.type, getattr(node, "value", None)
        if kind == "html":
            said = re.sub(r"<style.*?</style>", "", str(node.proto.body), flags=re.DOTALL)
            found["buttons"] += said.count("<a ")
            said = re.sub(r"<[^>]*>", " ", said)
        elif kind in {"button", "page_link", "download_button"}:
            found["buttons"] += 1
            said = node.proto.label
        elif isinstance(node, Widget):
            found["controls"] += 1
            said = node.label
        words.append(said if isinstance(said, str) else "")
    return found | {"words": words}
