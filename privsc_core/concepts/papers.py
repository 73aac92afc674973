"""The papers, once."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAPERS", "Paper"]


@dataclass(frozen=True, slots=True)
class Paper:
    """One reference: how it is cited in text, and its BibTeX entry."""

    key: str
    short: str
    citation: str
    bibtex: str


_LIST = (
    Paper(
        "BBKN13",
        "Beimel, Brenner, Kasiviswanathan, Nissim 2013",
        "A. Beimel, H. Brenner, S. P. Kasiviswanathan, K. Nissim: Bounds on the sample "
        "complexity for private learning and private data release. Machine Learning 94(3), "
        "401-437, 2014 (online 2013).",
        """@article{BBKN13,
  author  = {Amos Beimel and Hai Brenner and Shiva Prasad Kasiviswanathan and Kobbi Nissim},
  title   = {Bounds on the sample complexity for private learning and private data release},
  journal = {Machine Learning},
  volume  = {94},
  number  = {3},
  pages   = {401--437},
  year    = {2014},
  doi     = {10.1007/s10994-013-5404-1}
}""",
    ),
    Paper(
        "FX14",
        "Feldman, Xiao 2014",
        "V. Feldman, D. Xiao: Sample complexity bounds on differentially private learning via "
        "communication complexity. COLT 2014.",
        """@inproceedings{FX14,
  author    = {Vitaly Feldman and David Xiao},
  title     = {Sample complexity bounds on differentially private learning via communication
               complexity},
  booktitle = {Proceedings of the 27th Conference on Learning Theory (COLT)},
  series    = {PMLR},
  volume    = {35},
  pages     = {1000--1019},
  year      = {2014}
}""",
    ),
    Paper(
        "V17",
        "Vadhan 2017",
        "S. Vadhan: The complexity of differential privacy. In: Tutorials on the Foundations "
        "of Cryptography, 347-450. Springer, 2017.",
        """@incollection{V17,
  author    = {Salil Vadhan},
  title     = {The complexity of differential privacy},
  booktitle = {Tutorials on the Foundations of Cryptography},
  pages     = {347--450},
  publisher = {Springer},
  year      = {2017}
}""",
    ),
    Paper("ours", "this project", "Derived in this project; the derivation is shown.", ""),
)

PAPERS: dict[str, Paper] = {paper.key: paper for paper in _LIST}
