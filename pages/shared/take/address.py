"""What is shared: the address of a view, the code that embeds it, the QR code that opens it.

Pure: values in, texts out, nothing here knows Streamlit. How the page's own values are written
into a link is in link.py; here is what goes along and how it is to be shown.
"""

from __future__ import annotations

import html
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlencode, urlsplit

import segno

from pages.shared.state.fields import CONTROLS, PRESENTING
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "COMFORT",
    "HEIGHTS",
    "LONGEST",
    "PARTS",
    "Shared",
    "address",
    "comfortable",
    "embed_code",
    "parts",
    "qr_svg",
    "stays_here",
]

Purpose: TypeAlias = Literal["link", "present", "embed"]
Theme: TypeAlias = Literal["system", "light", "dark"]

HEIGHTS = (300, 2000)  # px of an embedded page
# Characters of an address. Up to the first, a code of at most 57 x 57 dots; a code for the second
# has 117 x 117, which a telephone still reads when it is held close.
COMFORT, LONGEST = 213, 990

# What may be left out of a link, by the names of the fields; the settings always go along.
PARTS: dict[str, tuple[str, ...]] = {
    "learners": ("learners", "distribution"),
    "picture": ("view", "on_map", "pin"),
    "random": ("seed", "trials"),
    "exhibits": ("open", "tab"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What goes into an address.

    Attributes
    ----------
    purpose : {"link", "present", "embed"}
        To look around in, to project, or to put into another page.
    left_out : collection of str
        Keys that stay behind: the receiver sees the first view's values.
    controls : tuple of str
        The controls that a presenter or an embedded page keeps, by key.
    theme : {"system", "light", "dark"}
        Of a presented or embedded page.
    predict : bool
        Whether the page hides its curves until somebody commits to a guess.
    """

    purpose: Purpose = "link"
    left_out: Collection[str] = ()
    controls: tuple[str, ...] = ()
    theme: Theme = "system"
    predict: bool = False


def address(base: str, params: Mapping[str, str], shared: Shared) -> str:
    """Return the address of a page.

    Parameters
    ----------
    base : str
        The page's plain address.
    params : mapping of str to str
        The query parameters of what the page shows now.
    shared : Shared
        What goes along.

    Raises
    ------
    InputError
        When `base` is no address of a web page.
    """
    try:
        split = urlsplit(base)
    except ValueError:  # half an IPv6 address
        split = urlsplit("")
    if split.scheme not in {"http", "https"} or not split.netloc:
        raise InputError("address", "must start with http:// or https://", base)
    plain = f"{split.scheme}://{split.netloc}{split.path}"
    query = urlencode(_query(params, shared), safe=",")
    return f"{plain}?{query}" if query else plain


def _query(params: Mapping[str, str], shared: Shared) -> dict[str, str]:
    """Return the query parameters, in the order in which they are read best."""
    # How this page is shown to the one who shares it is not what is shared.
    kept = {
        key: text
        for key, text in params.items()
        if key not in PRESENTING and key not in shared.left_out and key != "v"
    }
    if shared.purpose != "link":
        if shared.purpose == "present":
            kept["present"] = "1"
        if controls := tuple(key for key in CONTROLS if key in shared.controls):
            kept["controls"] = PRESENTING["controls"].written(controls)
    if shared.predict:
        kept["predict"] = "1"
    query = {"v": params.get("v", "1"), **kept} if kept else {}
    # Streamlit reads a theme from an address only together with embed=true.
    if shared.purpose == "embed" or (shared.purpose == "present" and shared.theme != "system"):
        query["embed"] = "true"
        if shared.theme != "system":
            query["embed_options"] = f"{shared.theme}_theme"
    return query


def parts(names: Mapping[str, str], exhibits: Collection[str] = ()) -> dict[str, frozenset[str]]:
    """Return the keys of each part of a page that may be left out; parts without any are not there.

    Parameters
    ----------
    names : mapping of str to str
        The key of each field of the page, by the field's name. The knobs of a distribution are
        called ``distribution.knob`` and go with it.
    exhibits : collection of str
        The keys of the folded parts.
    """
    found = {part: {names[name] for name in PARTS[part] if name in names} for part in PARTS}
    found["learners"] |= {key for name, key in names.items() if "." in name}
    found["exhibits"] |= set(exhibits)
    return {part: frozenset(keys) for part, keys in found.items() if keys}


def embed_code(link: str, title: str, height: int) -> str:
    """Return the HTML that puts a page into another one.

    Raises
    ------
    InputError
        When the height is not one of `HEIGHTS`.
    """
    low, high = HEIGHTS
    if not low <= height <= high:
        raise InputError("height", f"must be a whole number of pixels in [{low}, {high}]", height)
    pairs = {
        "src": link,
        "title": " ".join(title.split()),
        "width": "100%",
        "height": str(height),
        "loading": "lazy",
        "style": "border:0",
        "allow": "clipboard-write; fullscreen",
    }
    inside = " ".join(f'{name}="{html.escape(text, quote=True)}"' for name, text in pairs.items())
    return f"<iframe {inside}></iframe>"


def comfortable(link: str) -> bool:
    """Tell whether the QR code of a link has dots large enough for a lecture hall."""
    return len(link) <= COMFORT


def qr_svg(link: str) -> str:
    """Return a QR code as SVG: dark on white with its quiet zone, as large as its place.

    Raises
    ------
    InputError
        When the link is too long to be read off a screen.
    """
    if len(link) > LONGEST:
        raise InputError(
            "link", f"must have at most {LONGEST} characters to be a QR code", f"{len(link):,}"
        )
    code = segno.make_qr(link, error="m")
    drawn: str = code.svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    # Between smoothed rows of dots a browser lets the white shine through. The name space makes
    # it a picture of its own, and a file.
    head = '<svg xmlns="http://www.w3.org/2000/svg" shape-rendering="crispEdges" '
    return drawn.replace("<svg ", head, 1)


def stays_here(link: str) -> bool:
    """Tell whether an address is one that other computers cannot open."""
    host = urlsplit(link).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified
