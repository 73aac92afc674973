"""What the link of each page may hold, by the page's address."""

from urllib.parse import parse_qs, urlencode

import pytest

from pages.delta import BESIDE
from pages.exhibits import interval_depth
from pages.labels import PAGE
from pages.shared.page import atlas, calculation, laboratory, lines, ours, sweeping
from pages.shared.state.link import parse, write
from tests.pages.declared import DECLARED as BY_CLASS

DECLARED = {page.slug: page for page in BY_CLASS.values()}
# By address; the home page and the lectures know what every page knows.
PAGES = {
    "": lines.FIELDS, "calculator": calculation.FIELDS, "atlas": atlas.FIELDS,
    "ours": ours.FIELDS,
    "delta": lines.fields(BESIDE), "logstar": interval_depth.FIELDS,
    "laboratory": laboratory.FIELDS, "labels": PAGE.fields, "sweep": sweeping.FIELDS,
    **{name: page.fields for name, page in DECLARED.items()},
}  # fmt: skip
EACH = pytest.mark.parametrize("page", PAGES)


def read(query, fields):
    """Read a query as the server does."""
    return parse(parse_qs(query, keep_blank_values=True), fields)


def written(values, fields):
    return urlencode(write(values, fields))
