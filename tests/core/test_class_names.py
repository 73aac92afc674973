"""No product code knows a class, a learner, a bound or a distribution outside the class's own files.

The import contracts see who imports from a class's folder; this sees the folder itself, and names
that are written out.
"""

import ast
from pathlib import Path

import pytest

from privsc_core.catalog import CONCEPTS
from tests.pages.declared import DECLARED, FILES

ROOT = Path(__file__).parents[2]
# Those of the catalog, and of classes that are not listed yet.
FOLDERS = {file.parent.name for file in ROOT.glob("privsc_core/concepts/*/__init__.py")} - {
    "contracts",
    "generic",
    "shared",
}
CLASSES = {
    name
    for concept in CONCEPTS
    for name in (concept.name, DECLARED[concept.name].slug, FILES[concept.name])
}
# Ordinary words among them: they are looked for where something is looked up.
NAMES = {
    entry.name
    for concept in CONCEPTS
    for kind in (concept.learners, concept.bounds, concept.distributions)
    for entry in kind
}
ASKED = {"name", "learner", "bound", "distribution", "law"}
# Where classes are listed: the catalog, and the pages.
LISTS = {"privsc_core/catalog.py", "pages/shared/frame/sitemap.py"}
# What is no class there, or stands for all: (file, word).
WORDS = {
    ("privsc_core/cli/parser.py", "point"),  # the one default
    ("privsc_core/draw/microscope_figures.py", "point"),  # of the domain
    ("privsc_core/draw/microscope_figures.py", "threshold"),  # a kind of mark
    ("pages/shared/page/laboratory.py", "chain"),  # a part of the page
    ("pages/shared/page/laboratory.py", "tree"),  # as well
    ("pages/shared/page/atlas.py", "search"),  # what its field is called
    ("privsc_core/finite/ready.py", "points"),  # a small matrix, and no class of the catalog
    ("privsc_core/finite/ready.py", "intervals"),  # as well
    ("privsc_core/finite/ready.py", "thresholds"),  # as well
    ("privsc_core/finite/ready.py", "parities"),  # as well
    ("privsc_core/finite/report.py", "threshold"),  # a dimension
    ("privsc_core/finite/ready.py", "lines"),  # a small matrix as well
    ("privsc_core/finite/families.py", "lines"),  # as well
    ("privsc_core/finite/families.py", "thresholds"),  # a word of the command line, as in ready.py
    ("privsc_core/finite/families.py", "lines"),  # as well
}
# What Plotly calls its strokes, and a style their colour.
WORDS |= {
    (file, word) for word in ("line", "lines") for file in (
        "pages/shared/page/lines.py", "privsc_core/draw/boxes_figures.py",
        "privsc_core/draw/budgets_figures.py", "privsc_core/draw/budgets_figures.py",
        "privsc_core/draw/figures.py", "privsc_core/draw/landscape.py",
        "privsc_core/draw/neighbour_figures.py", "privsc_core/draw/pinned.py",
        "privsc_core/draw/reading.py", "privsc_core/draw/slack.py",
        "privsc_core.draw.landscape.py", "privsc_core/draw/still.py",
        "privsc_core/draw/traces.py",
    )
}  # fmt: skip


def own(path):
    """Tell whether a file belongs to one class: its folders, its exhibits and its page."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] == "pages":
        return parts[1] != "shared"
    # A theorem about every finite class has a name of its own, which a class then lists.
    return parts[1] in {"concepts", "exhibits"} and parts[2] in FOLDERS | {"generic"}


FILES_OF_ALL = sorted(
    path for folder in ("privsc_core", "pages") for path in (ROOT / folder).rglob("*.py")
    if not own(path) and path.relative_to(ROOT).as_posix() not in LISTS
)  # fmt: skip


def named(tree):
    """Yield (line, what) for every class that code imports from or names, but for docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or "", *(f"{node.module}.{name}" for name in modules)]
            for module in modules:
                parts = module.split(".")
                if parts[:2] in (["privsc_core", "concepts"], ["privsc_core", "exhibits"]) and (
                    set(parts[2:3]) & FOLDERS
                ):
                    yield node.lineno, module
        elif isinstance(node, ast.Constant) and node.value in CLASSES:
            yield node.lineno, node.value
        else:
            for constant in looked_up(node):
                if constant.value in NAMES:
                    yield constant.lineno, constant.value


def looked_up(node):
    """Return the constants with which something is asked for by name: compared, tabled, defaults."""
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        words = {getattr(side, "attr", getattr(side, "id", "")) for side in sides}
        within = [c for side in sides for c in ast.walk(side)] if words & ASKED else []
    elif isinstance(node, ast.Dict):
        within = [key for key in node.keys if key]
        if sum(isinstance(key, ast.Constant) and key.value in NAMES for key in within) < 2:
            within = []
    elif isinstance(node, ast.arguments):
        within = [*node.defaults, *(default for default in node.kw_defaults if default)]
    elif isinstance(node, ast.keyword) and node.arg in {"default", *ASKED}:
        within = [node.value]
    else:
        within = []
    return [constant for constant in within if isinstance(constant, ast.Constant)]


def listed(tree):
    """Return the lines of ``__all__``, which names what a module has."""
    return {
        constant.lineno for node in tree.body
        if isinstance(node, ast.Assign) and "__all__" in ast.dump(node.targets[0])
        for constant in ast.walk(node) if isinstance(constant, ast.Constant)
    }  # fmt: skip


@pytest.mark.parametrize(
    "path", [*FILES_OF_ALL, ROOT / "app.py"], ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_it_names_no_class(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(ROOT).as_posix()
    found = [
        (line, what) for line, what in named(tree)
        if line not in listed(tree) and (name, what) not in WORDS
    ]  # fmt: skip
    assert not found


@pytest.mark.parametrize("code", [
    "from privsc_core.concepts.point import POINT", "from privsc_core.concepts import release",
    "import privsc_core.exhibits.interval.pictures", "x.name == 'exponential'", "law.name in {'band'}",
    "def f(distribution='hard'): ...", "{'erm': 1, 'hash': 2}", "page = 'points'",
])  # fmt: skip
def test_such_a_name_is_found(code):
    assert list(named(ast.parse(code)))
