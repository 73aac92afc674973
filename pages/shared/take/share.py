"""The share dialog: link, presenter view, embedding, QR code."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlencode, urlsplit

import streamlit as st

from pages.shared.frame import shell
from pages.shared.hall import code as codes
from pages.shared.state import state
from pages.shared.state.fields import CONTROLS, PRESENTING
from pages.shared.state.link import VERSION
from privsc_core.errors import InputError
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


# -------------------------------------------------------------------------------------------------
# What is shared: the address of a view, the code that embeds it, the QR code that opens it.
#
# Pure: values in, texts out, nothing here knows Streamlit. How the page's own values are written
# into a link is in link.py; here is what goes along and how it is to be shown.


Purpose: TypeAlias = Literal["link", "present", "embed"]
Theme: TypeAlias = Literal["system", "light", "dark"]

HEIGHTS = (300, 2000)  # px of an embedded page

# What may be left out of a link, by the names of the fields; the settings always go along.
PARTS: dict[str, tuple[str, ...]] = {
    "learners": ("learners", "distribution"),
    "picture": ("view", "on_map", "bounds", "formula", "pin"),
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
    query = {"v": params.get("v", str(VERSION)), **kept} if kept else {}
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


_OPEN, _CLOSED = "pv_share_open", "pv_share_closed"
_HERE = Path(__file__)

# Inline, unlike the chart's program: it travels only while the dialog is open.
_COMPONENT = st.components.v2.component(
    "privsc_share",
    js=codes.JS + _HERE.with_suffix(".js").read_text(encoding="utf-8"),
    css=_HERE.with_suffix(".css").read_text(encoding="utf-8") + codes.CSS,
    isolate_styles=False,
)

_PURPOSES = {"link": "Link", "present": "Present", "embed": "Embed", "qr": "QR code"}
_WORDS = {
    "link": "The link opens this page as you see it now, with every control.",
    "present": "For the projector: one large figure, and only the controls that you keep.",
    "embed": "For your course page: HTML that shows this page, live, inside yours.",
    "qr": "For an audience: a phone that scans the code opens the page.",
}
_PARTS = {
    "learners": "Learners, distribution",
    "picture": "Picture",
    "random": "Seed, trials",
    "exhibits": "Exhibits below",
}
_THEMES: dict[Theme, str] = {"system": "As the system", "light": "Light", "dark": "Dark"}
# Closer than Streamlit sets them, so that one view holds the choices and what they do.
_STYLE = """<style>
.st-key-pv_share_dialog { gap: 0.7rem; }
.st-key-pv_share_dialog [data-testid="stCaptionContainer"] { margin: 0; }
.st-key-pv_share_dialog [data-testid="stCaptionContainer"] p { margin: 0; }
@media (max-width: 480px) { .st-key-pv_share_purpose button { padding: 0 0.55rem; } }
</style>"""
_KEPT = ("d", "eps")  # what a lecture turns most often
_SYMBOLS = {entry.key: entry.symbol for entry in PARAMETERS}


@dataclass(frozen=True, slots=True)
class _Page:
    """What the dialog knows of its page."""

    heading: str
    keys: tuple[tuple[str, str], ...]  # name and key of each field
    names: tuple[tuple[str, str], ...]  # key and words of each control
    exhibits: tuple[str, ...]
    purposes: tuple[str, ...]


@st.fragment
def button(
    heading: str,
    fields: Mapping[str, state.Field],
    exhibits: Collection[state.Field] = (),
    purposes: tuple[str, ...] = tuple(_PURPOSES),
) -> None:
    """Draw the button that opens the dialog.

    Parameters
    ----------
    heading : str
        The page's title.
    fields : mapping of str to Field
        The page's fields by name.
    exhibits : collection of Field
        The parameters of its folded parts.
    purposes : tuple of str
        What the page can be shared for.
    """
    named = {item.key: _word(item) for item in fields.values()}
    page = _Page(
        heading,
        tuple((name, item.key) for name, item in fields.items()),
        tuple((key, named[key]) for key in CONTROLS if key in named),
        tuple(item.key for item in exhibits),
        purposes,
    )
    st.button("Share", key="pv_share", on_click=_open, args=(heading,))
    # A run of the whole page, which a simulation may ask for, would close a dialog that is
    # opened by the click alone.
    if st.session_state.get(_OPEN) == heading:
        _dialog(page)
    elif st.session_state.pop(_CLOSED, False):
        # It may have been closed while such a run was about to draw it again; this one does not.
        st.rerun()


def _open(heading: str) -> None:
    st.session_state[_OPEN] = heading


def _close() -> None:
    st.session_state.pop(_OPEN, None)
    st.session_state[_CLOSED] = True


@st.dialog("Share this page", width="medium", on_dismiss=_close)
def _dialog(page: _Page) -> None:
    with st.container(key="pv_share_dialog"), shell.guard():
        st.html(_STYLE)
        purpose = st.segmented_control(
            "Purpose", page.purposes, format_func=_PURPOSES.__getitem__, default="link",
            required=True, key="pv_share_purpose", label_visibility="collapsed", wrap=True,
        )  # fmt: skip
        st.caption(_WORDS[purpose])
        top = st.container()
        shared = _options(page, purpose)
        height = _height() if purpose == "embed" else 0
        link = address(st.context.url or "", state.link(), shared)
        with top:
            if purpose == "embed":
                code = embed_code(link, f"{page.heading} (privsc)", height)
                _copy(code, "Code to embed this page", "Copy code")
            elif purpose == "qr":
                _qr(page, link)
            else:
                _copy(link, "Link to this page", "Copy link", is_link=True)
        if purpose == "embed":
            data = {"kind": "preview", "src": link, "title": "Preview", "height": height}
            _COMPONENT(key="pv_share_preview", data=data)
        if codes.stays_here(link):
            st.caption(codes.LOCAL)


def _copy(text: str, name: str, label: str, *, is_link: bool = False) -> None:
    data = {"kind": "copy", "text": text, "name": name, "label": label, "open": is_link}
    _COMPONENT(key="pv_share_copy", data=data)


def _qr(page: _Page, link: str) -> None:
    data = {
        "kind": "qr", "svg": codes.qr_svg(link), "url": link, "title": page.heading,
        "filename": "privsc-qr.svg",
    }  # fmt: skip
    _COMPONENT(key="pv_share_qr", data=data)
    if not codes.comfortable(link):
        st.caption(
            f"The link has {len(link)} characters, which makes the dots small. Up to {codes.COMFORT} characters the code "
            "can be scanned from the last row: leave something out below."
        )


def code(heading: str) -> dict[str, str]:
    """Return what the presenter view shows of the QR code of what is on the screen.

    Whoever scans it has the whole page at this setting, and an open prediction is open there too.
    """
    shared = Shared(predict=bool(state.current().get("predict")))
    link = address(st.context.url or "", state.link(), shared)
    note = codes.LOCAL.replace("*", "").replace("`", "") if codes.stays_here(link) else ""
    return {"svg": codes.qr_svg(link), "url": link, "title": heading, "note": note}


# --- what goes along ---------------------------------------------------------------------------


def _options(page: _Page, purpose: str) -> Shared:
    """Draw the choices and return what they say."""
    groups = parts(dict(page.keys), page.exhibits)
    if not groups:
        return Shared()
    kept = st.pills(
        "Also in the link, besides the settings d, ε, …",
        list(groups),
        default=list(groups),
        format_func=_PARTS.__getitem__,
        selection_mode="multi",
        wrap=True,
        key="pv_share_parts",
        help="What you leave out is shown as on a fresh page, and the link becomes shorter.",
    )
    left_out = frozenset().union(*(keys for part, keys in groups.items() if part not in kept))
    if purpose not in {"present", "embed"}:
        return Shared(left_out=left_out)
    names = dict(page.names)
    here = state.current().get("controls")
    kept_now = here if here and isinstance(here, tuple) else _KEPT
    controls = st.pills(
        "Controls that stay", list(names),
        default=[key for key in names if key in kept_now],
        format_func=names.__getitem__, selection_mode="multi", wrap=True,
        key="pv_share_controls",
    )  # fmt: skip
    theme = st.segmented_control(
        "Theme", _THEMES, format_func=_THEMES.__getitem__, default="system",
        required=True, wrap=True, key="pv_share_theme",
    )  # fmt: skip
    hidden = st.toggle(
        "Predict first: the curves stay hidden until the audience commits to a guess",
        key="pv_share_predict",
    )
    return Shared(
        purpose="embed" if purpose == "embed" else "present",
        left_out=left_out,
        controls=tuple(controls),
        theme=theme,
        predict=hidden,
    )


def _height() -> int:
    low, high = HEIGHTS
    return st.slider(
        "Height in pixels", low, high, 640, step=20, key="pv_share_height", width="stretch"
    )


def _word(item: state.Field) -> str:
    """Return what a control is called where it is chosen: its symbol, or its name."""
    word = "picture" if item.key == "view" else _SYMBOLS.get(item.key, item.name)
    return word if len(word) == 1 else word[:1].upper() + word[1:]
