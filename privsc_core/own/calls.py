"""Calls of what somebody else wrote: with a limit of time, and errors in one sentence with their line.

A call is never made because of a link, a lecture or an upload: a function comes as an object of Python,
or from a file or a package that is named on the command line.
"""

from __future__ import annotations

import contextlib
import inspect
import signal
import sys
import sysconfig
import threading
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

F = TypeVar("F")

KEYWORDS = ("d", "epsilon", "alpha", "beta", "delta", "u", "bits", "rng")
"""What a learner may ask for by name."""
SECONDS = 10.0
"""How long one call may take, if its owner does not say otherwise."""
TOLD = (
    "concept",
    "name",
    "title",
    "summary",
    "privacy",
    "proper",
    "seconds",
    "most_d",
    "output_distribution",
)
"""What may be said of a learner: attributes of the function or object."""

_TICK, _NOW = 0.05, 1e-6  # seconds
_OURS = str(Path(__file__).parents[1])
_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


def learner(
    concept: str = "",
    *,
    name: str = "",
    title: str = "",
    privacy: str = "",
    proper: bool = False,
    seconds: float = SECONDS,
    most_d: int | None = None,
) -> Callable[[F], F]:
    """Say of a function that it is a learner, and what is to be known of it; return it as it is.

    A function is a learner without this, too. It is called ``learn(x, y, ...)``, and gets by name what it
    takes of ``d``, ``epsilon``, ``alpha``, ``beta``, ``delta``, ``u``, ``bits`` and ``rng``:

    - x are the m points, as the class writes them: whole numbers from 1 to 2^d of points, thresholds,
      parities and conjunctions, shape (m,); pairs of lines and rectangles, and unit vectors of
      half-spaces, shape (m, numbers of a point). y are their labels 0 and 1, int64, shape (m,).
    - d is the size of the class; of thresholds on [0, 1] a point is the x-th of 2^bits equal parts.
      With u > 0, x has u more points at its end, which have no labels.
    - rng is a numpy Generator. A learner that draws from nothing else gives the same runs again.

    It returns a concept as the class names it (of points the number j of c_j), a function from one point
    to its label, the labels of all points of a small domain, or None if it fails. An object with a method
    ``learn`` is a learner as well; a method ``output_distribution(x, y, ...)``, which maps each answer to
    its probability, makes its audit exact.

    What is not said of it follows from what it takes: with epsilon it is taken for a purely private
    learner, with delta for an approximately private one. Runs are simulated on all cores on Linux, on one
    elsewhere. In the main thread a run that takes longer than `seconds` ends with a sentence.

    Parameters
    ----------
    concept : str
        The class that it learns; needed where it is shown on a page (`privsc serve --with`).
    name, title : str
        What it is called in tables and in figures.
    privacy : {"pure", "approximate", "label", "none"}
        What it claims to guarantee. Nothing checks it here: `pv.audit` does.
    proper : bool
        Whether every answer is a concept of the class.
    seconds : float
        How long one run may take.
    most_d : int, optional
        The largest d at which it is run. A learner that goes through all 2^d points needs it: figures
        over d then end there.

    Examples
    --------
    >>> import numpy as np
    >>> import privsc_core as pv
    >>> @pv.learner("point", title="Report noisy max", proper=True, most_d=16)
    ... def noisy_max(x, y, *, d, epsilon, rng):
    ...     score = np.bincount(x[y == 1] - 1, minlength=2**d) - np.bincount(x[y == 0] - 1, minlength=2**d)
    ...     return 1 + np.argmax(score + rng.laplace(scale=2 / epsilon, size=2**d))
    >>> found = pv.success(
    ...     concept="point", learner=noisy_max, m=60, d=3, epsilon=1, alpha=0.2, trials=200
    ... )
    >>> found.method, 0.8 < found.value.item() < 1
    ('monte-carlo', True)
    """
    told = {"concept": concept, "name": name, "title": title, "privacy": privacy,
            "proper": proper, "seconds": seconds, "most_d": most_d}  # fmt: skip

    def say(function: F) -> F:
        for key, value in told.items():
            setattr(function, key, value)
        return function

    return say


@dataclass(frozen=True, eq=False)
class Call:
    """A function of somebody else's that learns, and what it takes.

    Attributes
    ----------
    function : callable
        (x, y, keywords) -> an answer.
    takes : frozenset of str
        The `KEYWORDS` that it takes.
    listed : Call or None
        Of the same arguments: a mapping of answers to their probabilities.
    told : mapping of str to object
        What it says of itself, see `TOLD`.
    seconds : float
        How long one call may take.
    """

    function: Callable[..., Any]
    takes: frozenset[str]
    listed: Call | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = SECONDS

    @classmethod
    def of(cls, given: Any) -> Call:
        """Return the call of a function, an object with a method `learn`, or a class of such objects.

        Raises
        ------
        InputError
            For anything else, and for a function that takes other arguments.
        """
        if inspect.isclass(given) and callable(getattr(given, "learn", None)):
            given = answered(given)
        function = getattr(given, "learn", given)
        if not callable(function):
            wanted = "must be the name of a learner, a function, or an object with a method learn"
            raise InputError("learner", wanted, given)
        told = {
            key: value for key in TOLD if (value := getattr(given, key, None)) not in (None, "")
        }
        if not isinstance(told.get("most_d", 1), int):
            raise InputError("learner", "must have as most_d a whole number", told["most_d"])
        seconds = told.get("seconds", SECONDS)
        if not isinstance(seconds, int | float) or not seconds > 0:
            raise InputError("learner", "must have as seconds a number above 0", seconds)
        lists = told.get("output_distribution")
        listed = None if lists is None else cls(lists, _taken(lists), seconds=float(seconds))
        return cls(function, _taken(function), listed, told, float(seconds))

    def refusal(self, wanted: str, got: Any) -> InputError:
        """Return the refusal of what it did: in which line it begins, what it must do, what it did."""
        return InputError("learner", f"{_where(self.function)}{wanted}", got)

    def __call__(self, x: Any, y: Any, at: Mapping[str, Any]) -> Any:
        """Return what it answers; refuse in one sentence where it fails or takes too long."""
        keywords = {name: value for name, value in at.items() if name in self.takes}
        return answered(self.function, x, y, seconds=self.seconds, **keywords)


def mechanism(function: Any) -> Callable[..., Any]:
    """Return a mechanism, to be called with a data set, epsilon, delta and rng, of which it gets what it takes.

    Raises
    ------
    InputError
        For anything else.
    """
    if not callable(function):
        raise InputError("learner", "must be a function of a data set", function)
    takes = _taken(function, ("x",), ("epsilon", "delta", "rng"))

    def call(data: Any, **at: Any) -> Any:
        return answered(function, data, **{name: at[name] for name in at if name in takes})

    return call


def _taken(
    function: Callable[..., Any],
    given: tuple[str, ...] = ("x", "y"),
    keywords: tuple[str, ...] = KEYWORDS,
) -> frozenset[str]:
    """Return which keywords a function takes; refuse it where it must have others."""
    try:
        entries = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of some functions in C nothing is known
        return frozenset(keywords)
    if any(entry.kind is entry.VAR_KEYWORD for entry in entries):
        return frozenset(keywords)
    places = [e for e in entries if e.kind in (e.POSITIONAL_ONLY, e.POSITIONAL_OR_KEYWORD)]
    rest = [e for e in entries if e.kind is e.KEYWORD_ONLY] + places[len(given) :]
    wrong = [e.name for e in rest if e.default is e.empty and e.name not in keywords]
    starred = any(entry.kind is entry.VAR_POSITIONAL for entry in entries)
    if wrong or (len(places) < len(given) and not starred):
        taken, known = ", ".join(given), ", ".join(keywords)
        wanted = f"{_where(function)}must take {taken} and, by their names, any of {known}"
        raise InputError("learner", wanted, ", ".join(entry.name for entry in entries) or "nothing")
    return frozenset(entry.name for entry in rest) & frozenset(keywords)


# --- One call ------------------------------------------------------------------------------------


class _TooLongError(BaseException):
    """A call has had its time: no `except Exception` of its own may keep it going."""


def answered(
    function: Callable[..., Any],
    *given: Any,
    seconds: float = SECONDS,
    doing: str = "return an answer",
    **named: Any,
) -> Any:
    """Return what a function of somebody else's returns, if it does so in time; `doing` says what for.

    Raises
    ------
    InputError
        Where it raises, ends the process or takes longer: with the line of its file.
    """
    try:
        with contextlib.nullcontext() if _Watch.thread else watched():
            return _timed(function, given, named, seconds)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        where, kind = _line(error, function), type(error).__name__
        wanted = f"must {doing}, but {where} raises {kind}"
        raise InputError("learner", wanted, str(error) or kind) from error
    except _TooLongError as error:
        where = _line(error, function)
        wanted = f"must {doing} within {seconds:g} s, but is still at {where}"
        raise InputError("learner", wanted, "no answer") from None


class _Watch:
    """The clock of the calls of this process: in its main thread, where the system has an alarm."""

    thread = 0  # the thread whose calls are limited; 0 for none
    begin = 0.0  # of the call under way; 0 for none
    seconds = 0.0


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Have the calls inside limited in their time: one clock for many costs less than one for each.

    Outside the main thread, and on Windows, there is no limit.
    """
    main = threading.current_thread() is threading.main_thread()
    if _Watch.thread or not main or not hasattr(signal, "setitimer"):
        yield
        return
    before, begin = signal.signal(signal.SIGALRM, _look), time.monotonic()
    left, again = signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    _Watch.thread = threading.get_ident()
    try:
        yield
    finally:
        _Watch.thread = 0
        signal.setitimer(
            signal.ITIMER_REAL, 0.0
        )  # first: without our answer a tick ends the process
        signal.signal(signal.SIGALRM, before)
        # Somebody else's alarm goes on: if it was due meanwhile, it comes now.
        left = max(left - (time.monotonic() - begin), _NOW) if left else 0.0
        signal.setitimer(signal.ITIMER_REAL, left, again)


def _timed(
    function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any], seconds: float
) -> Any:
    """Return what a call returns; a call inside another one shares its limit."""
    if _Watch.begin or _Watch.thread != threading.get_ident():
        return function(*given, **named)
    _Watch.seconds, _Watch.begin = seconds, time.monotonic()
    try:
        return function(*given, **named)
    finally:
        _Watch.begin = 0.0


def _look(*_: object) -> None:
    """End the call under way if it has had its time."""
    if _Watch.begin and time.monotonic() - _Watch.begin > _Watch.seconds:
        raise _TooLongError


def _line(error: BaseException, function: Callable[..., Any]) -> str:
    """Return the last line of the reader's own that an error went through."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"line {error.lineno} of {_name(error.filename)}"
    own = [place for place in traceback.walk_tb(error.__traceback__) if _is_own(place[0])]
    if not own:
        return _where(function).strip(" ()") or "it"
    frame, line = own[-1]
    return f"line {line} of {_name(frame.f_code.co_filename)}"


def _is_own(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return not file.startswith((_OURS, "<frozen", *_LIBRARIES))


def _name(file: str) -> str:
    if "ipykernel" in file or "ipython" in file:
        return "its cell"
    return Path(file).name if file.endswith(".py") else "this session"


def _where(function: Callable[..., Any]) -> str:
    """Return in which line of which file a function begins: in parentheses, empty if unknown."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return "" if code is None else f"(line {code.co_firstlineno} of {_name(code.co_filename)}) "


def module_of(function: Callable[..., Any]) -> str:
    """Return the short name of the file that a function comes from; empty outside files."""
    file = getattr(sys.modules.get(getattr(function, "__module__", "")), "__file__", None)
    return Path(file).stem if file else ""
