"""Reference numbers of the classes come out of the command line."""

import json

import pytest

from privsc_core.cli.main import main

AT = ("--epsilon", "0.5", "--alpha", "0.1", "--beta", "0.1")
# recipe: theory-ch11.md, section 6: least m at each size, by the laws and formulas written out there.
REFERENCE = {
    ("need", "threshold", "erm"): {4: 22, 16: 22, 10**6: 22},
    ("need", "threshold", "noisy-count"): {4: 58, 16: 58, 10**6: 58},
    ("need", "threshold", "ranks"): {4: 103, 16: 103, 10**6: 103},
    ("need", "threshold", "ranks-coarse"): {4: 103, 16: 103, 10**6: 103},
    ("bound", "threshold", "theorem-5"): {4: 3, 8: 9, 16: 20, 64: 87, 1024: 1418},
    ("bound", "threshold", "littlestone-entropy"): {4: 3, 8: 3, 16: 10, 64: 51, 1024: 849},
    ("bound", "threshold", "packing"): {4: 35, 8: 61, 16: 115, 64: 458, 1024: 7244},
    ("bound", "threshold", "density"): {4: 454, 8: 589, 16: 854, 64: 2387, 1024: 32252},
    ("bound", "threshold", "theorem-9"): {4: 37829, 8: 48920, 16: 71100, 64: 204185, 1024: 2865870},
    ("bound", "threshold", "theorem-8"): {4: 30264, 8: 39136, 16: 56880, 64: 163348, 1024: 2292696},
    ("bound", "threshold", "theorem-27"): {16: 2366},
    ("bound", "threshold", "pair"): {16: 26, 10**6: 26},
    ("bound", "threshold(all)", "density"): {16: 154, 64: 154},
    ("need", "halfspace", "erm"): {2: 22},
    ("need", "halfspace", "arcs"): {2: 103, 100: 103},
    ("bound", "halfspace", "pair"): {2: 26, 10: 26},
    ("bound", "halfspace", "packing"): {30: 44, 100: 130},
    ("bound", "halfspace", "packing-circle"): {2: 28},
    ("bound", "halfspace", "density"): {2: 129, 3: 227, 10: 808, 30: 2341, 100: 7598},
    ("bound", "halfspace", "density-simple"): {2: 355, 3: 543, 10: 1761, 30: 5139, 100: 16864},
    # recipe: the formulas of tests/core/concepts/conjunction/test_conjunction.py.
    ("bound", "conjunction", "untold"): {8: 349, 16: 810, 64: 4133},
    ("bound", "conjunction", "finite-class"): {8: 351, 16: 599, 64: 2087},
    ("bound", "conjunction", "queries-laplace"): {8: 10052, 16: 46295, 64: 952493},
    ("bound", "conjunction", "queries-gauss", "--delta", "1e-6"): {8: 8986, 16: 27779, 64: 255098},
    ("need", "conjunction", "sq-laplace", "--distribution", "product"): {8: 3213, 16: 12850},
    # recipe: theory-bns15.md, section 6.
    ("need", "rectangle", "exponential"): {8: 377, 16: 622, 64: 2061},
    ("bound", "rectangle", "packing"): {8: 56, 16: 113, 64: 452},
    ("bound", "rectangle", "labels"): {16: 89},
    ("need", "point", "label-boost", "-u", "5098"): {16: 962},
    ("need", "point", "label-boost", "-u", "253181"): {1024: 962},
    # recipe: theory-fx14.md, part B: d is log2 p.
    ("bound", "line", "blind-guess"): {
        16: 264,
        32: 497,
        64: 961,
        128: 1882,
        256: 3709,
        1024: 14558,
    },
    ("bound", "line", "hash-line"): {
        16: 1066,
        32: 1579,
        64: 2593,
        128: 4602,
        256: 8597,
        1024: 32455,
    },
    ("bound", "line", "packing"): {16: 544, 32: 1018, 64: 1950, 128: 3790, 256: 7432, 1024: 29048},
    ("bound", "line", "finite-class"): {64: 4070},
    ("bound", "line", "vote", "--delta", "1e-6"): {2: 3560, 64: 3560, 10**4: 3560},
    ("bound", "line", "blind-guess", "--epsilon", "1"): {64: 506},
    ("bound", "line", "hash-line", "--epsilon", "1"): {64: 1452},
    ("bound", "line", "packing", "--epsilon", "1"): {64: 1011},
    ("need", "line", "erm", "--distribution", "pair"): {64: 29},
    ("bound", "line(31)", "finite-class", "--epsilon", "1", "--alpha", "0.2", "--beta", "0.2"): {
        5: 104,
        64: 104,
    },
    ("bound", "line(257)", "hash-line", "--epsilon", "1", "--alpha", "0.2", "--beta", "0.2"): {
        9: 276,
        64: 276,
    },
}


@pytest.mark.parametrize("asked", REFERENCE, ids=" ".join)
def test_reference_numbers(asked, capsys):
    command, concept, name, *more = asked
    numbers = REFERENCE[asked]
    what = "--learner" if command == "need" else "--bound"
    status = main([
        command, "--concept", concept, what, name, "-d", ",".join(map(str, numbers)), *AT, *more,
        "--json",
    ])  # fmt: skip
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    assert {row["d"]: row["m"] for row in json.loads(out)} == numbers
