"""The documents: every TOML file says what its dataclasses ask for."""

import dataclasses
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from bibtexparser import middlewares
from bibtexparser.entrypoint import parse_string

from privsc_core import catalog
from privsc_core.literature import documents as core
from privsc_core.literature.glossary import GROUPS, terms
from privsc_core.literature.papers import papers

ROOT = Path(__file__).parents[3]
FILES = sorted(ROOT.glob("privsc_core/**/*.toml")) + sorted(ROOT.glob("privsc_core/**/*.bib"))
CLASSES = {one.package: one for one in catalog.CONCEPTS if one.documents != core.Documents()}


def fits(value, kind):
    """Tell whether a value is of a type."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return value in parts
    if origin is tuple:
        kinds = parts[:1] * len(value) if parts[-1] is ... else parts
        return len(kinds) == len(value) and all(map(fits, value, kinds))
    if origin is not None:
        return any(fits(value, part) for part in parts)
    return isinstance(value, kind)


def mistyped(value):
    """Return the fields of a dataclass, and of those in it, that are not as declared."""
    hints = typing.get_type_hints(type(value))
    found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    faults = [
        f"{type(value).__name__}.{n} = {v!r}" for n, v in found.items() if not fits(v, hints[n])
    ]
    inside = [one for v in found.values() for one in (v if isinstance(v, tuple) else (v,))]
    return faults + [f for one in inside if dataclasses.is_dataclass(one) for f in mistyped(one)]


def all_documents():
    found = {package: concept.documents for package, concept in CLASSES.items()}
    return found | {
        "privsc_core.literature": core.documents("privsc_core.literature", "errata.toml")
    }


def test_every_value_has_its_declared_type():
    found = all_documents()
    assert len(found) > 8
    for package, one in found.items():
        assert not mistyped(one), package
    assert len(terms()) > 30
    wrong = core.Later(
        name="a", title="b", source=core.Source("FX14", "c"), kind="best", privacy="pure", statement="d",
        applies_to="e", supersedes=("f", 1),
    )  # fmt: skip
    assert mistyped(core.Documents(later=(wrong,))) == [
        "Later.kind = 'best'",
        "Later.supersedes = ('f', 1)",
    ]
    for term in terms():
        assert not mistyped(term)
        assert term.group in GROUPS


def test_every_file_is_read():
    """A folder with a file that its class does not name would say nothing to anybody."""
    read = {Path(*package.split("."), "literature.toml") for package in CLASSES}
    read |= {
        Path("privsc_core/literature") / name
        for name in ("errata.toml", "glossary.toml", "papers.bib")
    }
    assert {path.relative_to(ROOT) for path in FILES} == read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[slips]]\nkey = 'a'", "unknown tables"),
        ("[[gaps]]\nlow = 'a'", "gaps 1.*missing"),
        ("[[gaps]]\nlow='a'\nhigh='b'\nname='c'\nsays='d'\nwhy='e'", "gaps 1.*unexpected.*why"),
        ("[[later]]\nsource = {paper = 'FX14'}", "later 1.*missing.*place"),
    ],
)
def test_what_is_unknown_or_missing_is_named(text, said, tmp_path, monkeypatch):
    (tmp_path / "planted_class").mkdir()
    (tmp_path / "planted_class" / "__init__.py").touch()
    (tmp_path / "planted_class" / "literature.toml").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    core.documents.cache_clear()
    with pytest.raises(ValueError, match=said):
        core.documents("planted_class")
    sys.modules.pop("planted_class")


def test_a_line_trade_or_gap_of_what_a_class_does_not_have_is_refused():
    concept = next(c for c in catalog.CONCEPTS if c.documents.gaps)
    without = {"learners": concept.learners[:1]}, {"bounds": ()}
    for fewer in without:
        poor = dataclasses.replace(concept)
        vars(poor).update(fewer)
        with pytest.raises(ValueError, match="does not have"):
            poor.documents  # noqa: B018 # a property that checks
    for one in (concept.documents.gaps[0],):
        wrong = core.Documents(gaps=(one,))
        with pytest.raises(ValueError, match="a gap between lines"):
            concept.checked(wrong)


def test_papers_are_cited_as_they_print_it():
    found = papers()
    assert found["BBKN13"].short == "Beimel, Brenner, Kasiviswanathan, Nissim 2013"
    assert found["BBKN13"].citation == (
        "A. Beimel, H. Brenner, S. P. Kasiviswanathan, K. Nissim: Bounds on the sample complexity for "
        "private learning and private data release. Machine Learning 94(3), 401-437, 2014 (online 2013)."
    )
    assert found["V17"].citation == (
        "S. Vadhan: The complexity of differential privacy. In: Tutorials on the Foundations of "
        "Cryptography, 347-450. Springer, 2017."
    )
    assert "T. Sarlós, U. Stemmer: Optimal" in found["CLNSS23"].citation
    assert found["BNS13b"].brief == "Beimel et al. 2013b"
    assert found["FX14"].brief == "Feldman and Xiao 2014"
    assert found["KLNRS11"].citation.startswith(
        "S. P. Kasiviswanathan, H. K. Lee, K. Nissim, S. Raskhodnikova, A. Smith: "
        "What can we learn privately? SIAM Journal on Computing 40(3)"
    )
    for paper in found.values():  # the file as it stands, to be copied from a page
        assert paper.bibtex in (ROOT / "privsc_core/literature/papers.bib").read_text("utf-8")


def test_the_bibliography_says_what_a_library_reads_in_it():
    text = (ROOT / "privsc_core/literature/papers.bib").read_text("utf-8")
    library = parse_string(text, append_middleware=[
        middlewares.LatexDecodingMiddleware(), middlewares.SeparateCoAuthors(),
        middlewares.SplitNameParts(),
    ])  # fmt: skip
    assert not library.failed_blocks
    found = papers()
    assert [*found] == [*(entry.key for entry in library.entries), "ours", "yours"]
    for entry in library.entries:
        paper, said = found[entry.key], {key: f.value for key, f in entry.fields_dict.items()}
        assert paper.bibtex == entry.raw
        lasts = [" ".join(name.last) for name in said["author"]]
        assert paper.short.rpartition(" ")[0] == ", ".join(lasts)
        names = (
            " ".join([*(f"{x[0]}." for x in name.first), *name.last]) for name in said["author"]
        )
        assert paper.citation.startswith(f"{', '.join(names)}: {' '.join(said['title'].split())}")
        for name in {"journal", "pages", "publisher", "year"} & {*said}:
            if name != "publisher" or entry.entry_type == "incollection":
                assert said[name].replace("–", "-") in paper.citation


def test_who_computes_a_number_reads_no_document():
    asked = "pv.need(concept='point', learner='hash', d=64, epsilon=0.5, alpha=0.1, beta=0.1)"
    code = f"import sys, privsc_core as pv; {asked}; print('privsc_core.literature.documents' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert said.stdout.split() == [b"False"]
