"""The sentences that a visitor may read, and which of them claim something.

Collected are lectures, the README, and all strings of the code that are not docstrings, errors, proofs (the
`derivation` of a bound, which the referee holds), errata (which quote papers, and have programs of
their own) or markup. A sentence claims something if it has a quantifier and speaks of learners, privacy,
bounds or how many examples: a word of `QUANTIFIER` and one of `TOPIC`.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = ("app.py", "pages/**/*.py", "privsc_core/**/*.py")
QUANTIFIER = re.compile(
    r"\b(every|everybody|everyone|no|none|nobody|never|nothing|always|all|any|anyone|anybody|whatever"
    r"|wherever|however|at most|at least|less than|fewer than|more than|twice)\b",
    re.IGNORECASE,
)
TOPIC = re.compile(
    r"\b(learn(s|ed|ers?|ing)?|mechanisms?|privacy|private|privately|(ε|δ\))-DP|bounds?|theorems?"
    r"|suffices?|enough"
    r"|impossible|guaranteed?|succeeds?|success|fails?|needs?|needed|proved|costs?|pays?|dimensions?)\b"
)
_PROOF = re.compile(r"\\square")
_MARKUP = re.compile(r"</|=>|;\s*\}|\bimport |`\$\{|print\(")


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


def _spoken(node):
    """Tell whether a visitor may read what is in a node: no docstring, error or proof."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Raise():
            return False
        case ast.Call(func=ast.Name(id="InputError")):
            return False
        case ast.Assign(targets=[ast.Name(id="derivation" | "statement")]):
            return False
    return True


def _strings(tree):
    """Return the texts in a syntax tree that a visitor may read."""
    found, left = [], [tree]
    while left:
        node = left.pop()
        if isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp)):
            text = _text(node)
            if text is not None:
                if not _MARKUP.search(text) and not _PROOF.search(text):
                    found.append(text)
                left += [
                    part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)
                ]
                continue
        elif not _spoken(node):
            continue
        for name in node._fields:
            child = getattr(node, name)
            if isinstance(child, list):
                left += [one for one in child if isinstance(one, ast.AST)]
            elif isinstance(child, ast.AST) and name != "ctx":
                left.append(child)
    return found


def _documents():
    for path in sorted(ROOT.glob("privsc_core/**/*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        tables.pop("errata", None)
        for table in tables.values():
            for one in table if isinstance(table, list) else [table]:
                for text in filter(lambda value: isinstance(value, str), one.values()):
                    yield path.relative_to(ROOT), text


def _texts():
    for pattern in CODE:
        for path in sorted(ROOT.glob(pattern)):
            source = path.read_text(encoding="utf-8")
            for text in _strings(ast.parse(source)) if QUANTIFIER.search(source) else ():
                yield path.relative_to(ROOT), text
    yield from _documents()
    for path in sorted(ROOT.glob("assets/lectures/*.toml")):
        lecture = tomllib.loads(path.read_text(encoding="utf-8"))
        yield path.relative_to(ROOT), lecture["about"]
        for scene in lecture["scene"]:
            for key in ("title", "caption", "question"):
                yield path.relative_to(ROOT), scene.get(key, "")
    readme = re.sub(
        r"```.*?```", "", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    for text in readme.split("\n\n"):
        yield Path("README.md"), text


def plain(text):
    """Return a text as it is compared: no marks of emphasis, links by their words, one blank each."""
    text = re.sub(r"\[([^][]*)\]\([^()]*\)", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"[*_`]", "", text)).strip()


def sentences(text):
    """Return the sentences of a text."""
    ends = r"(?<=[.!?:])\s+(?=[A-Z$'\"“({0-9])"
    # What ends in a colon is half a sentence, which a claim begins or the rest of it explains.
    return [part for part in re.split(ends, plain(text)) if len(part.split()) > 3]


def claims(text):
    """Return the sentences of a text that claim something."""
    return [
        s
        for s in sentences(text)
        if QUANTIFIER.search(s) and TOPIC.search(s) and not s.endswith("?")
    ]


@cache
def said():
    """Return every sentence of the product that claims something, with the files that say it."""
    found = {}
    for path, text in _texts():
        for sentence in claims(text):
            if not sentence.startswith("must "):  # of a setting that is refused
                found.setdefault(sentence, []).append(str(path))
    return found
