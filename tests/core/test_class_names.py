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
FOLDERS = {type(concept.learners[0]).__module__.split(".")[2] for concept in CONCEPTS}
NAMES = {
    name for concept in CONCEPTS
    for name in (
        concept.name, DECLARED[concept.name].slug, *FILES.values(),
        *(x.name for kind in (concept.learners, concept.bounds, concept.distributions) for x in kind),
    )
}  # fmt: skip
# Where classes are listed: the catalog, and the pages.
LISTS = {"privsc_core/catalog.py", "pages/shared/frame/sitemap.py"}
# What is no name there, or stands for all classes: (file, word).
WORDS = {
    ("privsc_core/cli/parser.py", "point"),  # the one default
    (
        "privsc_core/concepts/contracts.py",
        "hard",
    ),  # where a lower bound stands that says nothing else
    ("privsc_core/concepts/glossary.py", "band"),  # of a picture
    ("privsc_core/draw/reading.py", "band"),
    ("privsc_core/draw/microscope_figures.py", "point"),  # of the domain
    ("privsc_core/draw/microscope_figures.py", "noise"),  # in a count
}


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
        elif isinstance(node, ast.Constant) and node.value in NAMES:
            yield node.lineno, node.value


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
    "import privsc_core.exhibits.interval.pictures", "x.name == 'exponential'",
])  # fmt: skip
def test_such_a_name_is_found(code):
    assert list(named(ast.parse(code)))
