"""The words of the command line; what they may be is checked later, in one grammar."""

from __future__ import annotations

import argparse
import re
import textwrap
from typing import TYPE_CHECKING, NoReturn

from privsc_core.cli.streams import say
from privsc_core.errors import InputError
from privsc_core.parameters import PARAMETERS, TARGET, WANTED, parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LISTS = """\
-m, -d, --epsilon, --alpha and --beta take lists and ranges: 8,16 or 10:1000:25 (25 values from 10 to
1000) or 32:1024:6:log, or a mixture. Values of m and d are rounded, and equal values are kept once.
There is one record for each combination, at most 10000 in all. The order is that of nested loops over
learner or bound, distribution, m, d, epsilon, alpha, beta; the last varies fastest. With --delta 0 an
approximately private learner uses its own default, and a note says so. If success is simulated with
too few --trials for beta, need prints no m. Then every m below "at_least" is too small, and the reason
says how many trials would suffice. With "all", entries that cannot answer are listed with the reason."""

_YOURS = """

--learner also takes a learner of your own: FILE.py:NAME names the function NAME(x, y, *, ...) in FILE.
The function gets the m points x, as the class writes them, and their labels y. By name it gets what it
takes of d, epsilon, alpha, beta, delta, u, bits and rng, a numpy Generator. It returns a concept (of
points its number), a function from one point to its label, or None. The function runs --trials times,
each time for at most 10 s, on all cores; the answer has a 95% interval. PACKAGE:NAME names a learner of
an installed package; `privsc list` shows such learners. Only success, need, audit and serve --with run
a file of yours."""

_OURS = """\
A result is ours if the catalog names no paper as its source: a lower bound, an upper bound, a learner, or
the correction of something that one would think. Each record has the statement, the proof, the nearest
that we know in the literature, and the commands that check it; --json and --csv print all of it. The
commands that begin with python run in a copy of the repository. --pdf writes the same as one document
with contents, references and how to cite it. That needs a typesetter: pip install 'privsc[paper]'."""

_REACH = """\
For each learner: the least m, epsilon, alpha or beta, or the greatest d, with which it succeeds with
probability 1 - beta when the rest is as given. The value comes from the exact success probability. It
has four digits (m and d have all), rounded so that the learner still succeeds. It is the most
demanding value with which the learner succeeds. Some less demanding values may fail, as on spikes;
then a note says so. If it is not known where success rises and falls, many values are tried (every d
up to 2000). Then "complete" is false, and the learner reaches at least the value printed. With
--trials success may be simulated. Then too the learner reaches at least the value: there the 95%
interval of success lies above 1 - beta. "best" comes from the strongest lower bound that binds the
learner; "proved" says whether it is proved on the distribution or for the worst case only. For m or d,
"best" is the least m or the greatest d that the bound does not exclude. For epsilon, alpha and beta it
is the greatest value such that the bound excludes all smaller ones. "ratio" is the gap between the two
numbers: no learner that the bound binds is better by a larger factor. With --guaranteed the number is
what an upper bound promises on every distribution, or on the distributions that "only_on" names. Then
"best" is about learners with the same promise. Lists and ranges work as for need, but not for the
parameter that is asked for. With --delta 0 an approximately private learner uses its own default.
For a learner without an exact law here, the value is what an upper bound promises on the distribution,
and "promise" names the bound. Where nothing is promised the reason is listed."""

_FIGURE = """\
This command draws nothing. It prints the numbers that the dashboard draws at this setting, point by
point, over the range of the figure. The parameters on the axes of the figure are checked but have no
effect. Views: m, eps, d (success), need-d, need-eps (least m), map-m-d, map-m-eps, map-d-eps (success
of one learner)."""

_LEARN = """\
FILE is CSV in UTF-8 with a header line. Its columns are x (points, whole numbers from 1 to 2^d, of any
length) and y (labels, 0 or 1); other columns are ignored. It has at most 64 MB and 1000000 rows.
Commas, semicolons or tabs separate cells; a first line sep=; says which. Lines that begin with # are
comments. A class without labels needs x alone, and y is ignored. Examples that no concept fits are
allowed. An error in the file is reported by line and column; the data are never quoted. The output
never contains the examples, only what the learner releases. This is a description, and the exact point
of a point function, or the key and threshold of a keyed function. For a keyed function h(x) = 1 if the
first 64 bits of BLAKE2b, keyed, of x-1 in ceil(d/8) bytes are below the threshold. For counts it is
the 20 largest, how many more there are, and their total. For other points use --predict, which prints
labels, or fractions for counts.
This is a release: everything that depends on the data is drawn by OpenDP (pip install
'privsc[release]'), or exactly if OpenDP lacks the mechanism. Learners whose noise cannot be drawn so
are refused. The output says which samples are compared, what was spent, and what was assumed to be
public. --receipt writes this into a file. --budget FILE keeps the account, and is charged before the
noise is drawn. Running the command twice spends twice. --simulate runs every learner as the dashboard
does, with floating-point noise, which is not private to the last bit. Its random numbers are fresh, or
follow from --seed."""

_DIMENSIONS = """\
FILE has one line for each concept: the labels 0 and 1 of the points, without separators or separated
by blanks, commas, semicolons or tabs (a first line sep=; says which). Empty lines, lines that begin
with #, a first line of names and pandas' index are skipped. A missing label is refused, and equal rows
count once. At most 4096 rows and 256 columns are read.
With --ready, FILE is the name of a ready-made class and its sizes: {words}.
With --family, it is the name of a class of any size, with b bits an axis and k axes: {families}. There
the levels are those of a mistake tree with a dummy point, and low and high of samples come from
formulas. A number is printed by the two ends, low and high, between which it lies. They are equal if
the number is known, and differ if the search was cut short. guess is 1/rho, one over the best chance
to guess a good hypothesis before any data. Samples of type "upper" are enough. Samples of type "lower"
are needed by every purely private learner, proper or not, on some target and distribution."""

_CERTIFY = """\
Computes the number again, by an independent method in ball arithmetic, and prints two decimals between
which the number lies. This is a proof, if the formula and the library Arb are correct. With -m the
number is the success at m, or what a bound allows or promises at m. Without -m it is the least m. Then
the record also has the enclosure at m - 1. This shows that no smaller m suffices, because success does
not fall as m grows. For a bound from another inequality the number is the excess of that inequality,
which is at least 0 if m satisfies it. "computed" is the answer of the other commands. "agrees" says
whether it is the same m, or within 1e-12 of the enclosure. Without a learner or a bound, all of them
are computed; those without a certificate are listed with the reason. Parameters are taken as the
decimals that were typed. --json prints what --check FILE reads. --check computes again with more bits,
and refuses wrong records. This command needs python-flint: pip install 'privsc[certify]'."""

_SWEEP = """\
PLAN is TOML with tables [[sweep]]. The key ask is success, need, bound, learn or audit; how is grid,
list or random. A value or a list may be given for concept, learner or bound, distribution, m, d,
epsilon, alpha, beta and delta. Other keys are count, repeat, trials and seed.
privsc_core/sweep/README.md explains each.
The results have one row for each setting, as CSV if OUTPUT ends in .csv, else as Parquet. The row of
a refused setting has the reason. Parts are kept next to OUTPUT until the end: if the command is killed,
the same command continues. The same plan gives the same bytes on any number of workers.
The command needs pip install 'privsc[sweep]', and for --scheduler 'privsc[cluster]'."""

_AUDIT = """\
Compares the exact output distributions of all pairs of samples that differ in one example. The
instance is small enough to enumerate, by default the tiny instance of the learner. "worst" is the
largest |log ratio|, to be compared with epsilon; it is null with a reason where it is infinite.
For approximate privacy, "least_delta" is the least delta with which the instance is private at
epsilon, to be compared with "delta". With --delta 0 such a learner uses its own default.

FILE.py:NAME audits a learner of your own (`privsc success --help` says what it is). If it does not list
its outputs with their probabilities, or with --trials, a learner is run instead. Half of the runs choose
two neighbouring samples and an event, the other half count it. "worst" and "least_delta" are then at
least so large, with 99% confidence. "private" is false (with confidence 1 - 10^-6) or null, and never
true: runs can show that a learner is not private, but not that it is."""

# A value may begin with a minus sign; argparse would take -1,2 or -1e-3 for an option.
_NEGATIVE = re.compile(r"-(?:[\d.,:]|inf|nan)", re.IGNORECASE)
_OPTION = re.compile(r"--[a-z]+|-[a-z]")


class _Given(argparse.Action):
    """Stores a value, and that it was typed."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Store it, and its name among what is `given`."""
        setattr(namespace, self.dest, values)
        namespace.given = {*getattr(namespace, "given", ()), self.dest}


class _Parser(argparse.ArgumentParser):
    """An argument parser that refuses in the project's own grammar."""

    def __init__(self, **words: object) -> None:
        super().__init__(
            allow_abbrev=False,
            exit_on_error=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **words,  # type: ignore[arg-type] # the words of add_parser, passed on
        )

    def _print_message(self, message: str, file: object = None) -> None:
        """Print help or version as any answer: argparse passes over what cannot be written."""
        say(message)

    def error(self, message: str) -> NoReturn:
        """Refuse what argparse has no `ArgumentError` for: something is missing."""
        missing = message.rpartition(": ")[2]
        raise InputError(missing.lower(), "must be given (see --help)", "nothing")


def parser(asked: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands, of which only the one that is asked for has its options."""
    top = _Parser(
        prog="privsc",
        description="The sample complexity of differentially private PAC learning.",
        epilog=(
            "privsc COMMAND --help explains a command; privsc list shows classes, learners and bounds."
        ),
    )
    from privsc_core import __version__  # the package imports nothing of this

    top.add_argument("--version", action="version", version=f"privsc {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for name, (words, epilog, add) in _COMMANDS.items():
        sub = commands.add_parser(name, help=words, description=words, epilog=epilog)
        if name == asked:
            add(sub)
    return top


def _add_list(sub: argparse.ArgumentParser) -> None:
    _add_format(sub)


def _add_ours(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--concept", default="", help="only what is about this class (default: all)")
    sub.add_argument(
        "--pdf", metavar="FILE", help="also write it as a typeset document; needs 'privsc[paper]'"
    )
    _add_format(sub)


def _add_success(sub: argparse.ArgumentParser) -> None:
    _add_who(sub, "learner", "all")
    _add_setting(sub, unused_m=False)
    _add_numbers(sub, "log2_d")
    _add_format(sub)


def _add_need(sub: argparse.ArgumentParser) -> None:
    _add_who(sub, "learner", "all")
    _add_setting(sub, unused_m=True)
    _add_numbers(sub, "log2_d")
    _add_format(sub)


def _add_bound(sub: argparse.ArgumentParser) -> None:
    _add_who(sub, "bound", "all")
    _add_formula(sub, "in place of a bound, ")
    _add_setting(sub, unused_m=True)
    _add_numbers(sub, "log2_d")
    _add_format(sub)


def _add_reach(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--for", dest="wanted", default="epsilon", choices=WANTED,
        help="what is looked for (default: epsilon)",
    )  # fmt: skip
    _add_who(sub, "learner", "all")
    sub.add_argument(
        "--privacy", choices=("pure", "approximate", "label", "none"), help="only these learners"
    )
    sub.add_argument("--form", choices=("proper", "improper"), help="only these learners")
    sub.add_argument(
        "--guaranteed", action="store_true",
        help="what upper bounds promise, instead of what is so on the distribution",
    )  # fmt: skip
    _add_distribution(sub)
    for name in (*WANTED, "delta", "u"):
        _add_numbers(sub, name, words="; not read if --for asks for it" if name in WANTED else "")
    _add_numbers(sub, "trials", default=None, words="; where it is given laws may be simulated")
    _add_numbers(sub, "seed")
    _add_format(sub)


def _add_figure(sub: argparse.ArgumentParser) -> None:
    _add_who(sub, "learner", "all", alone="none: no curve of a learner")
    sub.add_argument(
        "--view", default="m", help="which figure, as in the dashboard's links (default: m)"
    )
    sub.add_argument("--map", help="the learner of a map (default: the first private one)")
    sub.add_argument(
        "--pin", action="append", default=[], metavar="NAME=VALUE",
        help="beside it another setting, which differs in this; may be repeated",
    )  # fmt: skip
    sub.add_argument(
        "--constants", default="sharp", help="of the bounds: sharp or paper (default: sharp)"
    )
    sub.add_argument("--regions", default="", help="the bounds to draw (default: all that apply)")
    _add_formula(sub, "beside the bounds, ")
    _add_setting(sub, unused_m=False)
    _add_format(sub)


def _add_audit(sub: argparse.ArgumentParser) -> None:
    _add_who(sub, "learner", "all")
    _add_numbers(sub, "m", *_SETTING, default=None, words="; default: the learner's own")
    _add_numbers(sub, "delta", words=_OWN_SLACK)
    sub.add_argument(
        "--trials", action=_Given, metavar="N",
        help="count so many runs in all, at most 1000000 (default: only if there is no exact answer; 200000)",
    )  # fmt: skip
    _add_numbers(sub, "seed")
    _add_format(sub)


def _add_serve(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--port", help="port, 1 to 65535 (default: 8501, or the next free one)")
    sub.add_argument("--address", help="address to listen on (default: 127.0.0.1)")
    sub.add_argument("--metrics", help="port for GET /metrics, on 127.0.0.1 (default: none)")
    sub.add_argument("--log", choices=("plain", "json"), help="form of the log (default: plain)")
    sub.add_argument("--scheduler", help="of a Dask cluster, tcp://host:8786, for what takes long")
    sub.add_argument(
        "--rooms", metavar="WHERE",
        help="keeps what an audience answers on phones: a file, redis://host:6379, or off (default: a temporary file)",
    )  # fmt: skip
    sub.add_argument(
        "--with", dest="brought", action="append", default=[], metavar="FILE.py",
        help="a file with learners of your own, which its class's page then shows; may be repeated",
    )  # fmt: skip


def _add_learn(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", metavar="FILE", help="the examples; - is standard input")
    _add_who(sub, "learner", None)
    _add_numbers(sub, *_SETTING)
    _add_numbers(sub, "delta", words=_OWN_SLACK)
    _add_numbers(sub, "u", words="; they are the last ones of the file")
    _add_numbers(sub, "seed", default=None, words="; default: fresh and secret")
    sub.add_argument(
        "--predict",
        metavar="POINTS",
        help="points to label (without labels: to count), such as 5,17",
    )
    sub.add_argument(
        "--simulate",
        action="store_true",
        help="run as in the dashboard, on floating-point noise: not for people's data",
    )
    sub.add_argument(
        "--budget",
        metavar="FILE",
        help='what may be spent on these data, such as {"epsilon": 1, "delta": 1e-6}; refuses beyond',
    )
    sub.add_argument(
        "--receipt", metavar="FILE", help="new file: what was promised, without the data"
    )
    _add_format(sub)


def _add_certify(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--check", metavar="FILE", help="certificates to check; - is standard input")
    sub.add_argument("--concept", default="point", help="concept class (default: point)")
    for kind in ("learner", "bound"):
        sub.add_argument(f"--{kind}", help=f"a {kind}, several with commas, or all")
    _add_distribution(sub)
    _add_numbers(sub, "m", default=None, words="; default: the least m is asked for")
    _add_numbers(sub, *_SETTING)
    _add_numbers(sub, "delta", words=_OWN_SLACK)
    _add_numbers(sub, "u")
    _add_format(sub)


def _add_sweep(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", metavar="PLAN", help="the plan; - is standard input")
    sub.add_argument(
        "-o",
        "--output",
        required=True,
        help="the results, a file that is not there yet: .parquet or .csv",
    )
    where = sub.add_mutually_exclusive_group()
    where.add_argument("--workers", help="processes on this machine (default: one a core)")
    where.add_argument("--scheduler", help="of a Dask cluster, tcp://host:8786, instead")
    _add_format(sub)


def _add_matrix(sub: argparse.ArgumentParser) -> None:
    from privsc_core.finite.families import FAMILIES, sized
    from privsc_core.finite.ready import READY, example
    from privsc_core.finite.report import ACCURACY

    words, sizes = ", ".join(map(example, READY)), ", ".join(map(sized, FAMILIES))
    sub.epilog = textwrap.fill((sub.epilog or "").format(words=words, families=sizes), 99)
    sub.add_argument("file", metavar="FILE", help="the matrix; - is standard input")
    which = sub.add_mutually_exclusive_group()
    which.add_argument(
        "--ready", action="store_true", help="FILE is the word of a ready-made class"
    )
    which.add_argument(
        "--code", action="store_true", help="FILE is a class as links of the dashboard have it"
    )
    which.add_argument(
        "--family", action="store_true", help="FILE is a class of any size, such as boxes-16-10"
    )
    for name in ("epsilon", "alpha", "beta"):
        _add_numbers(sub, name, own=f"{ACCURACY:g}" if name == "alpha" else "")
    _add_format(sub)


def _add_format(sub: argparse.ArgumentParser) -> None:
    chosen = sub.add_mutually_exclusive_group()
    chosen.add_argument("--json", action="store_true", help="print records as JSON")
    chosen.add_argument("--csv", action="store_true", help="print records as CSV")


def _add_who(sub: argparse.ArgumentParser, kind: str, default: str | None, alone: str = "") -> None:
    sub.add_argument(
        "--concept",
        default="point",
        help="concept class (default: point); of success, need, bound, audit and figure also a FILE.csv of labels",
    )
    words = f"a {kind}, several with commas, or all (default: {default})"
    words += f"; {alone}" if alone else ""
    if default is None:
        words = f"the {kind} (default: the first private one that `privsc list` has)"
    sub.add_argument(f"--{kind}", default=default, help=words)


def _add_formula(sub: argparse.ArgumentParser, where: str) -> None:
    words = (
        f"{where}a formula in d, epsilon, delta, alpha, beta, and T (kappa, p) for what the class calls 2^d, with "
        "+ - * / ^ log log2 logstar sqrt exp min max, such as '2*(d + log(1/beta))/(alpha*epsilon)'"
    )
    sub.add_argument("--formula", default="", help=words)


def _add_distribution(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--distribution",
        action=_Given,
        help="data distribution (default: the first that `privsc list` has)",
    )
    words = "; ".join(f"{word}: {what}" for word, what in TARGET.words.items())
    sub.add_argument(
        f"--{TARGET.name}",
        action=_Given,
        help=f"{TARGET.meaning}, for distributions that have it ({words})",
    )


def _add_setting(sub: argparse.ArgumentParser, *, unused_m: bool) -> None:
    _add_distribution(sub)
    for entry in PARAMETERS:
        unused = unused_m and entry.name == "m"
        words = "; checked but not used here, where m is the answer" if unused else ""
        _add_numbers(sub, entry.name, words=words)


_OWN = "own"
_SETTING = ("d", "epsilon", "alpha", "beta")
_OWN_SLACK = "; at 0 an approximately private learner uses its own default"


def _add_numbers(
    sub: argparse.ArgumentParser, *names: str, default: str | None = _OWN, words: str = "",
    own: str = "",
) -> None:  # fmt: skip
    for entry in map(parameter, names):
        here = own or f"{entry.default:g}"
        shown = f" (default: {here})" if default == _OWN else ""
        sub.add_argument(
            f"-{entry.name}" if len(entry.name) == 1 else f"--{entry.name.replace('_', '-')}",
            dest=entry.name, action=_Given, default=here if default == _OWN else default,
            metavar=entry.symbol if len(entry.symbol) == 1 else "N",
            help=f"{entry.meaning}; in {entry.domain}{shown}{words}".replace("%", "%%"),
        )  # fmt: skip


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the options.

    Raises
    ------
    InputError
        When the words are not those of a command.
    """
    top = parser(next((word for word in words if word in COMMANDS), ""))
    try:
        options, rest = top.parse_known_args(_with_negatives(words))
    except argparse.ArgumentError as error:
        raise _refusal(error) from None
    if rest:
        option = rest[0].startswith("-")
        requirement = (
            f"must be one that `privsc {options.command or ''}".rstrip() + " --help` lists"
        )
        raise InputError("option" if option else "argument", requirement, rest[0])
    return options


def _with_negatives(words: Sequence[str]) -> list[str]:
    """Glue a negative value to its option, so that it is refused as a value."""
    result: list[str] = []
    for word in words:
        if result and _OPTION.fullmatch(result[-1]) and _NEGATIVE.match(word):
            result[-1] += ("=" if result[-1].startswith("--") else "") + word
        else:
            result.append(word)
    return result


def _refusal(error: argparse.ArgumentError) -> InputError:
    """Return what argparse found wrong in the project's grammar."""
    name = (error.argument_name or "argument").rpartition("/")[2].lstrip("-")
    message = error.message
    if name == "COMMAND" or "COMMAND" in name:
        got = re.search(r"'(.*?)' \(", message) or re.search(r": '(.*)'", message)
        return InputError(
            "command", f"must be one of {', '.join(COMMANDS)}", got[1] if got else message
        )
    if "expected" in message:
        return InputError(name, "must be followed by a value", "nothing")
    if "invalid choice" in message:
        given, _, known = message.partition(" (choose from ")
        words = known.rstrip(")").replace("'", "")
        return InputError(name, f"must be one of {words}", given.rpartition(": ")[2].strip("'"))
    if "not allowed with" in message:
        return InputError(name, "must stand without " + message.rpartition(" ")[2], "both")
    return InputError(name, "must stand without a value", message.rpartition(" ")[2].strip("'"))


# Each command: what it does, what its help says at the end, and what adds its options.
_COMMANDS: dict[str, tuple[str, str, Callable[[argparse.ArgumentParser], None]]] = {
    "list": ("list concepts, learners, bounds, distributions and parameters", "", _add_list),
    "ours": ("list the results of this project, with proofs and checks", _OURS, _add_ours),
    "success": ("the probability that a learner succeeds", _LISTS + _YOURS, _add_success),
    "need": (
        "the least m with success at least 1 - beta, and m_from, from which on all do",
        _LISTS + _YOURS, _add_need,
    ),
    "bound": (
        "the m of a bound: lower bounds the least not excluded, upper the least enough",
        _LISTS, _add_bound,
    ),
    "reach": (
        "what can be reached: the least m, epsilon, alpha, beta or greatest d", _REACH, _add_reach
    ),
    "dimensions": (
        "the dimensions of a concept class, given as a matrix of labels", _DIMENSIONS, _add_matrix
    ),
    "figure": ("the numbers behind a figure of the dashboard, all digits", _FIGURE, _add_figure),
    "certify": ("a number with a proof of its digits, in ball arithmetic", _CERTIFY, _add_certify),
    "learn": ("run a learner on a CSV of examples", _LEARN, _add_learn),
    "audit": ("check a learner's privacy on a tiny instance", _AUDIT, _add_audit),
    "sweep": ("very many settings on many processes, into one file", _SWEEP, _add_sweep),
    "serve": ("start the dashboard", "", _add_serve),
}  # fmt: skip
COMMANDS = tuple(_COMMANDS)
