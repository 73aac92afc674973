"""No product code looks up a class, a learner, a bound or a distribution outside the class's files.

The import contracts see who imports from a class's folder; this sees the folder itself, and names
that are compared, tabled, asked for or taken as a default.
"""

import ast
from pathlib import Path

import pytest

from privsc_core.catalog import CONCEPTS

ROOT = Path(__file__).parents[2]
# Those of the catalog, and of classes that are not listed yet.
FOLDERS = {file.parent.name for file in ROOT.glob("privsc_core/concepts/*/__init__.py")} - {
    "contracts", "generic", "shared",
}  # fmt: skip
NAMES = {
    entry.name
    for concept in CONCEPTS
    for entry in (concept, *concept.learners, *concept.bounds, *concept.distributions)
}
ASKED = {"name", "concept", "learner", "bound", "distribution", "law"}
# Where classes are listed: the catalog, and the pages.
LISTS = {"privsc_core/catalog.py", "pages/shared/frame/sitemap.py"}
WORDS = {
    ("privsc_core/cli/parser.py", "point"),  # the one default
    ("pages/shared/page/laboratory.py", "chain"),  # a part of the page
    ("pages/shared/page/laboratory.py", "tree"),  # as well
    ("pages/shared/page/atlas.py", "search"),  # what its field is called
}


def own(path):
    """Tell whether a file belongs to one class: its folders, its exhibits and its page."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] == "pages":
        return parts[1] != "shared"
    # A theorem about every finite class has a name of its own, which a class then lists.
    return parts[1] in {"concepts", "exhibits"} and parts[2] in FOLDERS | {"generic"}


def named(code):
    """Yield (line, what) for every class that code imports from or looks up."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or "", *(f"{node.module}.{x.name}" for x in node.names)]
        else:
            modules = [x.name for x in node.names] if isinstance(node, ast.Import) else []
        for module in modules:
            top, folder, *rest = [*module.split("."), "", ""][:4]
            if top == "privsc_core" and folder in {"concepts", "exhibits"} and rest[0] in FOLDERS:
                yield node.lineno, module
        for value in looked_up(node):
            if isinstance(value, ast.Constant) and value.value in NAMES:
                yield value.lineno, value.value


def looked_up(node):
    """Return what something is asked for by: compared with, keys of a table, defaults."""
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        words = {getattr(side, "attr", getattr(side, "id", "")) for side in sides}
        return [c for side in sides for c in ast.walk(side)] if words & ASKED else []
    if isinstance(node, ast.Dict):
        keys = [key for key in node.keys if isinstance(key, ast.Constant) and key.value in NAMES]
        return keys if len(keys) > 1 else []
    if isinstance(node, ast.arguments):
        return [default for default in (*node.defaults, *node.kw_defaults) if default]
    if isinstance(node, ast.keyword) and node.arg in {"default", *ASKED}:
        return [node.value]
    return []


def test_no_file_of_all_names_a_class():
    files = [path for folder in ("privsc_core", "pages") for path in (ROOT / folder).rglob("*.py")]
    files = [path for path in files if not own(path)]
    assert len(files) > 100
    found = {
        (path.relative_to(ROOT).as_posix(), what)
        for path in [*files, ROOT / "app.py"]
        for _, what in named(path.read_text(encoding="utf-8"))
        if path.relative_to(ROOT).as_posix() not in LISTS
    }
    assert found == WORDS


@pytest.mark.parametrize("code", [
    "from privsc_core.concepts.point import POINT", "from privsc_core.concepts import release",
    "import privsc_core.exhibits.interval.switching", "x.name == 'exponential'", "law.name in {'band'}",
    "def f(distribution='hard'): ...", "{'erm': 1, 'hash': 2}", "concept == 'point'",
])  # fmt: skip
def test_such_a_name_is_found(code):
    assert list(named(code))
