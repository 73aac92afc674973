"""Every sentence that a page, figure, help text, lecture, command or the README can show, with its place.

Collected are all strings of the code that are not docstrings, programs or markup, those of browser programs
that begin with a capital letter, the tables of the literature, and the lectures.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_CODE = ("app.py", "pages/**/*.py", "privsc_core/**/*.py")
_TABLES = ("privsc_core/**/*.toml", "assets/lectures/*.toml")
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_PROGRAM = re.compile(
    r"=>|;\s*\}|\bimport \w+ from|`\$\{|print\(|\{\s*[\w-]+:|</?style|http-equiv|\(\?[P:=!]|^[#\[]|^\s*CREATE TABLE|\bcall\('[A-Z]+',|\\[sdbw][+*]|::"
)
_ABBREVIATED = r"(?<!\bal\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
_ENDS = re.compile(
    rf"(?<=[.!?:]){_ABBREVIATED}\s+(?=[A-Z$'\"“(*{{0-9]|--|privsc)|(?<=[.!?]\))\s+(?=[A-Z])"
)
_PARTS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-|>] |\w+\.\w+ {2,}))|\$\$")


class Said(NamedTuple):
    """A sentence, and where it stands."""

    path: str
    line: int
    text: str

    @property
    def place(self):
        """Return the place as an editor opens it."""
        return f"{self.path}:{self.line}"


def _text(node):
    """Return the text of a string with {} for what is computed; None of anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        texts = _text(node.left), _text(node.right)
        if texts != (None, None):
            return "".join("{}" if text is None else text for text in texts)
    return None


def _strings(tree):
    """Yield text and line of the strings of a syntax tree that are no docstrings."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        text = _text(node) if isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp)) else None
        if text is None:
            left += ast.iter_child_nodes(node)
            continue
        yield text, node.lineno
        left += [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]


def _values(table):
    """Yield the texts of a table of TOML, at any depth."""
    if isinstance(table, str):
        yield table
    for one in (
        table.values() if isinstance(table, dict) else table if isinstance(table, list) else ()
    ):
        yield from _values(one)


@cache
def texts():
    """Return path, line and text of everything that may be shown."""
    return tuple(_texts())


def _texts():
    for path in sorted(path for pattern in _CODE for path in ROOT.glob(pattern)):
        for text, line in _strings(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, line, text
    for path in sorted(ROOT.glob("pages/**/*.js")):
        source = path.read_text(encoding="utf-8")
        for found in re.finditer(r'"([A-Z“][a-z][^"\n]+)"', source):
            yield path, source[: found.start()].count("\n") + 1, found[1]
    for path in sorted(path for pattern in _TABLES for path in ROOT.glob(pattern)):
        source = path.read_text(encoding="utf-8")
        for text in _values(tomllib.loads(source)):
            if text.strip():
                yield path, source[: source.find(text.strip().split("\n")[0])].count("\n") + 1, text
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for part in re.sub(r"```.*?```", "", readme, flags=re.DOTALL).split("\n\n"):
        yield ROOT / "README.md", readme[: readme.find(part)].count("\n") + 1, part


def plain(text):
    """Return a text as it is read: no marks of emphasis, no tags, links by their words, one blank each."""
    text = re.sub(r"\[([^][]*)\]\([^()]*\)", r"\1", _TAG.sub(" ", text))
    return re.sub(r"\s+", " ", re.sub(r"[*`]|\b_|_\b", "", text)).strip()


def sentences(text):
    """Return the sentences of a text; what ends in a colon before a capital letter is one."""
    if _PROGRAM.search(text):
        return []
    parts = (plain(part) for part in _PARTS.split(text))
    return [one for part in parts for one in _ENDS.split(part) if words(one) > 3]


def words(sentence):
    """Return the number of words of a sentence; a formula is one."""
    return sum(any(map(str.isalnum, word)) for word in re.sub(r"\$[^$]+\$", "x", sentence).split())


def full(sentence):
    """Tell whether it ends as a sentence does, and is not a label."""
    return sentence.rstrip("\"”')").endswith((".", "!", "?", ":"))


_ALL = re.compile(
    r"\b(every|no|none|any|all|nobody)\b[^.;:]{0,90}?\b(learners?|mechanisms?|releases?)\b[^;:]*",
    re.IGNORECASE,
)
_NEED = re.compile(
    r"\b(needs?|fails?|succeeds?|pays?|costs?|impossible|does with|escapes)\b", re.IGNORECASE
)


def claims(sentence):
    """Tell whether a sentence says of all learners what they need."""
    spoken = _ALL.search(sentence)
    needs = spoken and (_NEED.search(spoken[0]) or "mpossible for" in sentence)
    return bool(needs) and not sentence.endswith("?") and "know of no" not in sentence


@cache
def said():
    """Return every sentence of the product, in the order of its places."""
    found = {
        Said(path.relative_to(ROOT).as_posix(), line, sentence): None
        for path, line, text in texts()
        for sentence in sentences(text)
    }
    return sorted(found, key=lambda one: (one.path, one.line))
