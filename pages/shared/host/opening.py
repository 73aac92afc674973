"""What a browser is sent first: Streamlit's own index.html, told what will be needed.

As it comes it names a font that no page here uses, and leaves half of the programs, Plotly among
them, to be found one after the other, a round trip each. Everything that is added is known when
the server starts: nothing of a visitor's address is ever in it.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from streamlit import file_util

from pages.shared.host import static_files

__all__ = ["document", "needed"]

# What the first view of a class page mounts. Streamlit loads each by itself when it comes to it.
_MOUNTED = (
    "BidiComponent", "Html", "PageLink", "Button", "ButtonGroup", "ImageList", "Slider",
    "Selectbox", "NumberInput", "rehype-katex",
)  # fmt: skip
_IMPORTS = re.compile(r'(?:\bfrom|\bimport)\s*"\./([^"/]+\.js)"')  # not import("…"): that is later
_UNUSED = re.compile(r'<link\s+rel="preload"[^>]*SourceSans[^>]*>\s*')  # the theme has its own font
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)
_WITHOUT = (
    "<noscript><p>Moving the controls needs JavaScript. Without it the same numbers come from the "
    "command line (<code>privsc need --concept point -d 64</code>) and from Python "
    "(<code>import privsc_core</code>).</p></noscript>"
)


@functools.cache
def _index() -> str:
    return (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")


@functools.cache
def needed() -> tuple[str, ...]:
    """Return the addresses of Streamlit's programs that a class page needs and the page does not name."""
    folder = Path(file_util.get_static_dir()) / "static" / "js"
    named = set(re.findall(r"\./static/js/([^\"]+\.js)", _index()))
    waiting = [path.name for stem in _MOUNTED for path in sorted(folder.glob(f"{stem}.*.js"))]
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop(0)
        if name in found or name in named or not (folder / name).is_file():
            continue
        found[name] = None
        waiting += _IMPORTS.findall((folder / name).read_text(encoding="utf-8"))
    return tuple(f"static/js/{name}" for name in found)


def document(*, title: str = "", head: str = "", body: str = "", chart: bool = True) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
        Of the browser's tab, as HTML.
    head, body : str
        What is put into the head, and in front of the application: HTML of ours.
    chart : bool
        Whether the page will draw figures.
    """
    hints = [f'<link rel="modulepreload" crossorigin href="./{name}">' for name in needed()]
    if chart:
        hints += [
            f'<link rel="preload" as="script" href="./app/static/{static_files.PLOTLY}">',
            f'<link rel="modulepreload" href="./app/static/{static_files.CHART}">',
        ]
    page = _UNUSED.sub("", _index())
    page = _NOSCRIPT.sub("", page)
    if title:
        page = page.replace("<title>Streamlit</title>", f"<title>{title}</title>", 1)
    page = page.replace("</head>", "\n".join([*hints, head, "</head>"]), 1)
    return page.replace("<body>", f"<body>\n{body}{_WITHOUT}", 1)
