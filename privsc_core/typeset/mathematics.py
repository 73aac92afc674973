r"""The LaTeX mathematics of the catalog in the words of Typst.

It reads what the catalog uses and refuses the rest: a formula is converted whole or not at all. Typst
guesses what belongs together from blanks, slashes and brackets. So nothing is left to guess: what
has arguments is written as a function, and every other sign stands alone or behind a backslash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A command, a sign behind a backslash, a number, or one sign.
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S|\s+", re.DOTALL)

_SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ϵ", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "tau": "τ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ", "infty": "∞", "varnothing": "∅", "emptyset": "∅",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "ll": "≪", "gg": "≫",
    "sim": "∼", "approx": "≈", "equiv": "≡", "propto": "∝", "in": "∈", "notin": "∉", "subset": "⊂",
    "subseteq": "⊆", "cup": "∪", "cap": "∩", "setminus": "∖", "mid": "∣", "to": "→", "mapsto": "↦",
    "cdot": "⋅", "times": "×", "pm": "±", "circ": "∘", "star": "⋆", "dots": "…", "ldots": "…", "cdots": "⋯",
    "square": "□", "forall": "∀", "exists": "∃", "uparrow": "↑", "bot": "⊥", "oplus": "⊕", "partial": "∂",
    "wedge": "∧", "vee": "∨", "neg": "¬", "succeq": "⪰",
}  # fmt: skip
_NAMED = ("log", "ln", "exp", "tanh", "cosh", "min", "max", "sup", "inf", "lim", "Pr")
_WORDS = {name: name for name in _NAMED} | {
    "sum": "sum", "prod": "product", "int": "integral", "quad": "quad", "qquad": "wide",
    ",": "thin", ":": "med", ";": "thick", " ": "space",
}  # fmt: skip
_FUNCTIONS = {"sqrt": "sqrt", "bar": "macron", "overline": "overline", "hat": "hat", "tilde": "tilde",
              "mathbb": "bb", "mathcal": "cal", "mathbf": "bold"}  # fmt: skip
_FRACTIONS = {"frac": "frac({}, {})", "dfrac": "display(frac({}, {}))", "tfrac": "inline(frac({}, {}))",
              "binom": "binom({}, {})"}  # fmt: skip
_BRACKETS = {"lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "langle": "⟨", "rangle": "⟩",
             "{": "{", "}": "}", "|": "‖"}  # fmt: skip
_ALONE = frozenset("()[]{}⌈⌉⌊⌋⟨⟩|‖.")  # what a command for the size of a bracket may stand before
_PLAIN = {sign: f"\\{sign}" for sign in "()[],.:;!?"} | {sign: sign for sign in "+=<>"} | {
    "-": "−", "*": "∗", "|": 'class("normal", \\|)', "/": 'class("normal", \\/)',
}  # fmt: skip
# How high the brackets of LaTeX are.
_SIZES = {"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}
_NOTHING: Mapping[str, str] = {}
_SIZED = re.compile(r"(big|Big|bigg|Bigg)([lr])")


def typst(latex: str) -> str:
    r"""Return a formula in the mathematics of Typst, without dollars.

    Parameters
    ----------
    latex : str
        Without dollars, such as ``\tfrac12 (1-\alpha)^m \le \beta``.

    Raises
    ------
    ValueError
        For a command that is not known, and for brackets or braces that do not match.
    """
    return _Reader(_TOKEN.findall(latex), latex).until(())


@dataclass
class _Reader:
    """Reads tokens from the left.

    Attributes
    ----------
    tokens : list of str
    whole : str
        The formula, for complaints.
    place : int
    """

    tokens: list[str]
    whole: str
    place: int = 0

    def until(self, ends: tuple[str, ...], between: Mapping[str, str] = _NOTHING) -> str:
        """Return what stands before one of some tokens, which is read too; without ends all there is.

        Parameters
        ----------
        ends : tuple of str
        between : mapping of str to str, optional
            What tokens are written as that mean something here alone.
        """
        parts: list[str] = []
        while self.place < len(self.tokens):
            word = self._next()
            if word in ends:
                return " ".join(parts)
            if word in between:
                parts.append(between[word])
            elif not word.isspace():
                parts.append(self._with_scripts(self._atom(word)))
        if ends:
            raise self._wrong(f"{ends[0]} is missing")
        return " ".join(parts)

    def _with_scripts(self, base: str) -> str:
        """Return an atom with the indices, exponents and primes behind it."""
        found: dict[str, str] = {}
        while (word := self._peek()) in {"_", "^", "'"}:
            self._next()
            place = "b" if word == "_" else "t"
            script = "′" if word == "'" else self._argument()
            if word != "'" and place in found and "′" not in found[place]:
                raise self._wrong(f"two {word} behind one another")
            found[place] = f"{found[place]} {script}" if place in found else script
        if not found:
            return base
        scripts = ", ".join(f"{place}: {script}" for place, script in found.items())
        return f"attach({base}, {scripts})"

    def _argument(self) -> str:
        """Return the argument of a command or of a script: a group, or one word."""
        while self._peek().isspace():
            self._next()
        if self._peek() == "{":
            self._next()
            return self.until(("}",))
        word = self._next()
        if len(word) > 1 and word[0].isdigit():  # \frac12 has two arguments
            self.place -= 1
            self.tokens[self.place] = word[1:]
            word = word[0]
        return self._atom(word)

    def _atom(self, word: str) -> str:
        name = word.removeprefix("\\")
        if name == word:
            return self._sign(word)
        if said := _SIGNS.get(name) or _WORDS.get(name):
            return said
        if name in _BRACKETS:
            return f"\\{_BRACKETS[name]}"
        if name in _FUNCTIONS:
            return f"{_FUNCTIONS[name]}({self._argument()})"
        if name in _FRACTIONS:
            above = self._argument()
            return _FRACTIONS[name].format(above, self._argument())
        return self._composed(word, name)

    def _composed(self, word: str, name: str) -> str:
        if name in {"mathrm", "text"}:
            said = self._name()
            # Words keep the blanks around them, the name of a function has none before its bracket.
            kind = "op" if name == "mathrm" and len(said) > 1 else "upright"
            return f'{kind}("{said}")'
        if name == "begin":
            return self._cases()
        sized = _SIZED.fullmatch(name)
        if name != "left" and not (sized and sized[2] == "l"):
            raise self._wrong(f"{word} is not known here")
        end, size = (f"\\{sized[1]}r", f", size: #{_SIZES[sized[1]]}") if sized else (r"\right", "")
        inside = " ".join((self._bracket(), self.until((end,)), self._bracket()))
        return f"lr({inside}{size})"

    def _sign(self, word: str) -> str:
        if word == "{":
            inside = self.until(("}",))
            return f'class("normal", {inside})' if inside else '""'
        if word.isalnum() or word[0].isdigit():
            return word
        if said := _PLAIN.get(word) or ("" if word.isascii() else word):
            return said
        raise self._wrong(f"{word} is not known here")

    def _name(self) -> str:
        """Return the words between braces."""
        if self._next() != "{":
            raise self._wrong("words need braces")
        said = ""
        while (word := self._next()) != "}":
            if word.startswith("\\") or word in {"{", '"'}:
                raise self._wrong(f"{word} cannot stand among words")
            said += word
        return said

    def _bracket(self) -> str:
        """Return a bracket behind a command for its size."""
        word = self._next()
        sign = _BRACKETS.get(word[1:], "") if word.startswith("\\") else word
        if not sign or sign not in _ALONE:
            raise self._wrong(f"{word} is no bracket")
        return "" if sign == "." else f"\\{sign}"

    def _cases(self) -> str:
        first = self._name()
        rows = self.until((r"\end",), {"&": "& quad", r"\\": ","})
        if (first, self._name()) != ("cases", "cases"):
            raise self._wrong("of environments only cases are known")
        return f"cases({rows})"

    def _next(self) -> str:
        if self.place >= len(self.tokens):
            raise self._wrong("it ends too early")
        self.place += 1
        return self.tokens[self.place - 1]

    def _peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _wrong(self, what: str) -> ValueError:
        return ValueError(f"formula {self.whole!r}: {what}")
