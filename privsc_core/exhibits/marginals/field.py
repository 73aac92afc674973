"""Table 7.1 of Vadhan's survey as we read it: what is known of t-way marginals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FIELD", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the table.

    Attributes
    ----------
    kind : {"upper", "lower"}
    error : str
        The error that can, or must, be made, in LaTeX without dollars: a rate.
    where : str
        Its constraints.
    time : str
        The running time that it has, or speaks of.
    synthetic : bool
        Whether it speaks of synthetic tables.
    source : str
        Where the survey has it.
    here : str
        What of it is on this page; mostly nothing.
    """

    kind: Literal["upper", "lower"]
    error: str
    where: str
    time: str
    synthetic: bool
    source: str
    here: str = ""


FIELD = (
    Entry(
        "upper", r"O\left(\frac{d^{t/2}\sqrt{\log(1/\delta)\,\log\log d}}{\varepsilon m}\right)", "",
        r"\mathrm{poly}(m, d^t)", synthetic=False, source="Theorem 2.7",
        here="near Gaussian noise, whose largest error has √log d in place of √(log log d)",
    ),
    Entry(
        "upper", r"O\left(\frac{t\log d\,\sqrt{d\log(1/\delta)}}{\varepsilon m}\right)^{1/2}", "",
        r"\mathrm{poly}(m, 2^d)", synthetic=True, source="Theorem 4.3",
    ),
    Entry(
        "upper", r"\alpha", r"$m \ge d^{\,c\sqrt{t}\,\log(1/\alpha)}/\varepsilon$",
        r"\mathrm{poly}(m)", synthetic=False, source="Theorem 7.5",
    ),
    Entry(
        "upper", r"\left(\frac{\tilde O(d^{t/4})\sqrt{\log(1/\delta)}}{\varepsilon m}\right)^{1/2}",
        "$t$ even, on average", r"\mathrm{poly}(m, d^t)", synthetic=False, source="Theorem 7.7",
        here="Gauss, projected",
    ),
    Entry(
        "lower", r"\min\left\{\frac{\tilde\Omega(d^{t/2})}{m},\ \tilde\Omega\left(\frac{1}{\sqrt m}\right)\right\}",
        "$t = O(1)$", "any", synthetic=False, source="[65]",
    ),
    Entry(
        "lower", r"\Omega\left(\min\left\{\frac{t\log(d/t)}{m},\ 1\right\}\right)", "", "any",
        synthetic=False, source="[14]",
    ),
    Entry(
        "lower",
        r"\min\left\{\tilde\Omega\left(\left(\frac{t\sqrt d}{\varepsilon m}\right)^{1/2}\right),\ \Omega(1)\right\}",
        r"$m \le d^{O(1)}/\varepsilon$", "any", synthetic=False, source="Theorem 5.23",
    ),
    Entry(
        "lower", r"\Omega(1)", r"$t \ge 2$", r"\le 2^{d^{1-o(1)}}", synthetic=True,
        source="Theorem 6.12",
        here="why the fast synthetic table keeps an error, if one-way functions are hard enough",
    ),
)  # fmt: skip
