"""What an audience is asked: a number on an axis, or one of some choices. All of it has limits."""

from __future__ import annotations

import functools
import json
import math
import re
from dataclasses import asdict, dataclass
from typing import Any

from privsc_core.errors import InputError
from privsc_core.evaluate import guesses

TEXT, CHOICES, PICTURE = 500, 6, 40_000  # characters, choices, characters


@dataclass(frozen=True, slots=True)
class Axis:
    """Where a number is answered: from `low` to `high`, in words for phones."""

    low: float
    high: float
    log: bool = False
    label: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        """Check the ends."""
        ends = (self.low, self.high)
        if not all(map(math.isfinite, ends)) or self.low >= self.high:
            raise InputError("axis", "must end above its beginning", ends)
        if self.log and self.low <= 0:
            raise InputError("axis", "must begin above 0 where it is logarithmic", self.low)
        _short("label", self.label)
        _short("unit", self.unit)


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the audience.

    Parameters
    ----------
    id : str
        Its name in the room: the same name is the same question, with the answers that it has.
    text : str
        In words.
    choices : tuple of str
        What can be chosen, 2 to 6; or empty, and `axis` says where a number is answered.
    axis : Axis, optional
    picture : str
        An SVG that this server made, or empty.
    truth : float, optional
        The right number, or the index of the right choice; None where there is none.
    truth_text : str
        The right answer in words.
    feedback : tuple of str
        A sentence for each choice, or empty.
    """

    id: str
    text: str
    choices: tuple[str, ...] = ()
    axis: Axis | None = None
    picture: str = ""
    truth: float | None = None
    truth_text: str = ""
    feedback: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check everything: what a phone is sent has limits."""
        self._check_words()
        if (self.axis is None) == (not self.choices):
            raise InputError("question", "must have either choices or an axis", self.text)
        if self.choices and not 2 <= len(self.choices) <= CHOICES:
            raise InputError("choices", f"must be 2 to {CHOICES}", len(self.choices))
        if self.feedback and len(self.feedback) != len(self.choices):
            raise InputError("feedback", "must be one sentence a choice", len(self.feedback))
        if self.truth is not None and not math.isfinite(self.truth):
            raise InputError("truth", "must be a finite number", self.truth)
        if self.truth is not None and self.choices and self.truth not in range(len(self.choices)):
            raise InputError("truth", "must be the index of a choice", self.truth)

    def _check_words(self) -> None:
        if not re.fullmatch(r"[\w.:-]{1,80}", self.id, re.ASCII):
            raise InputError("question", "must have a name of letters, digits and . : _ -", self.id)
        for name, text in (("text", self.text), ("truth_text", self.truth_text)):
            _short(name, text)
        for text in (*self.choices, *self.feedback):
            _short("choices", text)
        if self.picture and not self.picture.startswith("<svg"):
            raise InputError("picture", "must be an SVG", self.picture)
        if len(self.picture) > PICTURE:
            raise InputError(
                "picture", f"must have at most {PICTURE} characters", len(self.picture)
            )

    @property
    def kind(self) -> str:
        """Return `number` or `choice`."""
        return "choice" if self.choices else "number"

    def value(self, given: object) -> float:
        """Return an answer as it is kept.

        Raises
        ------
        InputError
            For anything but a number on the axis, or the index of a choice.
        """
        if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) < 1e300:
            raise InputError("value", "must be a number", type(given).__name__)
        if self.axis is None:
            if given not in range(len(self.choices)):
                raise InputError("value", f"must be 0 to {len(self.choices) - 1}", given)
        elif not self.axis.low <= given <= self.axis.high:
            raise InputError("value", f"must be in [{self.axis.low:g}, {self.axis.high:g}]", given)
        return float(given)

    def shown(self, turn: int) -> dict[str, Any]:
        """Return what a phone sees before the question is revealed."""
        return {
            "id": public(self.id, turn), "kind": self.kind, "text": self.text,
            "choices": self.choices, "axis": self.axis and asdict(self.axis), "picture": self.picture,
        }  # fmt: skip

    def result(self, answers: list[float]) -> dict[str, Any]:
        """Return what everybody sees once it is revealed."""
        told: dict[str, Any] = {
            "truth": self.truth, "truth_text": self.truth_text, "feedback": self.feedback, "median": None,
            "within": None,
        }  # fmt: skip
        if self.axis is None:
            return told | {"answers": guesses.of_choices(answers, len(self.choices))}
        found = guesses.of_numbers(
            answers, self.axis.low, self.axis.high, self.truth, log=self.axis.log
        )
        return told | {"answers": found.places, "median": found.median, "within": found.within}


def _short(name: str, text: str) -> None:
    if len(text) > TEXT:
        raise InputError(name, f"must have at most {TEXT} characters", len(text))


def public(question: str, turn: int) -> str:
    """Return the name of a question for phones: another one each time that its answers are cleared."""
    return f"{question}~{turn}" if turn else question


@functools.lru_cache(256)
def read(body: str) -> Question:
    """Return a question as the store has it."""
    it = json.loads(body)
    axis = it.pop("axis")
    for name in ("choices", "feedback"):
        it[name] = tuple(it[name])
    return Question(**it, axis=axis and Axis(**axis))
