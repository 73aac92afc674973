"""Links that are kept for ever: what they meant they mean, on another machine to the byte."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from privsc_core.catalog import concept
from tests.classes import known
from tests.depth import deep
from tests.pages.addresses import DECLARED, EACH, PAGES, read, written

# Links of version 1 as they stand in papers, slides and printed QR codes, each with all that it
# must set; everything else is at its default. Golden: never edit a line and never drop one. When
# one of them fails, the program is wrong. New keys and pages get new lines.
GOLDEN = (
    ("conjunctions", "v=1&d=8&a=0.7&share=0.25&learners=exponential",
     {"d": 8, "a": 0.7, "share": 0.25, "learners": ("exponential",)}),
    ("", "v=1&d=96", {"d": 96}),
    ("calculator", "v=1&m=2000&d=16&concept=release&for=d&delta=1e-9&dist=single&sort=ratio",
     {"m": 2000, "d": 16, "concept": "release", "for": "d", "delta": 1e-9, "dist": "single",
      "sort": "ratio"}),
    ("calculator", "v=1&for=beta&eps=2&alpha=0.05", {"for": "beta", "eps": 2.0, "alpha": 0.05}),
    ("halfspaces", "v=1&hides=arcs&cdraw=4&around=-45&up=60&sdraw=2&gamma=0.3&dist=band-in",
     {"hides": "arcs", "cdraw": 4, "around": -45, "up": 60, "sdraw": 2, "gamma": 0.3, "dist": "band-in"}),
    ("thresholds", "v=1&sight=window&ldraw=3&guessed=20&l=half",
     {"sight": "window", "ldraw": 3, "guessed": 20, "l": "half"}),
    ("laboratory", "v=1&of=4x3.ExA&eps=1", {"of": "4x3.ExA", "eps": 1.0}),
    ("laboratory", "v=1&of=random-6-12-7", {"of": "random-6-12-7"}),
    ("laboratory", "v=1&side=nature&moves=4y2n", {"side": "nature", "moves": "4y2n"}),
    ("laboratory", "v=1&moves=010&h=1.3&row=4&weights=1.1.6&axes=10",
     {"moves": "010", "h": "1.3", "row": 4, "weights": "1.1.6", "axes": 10}),
    ("laboratory", "v=1&present=1&open=tree.dimensions&lecture=which-dimension&scene=3",
     {"present": True, "open": ("dimensions", "tree"), "lecture": "which-dimension", "scene": 3}),
    ("", "v=1&m=700&eps=2&const=paper&view=d",
     {"m": 700, "eps": 2.0, "const": "paper", "view": "d"}),
    ("", "v=1&eps=0.1&alpha=0.05&beta=0.01&delta=1e-9",
     {"eps": 0.1, "alpha": 0.05, "beta": 0.01, "delta": 1e-9}),
    ("delta", "v=1&eps=1&delta=1e-9&alpha=0.05", {"eps": 1.0, "delta": 1e-9, "alpha": 0.05}),
    ("labels", "v=1&eps=0.1&inner=2&seen=published", {"eps": 0.1, "inner": 2.0, "seen": "published"}),
    ("labels", "v=1&present=1&controls=eps.d&open=against&lecture=few-labels&scene=2",
     {"present": True, "controls": ("d", "eps"), "open": ("against",), "lecture": "few-labels", "scene": 2}),
    ("labels", "v=1&eps=1&open=fresh.plane&others=7", {"eps": 1.0, "open": ("plane", "fresh"), "others": 7}),
    ("labels", "v=1&d=8&predict=1", {"d": 8, "predict": True}),
    ("labels", "v=1&d=8&guess=300&open=files.html.recipe",
     {"d": 8, "guess": 300, "open": ("files", "html", "recipe")}),
    ("labels", "v=1&open=bound-labels.learner-generic.files&tab=learners",
     {"open": ("files", "bound-labels", "learner-generic"), "tab": "learners"}),
    ("labels", "v=1&d=64&pin=d-16_eps-0.5", {"d": 64, "pin": "d-16_eps-0.5"}),
    ("labels", "v=1&d=64&eps=1&beta=0.05", {"d": 64, "eps": 1.0, "beta": 0.05}),
    ("labels", "v=1&d=16&plane=rectangles&upto=cuts&rerun=3", {"d": 16, "plane": "rectangles", "upto": "cuts", "rerun": 3}),
    ("delta", "v=1&law=uniform&bits=1024", {"law": "uniform", "bits": "1024"}),
    ("delta", "v=1&open=ladder.interior&climb=room&change=flip&nth=3",
     {"open": ("ladder", "interior"), "climb": "room", "change": "flip", "nth": 3}),
    ("atlas", "v=1&class=interval&kind=lower&q=packing&delta=1e-9&source=FX14",
     {"class": "interval", "kind": "lower", "q": "packing", "delta": 1e-9, "source": "FX14"}),
    ("points", "", {}),
    ("points", "v=1&d=16&eps=1.0", {"d": 16, "eps": 1.0}),
    ("points", "v=1&d=96&pin=d-64_eps-0.5_dist-bystanders_s-20",
     {"d": 96, "pin": "d-64_eps-0.5_dist-bystanders_s-20"}),
    ("points", "d=16", {"d": 16}),
    ("points", "v=1&m=123&d=1000000&eps=0.001&alpha=0.49&beta=0.0001",
     {"m": 123, "d": 1000000, "eps": 0.001, "alpha": 0.49, "beta": 0.0001}),
    ("points", "v=1&eps=0.1234567890123456", {"eps": 0.1234567890123456}),
    ("points", "v=1&eps=5e-1&alpha=.2", {"alpha": 0.2}),
    ("points", "v=1&view=m", {}),
    ("points", "v=1&view=eps&m=300", {"view": "eps", "m": 300}),
    ("points", "v=1&view=d&dist=single", {"view": "d", "dist": "single"}),
    ("points", "v=1&view=need-d&learners=exponential,hash&beta=0.05",
     {"view": "need-d", "learners": ("exponential", "hash"), "beta": 0.05}),
    ("points", "v=1&view=need-eps&learners=erm.hash",
     {"view": "need-eps", "learners": ("erm", "hash")}),
    ("points", "v=1&learners=hash.erm.exponential",
     {"learners": ("erm", "exponential", "hash")}),
    ("points", "v=1&learners=", {"learners": ()}),
    ("points", "v=1&view=map-m-d&map=hash", {"view": "map-m-d", "map": "hash"}),
    ("points", "v=1&view=map-m-eps&map=exponential", {"view": "map-m-eps"}),
    ("points", "v=1&view=map-d-eps&map=representation",
     {"view": "map-d-eps", "map": "representation"}),
    ("points", "v=1&dist=bystanders&s=20&trials=500&seed=7",
     {"dist": "bystanders", "s": 20, "trials": 500, "seed": 7}),
    ("points", "v=1&dist=uniform&const=paper", {"dist": "uniform", "const": "paper"}),
    ("points", "v=1&open=recipe", {"open": ("recipe",)}),
    ("points", "v=1&open=files.html", {"open": ("files", "html")}),
    ("points", "v=1&open=bound-packing,bound-corollary-3-8",
     {"open": ("bound-packing", "bound-corollary-3-8")}),
    ("points", "v=1&tab=learners&open=learner-hash",
     {"tab": "learners", "open": ("learner-hash",)}),
    ("points", "v=1&tab=notation", {"tab": "notation"}),
    ("points", "v=1&open=boxes&hand=own&give=0.35&differ=0&merge=merged",
     {"open": ("boxes",), "hand": "own", "give": 0.35, "differ": 0, "merge": "merged"}),
    ("points", "v=1&open=optimum&opt=price&mine=40",
     {"open": ("optimum",), "opt": "price", "mine": 40}),
    ("points", "v=1&cands=16&recs=6&peps=1", {"cands": 16, "recs": 6, "peps": 1.0}),
    ("points", "v=1&va=3&vb=0&swap=drop-1&along=0.25",
     {"va": 3, "vb": 0, "swap": "drop-1", "along": 0.25}),
    ("points", "v=1&learners=margin,permute-and-flip",
     {"learners": ("margin", "permute-and-flip")}),
    ("pseudorandom", "v=1&learners=margin", {"learners": ("margin",)}),
    ("pseudorandom", "v=1&hand=best&pack=packing-relaxed",
     {"hand": "best", "pack": "packing-relaxed"}),
    ("points", "v=1&tab=references", {"tab": "references"}),
    ("points", "v=1&present=1&controls=d.eps", {"present": True, "controls": ("d", "eps")}),
    ("points", "v=1&present=1&controls=eps,d,learners",
     {"present": True, "controls": ("d", "eps", "learners")}),
    ("points", "v=1&d=256&predict=1", {"d": 256, "predict": True}),
    ("points", "v=1&d=256&guess=1000", {"d": 256, "guess": 1000}),
    ("points", "v=1&present=1&lecture=what-constants-cost&scene=2",
     {"present": True, "lecture": "what-constants-cost", "scene": 2}),
    ("points", "v=1&tour=1", {"tour": True}),
    ("points", "v=1&present=1&lecture=own-0123456789abcdef",
     {"present": True, "lecture": "own-0123456789abcdef"}),
    ("intervals", "v=1&d=32&eps=1.0&learners=exponential",
     {"d": 32, "eps": 1.0, "learners": ("exponential",)}),
    ("intervals", "v=1&dist=band&w=64&lam=0.9&view=m", {"dist": "band", "w": 64, "lam": 0.9}),
    ("intervals", "v=1&goal=alternating&dist=cascade&learners=search.tree&delta=1e-9",
     {"goal": "alternating", "dist": "cascade", "learners": ("search", "tree"), "delta": 1e-9}),
    ("intervals", "v=1&mu=0.09&draw=4&tree=0110", {"mu": 0.09, "draw": 4, "tree": "0110"}),
    ("intervals", "v=1&open=contrast.noise.switching.tree",
     {"open": ("contrast", "noise", "switching", "tree")}),
    ("intervals", "v=1&switches=24&target=5&hyp=9&depth=7",
     {"switches": 24, "target": 5, "hyp": 9, "depth": 7}),
    ("intervals", "v=1&open=bound-littlestone", {"open": ("bound-littlestone",)}),
    ("intervals", "v=1&on=hard&rungs=5&many=200&climb=margins&again=3&change=move&nth=2&place=9",
     {"on": "hard", "rungs": 5, "many": 200, "climb": "margins", "again": 3, "change": "move",
      "nth": 2, "place": 9}),
    ("intervals", "v=1&open=interior&labelled=2000&rerun=4",
     {"open": ("interior",), "labelled": 2000, "rerun": 4}),
    ("intervals", "v=1&open=bound-littlestone-entropy", {"open": ("bound-littlestone-entropy",)}),
    ("pseudorandom", "v=1&l=12&d=128", {"l": "12", "d": 128}),
    ("pseudorandom", "v=1&l=log2&view=need-d&learners=exponential-proper",
     {"l": "log2", "view": "need-d", "learners": ("exponential-proper",)}),
    ("pseudorandom", "v=1&l=4log&map=exponential-relaxed&view=map-m-d",
     {"l": "4log", "map": "exponential-relaxed", "view": "map-m-d"}),
    ("pseudorandom", "v=1&open=time.distinguisher&dm=60&dseed=3",
     {"open": ("time", "distinguisher"), "dm": 60, "dseed": 3}),
    ("conjunctions", "v=1&open=route&dist=product&literals=2", {"open": ("route",), "dist": "product", "literals": 2}),
    ("marginals", "v=1&open=matrix.errors&data=views&rdraw=3&table=chain&dist=largest",
     {"open": ("matrix", "errors"), "data": "views", "rdraw": 3, "table": "chain", "dist": "largest"}),
    ("parities", "v=1&open=queries&tol=0.1", {"open": ("queries",), "tol": 0.1}),
    ("parities", "v=1&dist=noisy&eta=0.1&d=6", {"dist": "noisy", "eta": 0.1, "d": 6}),
    ("points", "v=1&learners=seen.exponential&delta=1e-9&view=need-d",
     {"learners": ("exponential", "seen"), "delta": 1e-9, "view": "need-d"}),
    ("release", "v=1&d=16&eps=1.0&delta=1e-9", {"d": 16, "eps": 1.0, "delta": 1e-9}),
    ("release", "v=1&dist=single&learners=stability.laplace",
     {"dist": "single"}),
    ("release", "v=1&open=histogram&mech=stability&rdraw=5&data=income",
     {"open": ("histogram",), "mech": "stability", "rdraw": 5, "data": "income"}),
    ("release", "v=1&open=delta.recipe&data=penguins",
     {"open": ("delta", "recipe"), "data": "penguins"}),
)  # fmt: skip


@pytest.mark.parametrize(("page", "query", "wanted"), GOLDEN)
def test_golden_links_mean_what_they_meant(page, query, wanted):
    fields = PAGES[page]
    values, notes = read(query, fields)
    assert notes == []
    assert values == {item.key: item.default for item in fields} | wanted
    assert read(written(values, fields), fields) == (values, [])


# Changing a default changes what every link without that key shows: these are golden too, as are
# `Known.defaults` of the classes.
COMMON_DEFAULTS = {
    "m": 500, "d": 64, "eps": 0.5, "alpha": 0.1, "beta": 0.1, "trials": 1000, "seed": 1,
    "view": "m", "const": "sharp", "controls": (),
}  # fmt: skip
# The microscope and the neighbours, on every class page; the boxes where a bound packs.
CLOSELY = {
    "run": 1, "step": 0, "rec": "worst", "into": "worst", "base": "",
}  # fmt: skip
BOXES = {"hand": "asked", "give": 0.5, "differ": -1, "merge": "apart"}
ELSE = {
    "open": (), "tab": "bounds", "present": False, "lecture": "", "scene": 1, "predict": False,
    "guess": 0, "pin": "", "tour": False,
}  # fmt: skip

PLAIN = {
    "": {"delta": 1e-6},
    "delta": {
        "delta": 1e-6, "law": "hard", "bits": "64", "open": (), "on": "cascade", "rungs": 8,
        "many": 1000, "climb": "draw", "again": 1, "change": "none", "nth": 1, "place": 1,
        "labelled": 700, "rerun": 1,
    },
    "calculator": {
        "concept": "point", "for": "epsilon", "delta": 1e-6, "dist": "hard", "sort": "catalog",
    },
    "labels": {
        "plane": "points", "upto": "choice", "rerun": 1, "inner": 1.0, "seen": "hidden", "open": (),
        "tab": "bounds", "others": 12, "pin": "", "present": False, "lecture": "", "scene": 1, "predict": False, "guess": 0,
    },
    "laboratory": {
        "of": "thresholds-8", "side": "learner", "moves": "", "h": "", "row": 1, "weights": "", "axes": 3,
        "open": (), "present": False, "lecture": "", "scene": 1,
    },
    "atlas": {
        "delta": 1e-6, "q": "", "class": "all", "kind": "all", "privacy": "all", "source": "all",
        "tab": "bounds", "open": (),
    },
}  # fmt: skip


@EACH
def test_the_plain_address_shows_what_it_showed(page):
    wanted = COMMON_DEFAULTS | PLAIN.get(page, {})
    if page in DECLARED:
        own = known(concept(DECLARED[page].concept)).defaults
        wanted |= own | ELSE | CLOSELY | (BOXES if "pack" in own else {})
    assert {item.key: item.default for item in PAGES[page]} == wanted


# --- the same picture on another machine ---------------------------------------------------------

# Exact curves, least numbers, a map; simulated where the page simulates.
SETTINGS = [
    (0, "m", 64, 0.5), (0, "need-d", 23, 1.7), (0, "map-m-eps", 64, 0.5), (-1, "m", 24, 0.37),
    *deep([], [
        (0, "d", 23, 1.7), (0, "need-d", 64, 0.5), (-1, "need-eps", 96, 0.37),
        ("middle", "eps", 48, 0.37),
    ]),
]  # fmt: skip
PICTURES = """
import hashlib, importlib, json, sys
from pages.shared.chart.payload import payload
from privsc_core import draw
from privsc_core.catalog import concept
from privsc_core.evaluate.scenario import Scenario

found = {}
for name in sys.argv[2:]:
    page = importlib.import_module(f"pages.{name}").PAGE
    laws = concept(page.concept).distributions
    for law, view, d, epsilon in json.loads(sys.argv[1]):
        law = len(laws) // 2 if law == "middle" else law
        scenario = Scenario(
            page.concept, tuple(e.name for e in concept(page.concept).learners),
            distribution=laws[law].label, d=d, epsilon=epsilon, trials=250,
            delta=1e-6 if any(e.privacy == "approximate" for e in concept(page.concept).learners) else 0.0,
        )
        shown = draw.picture(scenario, view, on_map=page.on_map, trials=250)
        sent = payload(
            shown.figure, height=430, title=shown.title, summary=shown.summary,
            filename=shown.filename, table=shown.table, caption=shown.caption,
        )
        found[f"{name} {law} {view} {d}"] = hashlib.sha256(sent).hexdigest()
print(json.dumps(found))
"""


def pictures(**environment):
    """Return a digest of each picture as another process computes it."""
    done = subprocess.run(
        [sys.executable, "-c", PICTURES, json.dumps(SETTINGS), *DECLARED], cwd=Path(__file__).parents[2],
        env=os.environ | environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.whole
def test_another_processor_draws_the_same_bytes():
    # numpy picks its loops, and BLAS its kernels, by what the processor can do: forbid them all.
    extensions = np.show_config(mode="dicts")["SIMD Extensions"].get("found", ())
    plain = pictures(
        NPY_DISABLE_CPU_FEATURES=" ".join(extensions),
        OPENBLAS_CORETYPE="Prescott",
        OPENBLAS_NUM_THREADS="1",
    )
    assert plain == pictures()
