"""The reference numbers of `numbers.toml`, one row for each learner or bound of a table."""

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

DEFAULTS = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
ASKS = ("need", "bound", "success")


@dataclass(frozen=True)
class Row:
    """What a learner or a bound is asked, at which settings, and the numbers that are right."""

    ask: str
    concept: str
    name: str
    distribution: str
    settings: dict
    numbers: list
    digits: float

    def __str__(self):
        return f"{self.ask} {self.concept} {self.name} {self.distribution}".strip()

    @property
    def names(self):
        """Return which learner or bound, on what, as Python and the command line take them."""
        kind = "bound" if self.ask == "bound" else "learner"
        where = {"distribution": self.distribution} if self.distribution else {}
        return {"concept": self.concept, kind: self.name} | where

    def each(self):
        """Yield (setting, number) one by one."""
        for place, number in enumerate(self.numbers):
            here = {k: v[place] if isinstance(v, list) else v for k, v in self.settings.items()}
            yield here, number


@functools.cache
def rows():
    """Return all rows of the table."""
    found = []
    for table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["table"]:
        settings = DEFAULTS | {
            key: value for key, value in table.items() if key not in {"concept", "digits", *ASKS}
        }
        for ask in ASKS:
            for words, numbers in table.get(ask, {}).items():
                name, _, where = words.partition(" on ")
                digits = table.get("digits", 0.0)
                found.append(Row(ask, table["concept"], name, where, settings, numbers, digits))
    return found
