"""QR codes: an address as a picture that a phone reads from the screen of a lecture hall.

The program that shows one as large as the screen (code.js, code.css) is part of several others.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from urllib.parse import urlsplit

import segno

from privsc_core.errors import InputError

# Characters of an address. Up to the first, a code of at most 57 x 57 dots; a code for the second
# has 117 x 117, which a telephone still reads when it is held close.
COMFORT, LONGEST = 213, 990
LOCAL = (
    "**Only this computer can open this address.** For others, start the dashboard with "
    "`privsc serve --address 0.0.0.0` and open it under this computer's name in the network."
)
_HERE = Path(__file__)
JS, CSS = (_HERE.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".js", ".css"))


def comfortable(link: str) -> bool:
    """Return whether the QR code of a link has dots large enough for a lecture hall."""
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
    """Return whether an address is one that other computers cannot open."""
    host = urlsplit(link).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    return found.is_loopback or found.is_unspecified
