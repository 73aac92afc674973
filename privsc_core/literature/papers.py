"""The papers, once."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAPERS", "Paper"]


@dataclass(frozen=True, slots=True)
class Paper:
    """One reference: how it is cited in text, and its BibTeX entry.

    Attributes
    ----------
    key, short, citation, bibtex : str
        The key in sources and BibTeX; authors and year; in full; the entry, if it has one.
    mentions : tuple of str
        How the place of another source names it, besides `key` and `short`.
    """

    key: str
    short: str
    citation: str
    bibtex: str
    mentions: tuple[str, ...] = ()

    @property
    def year(self) -> int | None:
        """When it first came out, which may be before its journal printed it; None of ours."""
        last = self.short.rpartition(" ")[2].rstrip("ab")  # two papers of one year
        return int(last) if last.isdecimal() else None


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
    Paper(
        "KLNRS11",
        "Kasiviswanathan, Lee, Nissim, Raskhodnikova, Smith 2011",
        "S. P. Kasiviswanathan, H. K. Lee, K. Nissim, S. Raskhodnikova, A. Smith: What can we "
        "learn privately? SIAM Journal on Computing 40(3), 793-826, 2011.",
        """@article{KLNRS11,
  author  = {Shiva Prasad Kasiviswanathan and Homin K. Lee and Kobbi Nissim and
             Sofya Raskhodnikova and Adam Smith},
  title   = {What can we learn privately?},
  journal = {SIAM Journal on Computing},
  volume  = {40},
  number  = {3},
  pages   = {793--826},
  year    = {2011},
  doi     = {10.1137/090756090}
}""",
        ("Kasiviswanathan et al.",),
    ),
    Paper(
        "BLR08",
        "Blum, Ligett, Roth 2008",
        "A. Blum, K. Ligett, A. Roth: A learning theory approach to non-interactive database "
        "privacy. STOC 2008, 609-618.",
        """@inproceedings{BLR08,
  author    = {Avrim Blum and Katrina Ligett and Aaron Roth},
  title     = {A learning theory approach to non-interactive database privacy},
  booktitle = {Proceedings of the 40th Annual ACM Symposium on Theory of Computing (STOC)},
  pages     = {609--618},
  year      = {2008},
  doi       = {10.1145/1374376.1374464}
}""",
    ),
    Paper(
        "DMNS06",
        "Dwork, McSherry, Nissim, Smith 2006",
        "C. Dwork, F. McSherry, K. Nissim, A. Smith: Calibrating noise to sensitivity in private "
        "data analysis. TCC 2006, 265-284.",
        """@inproceedings{DMNS06,
  author    = {Cynthia Dwork and Frank McSherry and Kobbi Nissim and Adam Smith},
  title     = {Calibrating noise to sensitivity in private data analysis},
  booktitle = {Theory of Cryptography (TCC)},
  series    = {LNCS},
  volume    = {3876},
  pages     = {265--284},
  publisher = {Springer},
  year      = {2006},
  doi       = {10.1007/11681878_14}
}""",
    ),
    Paper(
        "GRS09",
        "Ghosh, Roughgarden, Sundararajan 2009",
        "A. Ghosh, T. Roughgarden, M. Sundararajan: Universally utility-maximizing privacy "
        "mechanisms. STOC 2009, 351-360.",
        """@inproceedings{GRS09,
  author    = {Arpita Ghosh and Tim Roughgarden and Mukund Sundararajan},
  title     = {Universally utility-maximizing privacy mechanisms},
  booktitle = {Proceedings of the 41st Annual ACM Symposium on Theory of Computing (STOC)},
  pages     = {351--360},
  year      = {2009},
  doi       = {10.1145/1536414.1536464}
}""",
    ),
    Paper(
        "KKMN09",
        "Korolova, Kenthapadi, Mishra, Ntoulas 2009",
        "A. Korolova, K. Kenthapadi, N. Mishra, A. Ntoulas: Releasing search queries and clicks "
        "privately. WWW 2009, 171-180.",
        """@inproceedings{KKMN09,
  author    = {Aleksandra Korolova and Krishnaram Kenthapadi and Nina Mishra and
               Alexandros Ntoulas},
  title     = {Releasing search queries and clicks privately},
  booktitle = {Proceedings of the 18th International Conference on World Wide Web (WWW)},
  pages     = {171--180},
  year      = {2009},
  doi       = {10.1145/1526709.1526733}
}""",
    ),
    Paper(
        "MS20",
        "McKenna, Sheldon 2020",
        "R. McKenna, D. Sheldon: Permute-and-flip: a new mechanism for differentially private "
        "selection. NeurIPS 2020.",
        """@inproceedings{MS20,
  author    = {Ryan McKenna and Daniel Sheldon},
  title     = {Permute-and-Flip: A new mechanism for differentially private selection},
  booktitle = {Advances in Neural Information Processing Systems (NeurIPS)},
  volume    = {33},
  year      = {2020}
}""",
    ),
    Paper(
        "CH11",
        "Chaudhuri, Hsu 2011",
        "K. Chaudhuri, D. Hsu: Sample complexity bounds for differentially private learning. "
        "COLT 2011, 155-186.",
        """@inproceedings{CH11,
  author    = {Kamalika Chaudhuri and Daniel Hsu},
  title     = {Sample complexity bounds for differentially private learning},
  booktitle = {Proceedings of the 24th Annual Conference on Learning Theory (COLT)},
  series    = {PMLR},
  volume    = {19},
  pages     = {155--186},
  year      = {2011}
}""",
    ),
    Paper(
        "BNS13a",
        "Beimel, Nissim, Stemmer 2013a",
        "A. Beimel, K. Nissim, U. Stemmer: Characterizing the sample complexity of private learners. "
        "ITCS 2013, 97-110.",
        """@inproceedings{BNS13a,
  author    = {Amos Beimel and Kobbi Nissim and Uri Stemmer},
  title     = {Characterizing the sample complexity of private learners},
  booktitle = {Proceedings of the 4th Conference on Innovations in Theoretical Computer Science
               (ITCS)},
  pages     = {97--110},
  year      = {2013}
}""",
    ),
    Paper(
        "BNS13b",
        "Beimel, Nissim, Stemmer 2013b",
        "A. Beimel, K. Nissim, U. Stemmer: Private learning and sanitization: pure vs. approximate "
        "differential privacy. APPROX-RANDOM 2013, 363-378.",
        """@inproceedings{BNS13b,
  author    = {Amos Beimel and Kobbi Nissim and Uri Stemmer},
  title     = {Private learning and sanitization: Pure vs. approximate differential privacy},
  booktitle = {Approximation, Randomization, and Combinatorial Optimization (APPROX-RANDOM)},
  series    = {LNCS},
  volume    = {8096},
  pages     = {363--378},
  publisher = {Springer},
  year      = {2013}
}""",
    ),
    Paper(
        "BNS15",
        "Beimel, Nissim, Stemmer 2015",
        "A. Beimel, K. Nissim, U. Stemmer: Learning privately with labeled and unlabeled examples. "
        "SODA 2015, 461-477.",
        """@inproceedings{BNS15,
  author    = {Amos Beimel and Kobbi Nissim and Uri Stemmer},
  title     = {Learning privately with labeled and unlabeled examples},
  booktitle = {Proceedings of the 26th Annual ACM-SIAM Symposium on Discrete Algorithms (SODA)},
  pages     = {461--477},
  year      = {2015}
}""",
    ),
    Paper(
        "BNSV15",
        "Bun, Nissim, Stemmer, Vadhan 2015",
        "M. Bun, K. Nissim, U. Stemmer, S. Vadhan: Differentially private release and learning of "
        "threshold functions. FOCS 2015, 634-649.",
        """@inproceedings{BNSV15,
  author    = {Mark Bun and Kobbi Nissim and Uri Stemmer and Salil Vadhan},
  title     = {Differentially private release and learning of threshold functions},
  booktitle = {Proceedings of the 56th Annual IEEE Symposium on Foundations of Computer Science
               (FOCS)},
  pages     = {634--649},
  year      = {2015}
}""",
    ),
    Paper(
        "ALMM19",
        "Alon, Livni, Malliaris, Moran 2019",
        "N. Alon, R. Livni, M. Malliaris, S. Moran: Private PAC learning implies finite Littlestone "
        "dimension. STOC 2019, 852-860.",
        """@inproceedings{ALMM19,
  author    = {Noga Alon and Roi Livni and Maryanthe Malliaris and Shay Moran},
  title     = {Private {PAC} learning implies finite {L}ittlestone dimension},
  booktitle = {Proceedings of the 51st Annual ACM Symposium on Theory of Computing (STOC)},
  pages     = {852--860},
  year      = {2019}
}""",
    ),
    Paper(
        "KLMNS20",
        "Kaplan, Ligett, Mansour, Naor, Stemmer 2020",
        "H. Kaplan, K. Ligett, Y. Mansour, M. Naor, U. Stemmer: Privately learning thresholds: "
        "closing the exponential gap. COLT 2020, 2263-2285.",
        """@inproceedings{KLMNS20,
  author    = {Haim Kaplan and Katrina Ligett and Yishay Mansour and Moni Naor and Uri Stemmer},
  title     = {Privately learning thresholds: closing the exponential gap},
  booktitle = {Proceedings of the 33rd Conference on Learning Theory (COLT)},
  series    = {PMLR},
  volume    = {125},
  pages     = {2263--2285},
  year      = {2020}
}""",
    ),
    Paper(
        "CLNSS23",
        "Cohen, Lyu, Nelson, Sarlós, Stemmer 2023",
        "E. Cohen, X. Lyu, J. Nelson, T. Sarlós, U. Stemmer: Optimal differentially private "
        "learning of thresholds and quasi-concave optimization. STOC 2023.",
        """@inproceedings{CLNSS23,
  author    = {Edith Cohen and Xin Lyu and Jelani Nelson and Tam{\\'a}s Sarl{\\'o}s and Uri Stemmer},
  title     = {Optimal differentially private learning of thresholds and quasi-concave
               optimization},
  booktitle = {Proceedings of the 55th Annual ACM Symposium on Theory of Computing (STOC)},
  year      = {2023}
}""",
    ),
    Paper("ours", "this project", "Derived in this project; the derivation is shown.", ""),
)

PAPERS: dict[str, Paper] = {paper.key: paper for paper in _LIST}
