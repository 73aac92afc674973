"""What a browser is sent first: Streamlit's own index.html, told what will be needed.

As it comes it asks for a font that no page here uses, waits for a style sheet, and leaves half of
the programs, Plotly among them, to be found one after the other, a round trip each. Everything
that is added is known when the server starts: nothing of a visitor's address is ever in it.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from streamlit import file_util

from pages.shared.host import static_files

# What the first view of a class page mounts. Streamlit loads each by itself when it comes to it.
_MOUNTED = (
    "BidiComponent", "Html", "PageLink", "Button", "ButtonGroup", "ImageList", "Slider",
    "Selectbox", "NumberInput", "rehype-katex",
)  # fmt: skip
_IMPORTS = re.compile(r'(?:\bfrom|\bimport)\s*"\./([^"/]+\.js)"')  # not import("…"): that is later
_UNUSED = re.compile(r'<link\s+rel="preload"[^>]*SourceSans[^>]*>\s*')  # the theme has its own font
_LINK = re.compile(r'<link rel="stylesheet"[^>]*href="\./(static/css/[^"]+)"[^>]*>')
_FACE = re.compile(
    r"@font-face\s*\{\s*font-family:\s*(Source Sans|Material Symbols Rounded);[^}]*\}"
)
_SOURCE = re.compile(r"url\(([^)]+)\)")
_NO_WORDS = "html:not([data-pv-icons]) [data-testid=stIconMaterial]{visibility:hidden}"
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)


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


def document(title: str, body: str = "") -> str:
    """Return the page.

    Parameters
    ----------
    title : str
        Of the browser's tab, as HTML.
    body : str
        What is put in front of the application: HTML of ours.
    """
    # Low: nothing of it is needed before the connection, whose requests go in between. The longest
    # first: while it comes, five others fetch what is small.
    plotly, chart = (f"./app/static/{name}" for name in (static_files.PLOTLY, static_files.CHART))
    hints = [
        f'<script async fetchpriority="low" src="{plotly}" onerror="this.remove()"></script>',
        f'<link rel="modulepreload" fetchpriority="low" href="{chart}">',
        *(
            f'<link rel="modulepreload" fetchpriority="low" crossorigin href="./{name}">'
            for name in needed()
        ),
    ]
    page = _UNUSED.sub("", _index())
    page = _NOSCRIPT.sub("", page)
    page = page.replace("<title>Streamlit</title>", f"<title>{title}</title>", 1)
    # Before Streamlit's style sheet, which holds everything up until it is there.
    page = _LINK.sub(lambda link: "\n".join([*hints, _style(link[1])]), page, count=1)
    return page.replace("<body>", f"<body>\n{body}", 1)


def _style(address: str) -> str:
    """Return Streamlit's style sheet as an element, without two fonts of half a megabyte.

    The one for text is asked for until the theme is known, which has another; the one for icons
    is fetched by first.js, which finds its address in the element before.
    """
    text = (Path(file_util.get_static_dir()) / address).read_text(encoding="utf-8")
    text = text.replace("url(../", "url(./static/")
    faces = {face[1]: _SOURCE.search(face[0]) for face in _FACE.finditer(text)}
    icons = faces.get("Material Symbols Rounded")
    found = (
        f'<meta name="pv-icons" content="{icons[1]}"><style>{_NO_WORDS}</style>' if icons else ""
    )
    # Disabled, it is not fetched; there, Streamlit's loader does not add it once more.
    there = f'<link rel="stylesheet" disabled href="./{address}">'
    return f"{found}{there}<style>{_FACE.sub('', text) if icons else text}</style>"
