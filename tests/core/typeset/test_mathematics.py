"""LaTeX in the words of Typst: all that the catalog says, whole or not at all."""

import itertools
import re

import pytest
import typst as compiler

from privsc_core import catalog
from privsc_core.evaluate import ours
from privsc_core.typeset.mathematics import typst

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
TEXTS = [
    text
    for concept in (*catalog.CONCEPTS, *catalog.BESIDE)
    for text in (
        *(entry.derivation for entry in (*concept.bounds, *concept.learners)),
        *(f"${entry.statement}$" for entry in (*concept.bounds, *concept.documents.later)),
        *(one.correction + one.known_by for one in concept.documents.errata),
    )
] + [one.statement for one in ours.results()]
FORMULAS = sorted({a or b for text in TEXTS for a, b in FORMULA.findall(text)})
# What opens in LaTeX, and what it is there and here: all of it must arrive.
COUNTED = {
    r"[(]": "(", r"[)]": ")", r"\\alpha(?![a-z])": "α", r"\\varepsilon(?![a-z])": "ε", r"\\beta(?![a-z])": "β",
    r"\\[td]?frac": "frac(", r"\\le(?![a-z])": "≤", r"\\ge(?![a-z])": "≥", r"\\lceil": "⌈", r"\\(?:[bB]igg?l|left)(?![a-z])": "lr(",
    r"\\sum": "sum", r"\\binom": "binom(", r"\\sqrt": "sqrt(", r"\\mathbb": "bb(",
}  # fmt: skip


def drawn(formulas):
    """Return the PDF of formulas, each on a line; the compiler refuses what it cannot read."""
    lines = "\n".join(f"$ {one} $" for one in formulas)
    return compiler.compile(lines.encode(), ignore_system_fonts=True)


def test_every_formula_of_the_catalog_can_be_typeset():
    assert len(FORMULAS) > 500
    found = [typst(one) for one in FORMULAS]
    assert drawn(found).startswith(b"%PDF")


def test_nothing_of_a_formula_is_lost():
    """Every bracket, fraction and Greek letter that is counted arrives."""
    seen = set()
    for formula in FORMULAS:
        found = re.sub(r'upright\(".*?"\)', "", typst(formula))
        one = re.sub(r"\\text\{.*?\}", "", formula)
        for sign, here in COUNTED.items():
            there = len(re.findall(sign, one))
            escaped = f"\\{here}" if len(here) == 1 and here in "()⌈" else here
            assert found.count(escaped) == there, (one, here)
            seen |= {sign} if there else set()
        digits = "".join(re.findall(r"\d", re.sub(r"\\,", "", one)))
        said = re.sub(r"#[\d.]+em|U\+\d+", "", found)
        assert "".join(re.findall(r"\d", said)) == digits, one
    assert seen == set(COUNTED)


@pytest.mark.parametrize(("latex", "wanted"), [
    (r"\bigl(1-\alpha\bigr)^m", r"attach(lr(\( 1 − α \), size: #1.2em), t: m)"),
    (r"\tfrac12 x'_i", r"inline(frac(1, 2)) attach(x, t: ′, b: i)"),
    (r"\mathrm{Bin}(m, 1/3)", r'op("Bin") \( m \, 1 class("normal", \/) 3 \)'),
    (r"\begin{cases}1 & k\\0 & l\end{cases}", "cases(1 & quad k , 0 & quad l)"),
    (r"\left[2.5\right.", r"lr(\[ 2.5 )"),
])  # fmt: skip
def test_what_belongs_together_stays_together(latex, wanted):
    assert typst(latex) == wanted
    assert drawn([wanted])


@pytest.mark.parametrize("latex", [
    r"\nosuch", r"\frac1", "{a", "a}", r"\bigl(a", r"\bigr)", r"a^b^c", "#x", r"\begin{matrix}1\end{matrix}", "a ^b",
    r"\mathrm{a\alpha}", r"\mathrm{a", '"', "&", r"\left a b \right)", "@", "~",
])  # fmt: skip
def test_what_is_not_known_is_refused_with_the_formula(latex):
    with pytest.raises(ValueError, match=re.escape(f"formula {latex!r}")):
        typst(latex)


def test_hostile_text_is_read_as_letters():
    """No sign of the document's language passes: letters stand apart, and # is refused."""
    assert typst("read(x)") == r"r e a d \( x \)"
    signs = [chr(code) for code in range(33, 127) if not chr(code).isalnum()]
    for pair in itertools.product(signs, repeat=2):
        try:
            found = typst("".join(pair))
        except ValueError:
            continue
        assert "#" not in found
        assert drawn([found])
