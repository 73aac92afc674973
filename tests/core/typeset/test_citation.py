"""How the program is cited: one version and one date, wherever they stand."""

import re
import tomllib
from pathlib import Path

from privsc_core import __version__
from privsc_core.typeset import citation

ROOT = Path(__file__).parents[3]
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")


def field(name):
    found = re.findall(rf'^{name}: "?(.*?)"?$', CITATION, re.MULTILINE)
    assert len(found) <= 1
    return found[0] if found else None


def test_version_and_date_agree_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    newest = re.search(
        r"^## (\S+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert field("version") == __version__ == project["version"] == newest[1]
    released = "" if newest[2] == "unreleased" else newest[2]
    assert released == citation.RELEASED
    assert field("date-released") == (released or None)
    assert re.fullmatch(r"|\d{4}-\d\d-\d\d", released)
    assert __version__ in citation.EDITION
    assert f"version = {{{__version__}}}" in citation.SOFTWARE


def test_authors_title_and_licence_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (author,) = (one["name"] for one in project["authors"])
    assert f"  - name: {author}\n" in CITATION
    assert author == citation.AUTHOR
    assert author in citation.SOFTWARE
    assert field("title") in citation.SOFTWARE
    assert field("license") == project["license"]
    assert field("cff-version") == "1.2.0"
    for needed in ("message", "title", "type"):
        assert field(needed)
