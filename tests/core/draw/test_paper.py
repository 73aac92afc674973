"""A figure in a notebook and in a paper: what a page draws, at a size, in black on white."""

import numpy as np
import plotly.graph_objects as go
import pytest

import privsc_core as pv
from privsc_core import draw
from privsc_core.errors import InputError

AT = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
PAIR = {"concept": "point", "learner": ["exponential", "hash"]}


def curves(figure):
    """Return the points of each curve by its uid."""
    return {trace.uid: (list(trace.x), list(trace.y)) for trace in figure.data}


def same(figure, scenario, view):
    drawn = go.Figure(draw.picture(scenario, view).figure)
    assert len(figure.data) > 2
    return curves(figure) == curves(drawn)


def test_a_figure_is_what_the_page_draws():
    for view in ("m", "need-eps"):
        scenario = pv.Scenario("point", ("exponential", "hash"), d=16, epsilon=0.3)
        assert same(pv.figure(**PAIR, view=view, d=16, epsilon=0.3), scenario, view)
    figure = pv.figure(**PAIR, view="map-m-d", on_map="hash")
    assert figure.data[0].type == "heatmap"
    everybody = pv.figure(concept="parity")
    names = {entry.title for entry in pv.CONCEPTS[5].learners}
    assert names <= {trace.name.split(" (")[0] for trace in everybody.data}
    assert "distribution" in everybody.layout.meta["caption"]


def test_a_result_plots_what_the_page_draws_of_its_setting():
    sizes = [4, 16]
    plotted = pv.need(**PAIR, d=sizes, **AT).plot()
    assert same(plotted, pv.Scenario("point", ("exponential", "hash"), d=4), "need-d")
    plotted = pv.success(concept="point", learner="hash", m=300, d=16, **AT).plot()
    assert same(plotted, pv.Scenario("point", ("hash",), d=16, m=300), "m")
    plotted = pv.need(concept="point", learner="hash", d=16, **(AT | {"epsilon": [1, 2]})).plot()
    assert plotted.layout.xaxis.title.text == "privacy loss ε"
    mapped = pv.success(concept="point", learner="hash", m=[20, 30], d=[[4], [5]], **AT).plot()
    assert mapped.data[0].type == "heatmap"
    bounds = pv.bound(concept="point", bound=["packing", "hash"], d=16, **AT).plot()
    assert {"packing-lower", "hash-upper"} <= {*curves(bounds)}


def test_a_figure_for_print_has_its_size():
    figure = pv.figure(**PAIR, width="85mm", font="9pt")
    layout = figure.layout
    assert layout.width == pytest.approx(85 / 25.4 * 96)
    assert layout.font.size == layout.legend.font.size == layout.xaxis.title.font.size == 12
    assert layout.title.text is None
    assert layout.paper_bgcolor == layout.plot_bgcolor == "#ffffff"
    assert pv.figure(**PAIR, width="3in", height="200pt").layout.height == pytest.approx(800 / 3)
    wide = max(len(line) for trace in figure.data for line in trace.name.split("<br>"))
    assert wide * 0.5 * 12 < layout.width
    screen = pv.figure(**PAIR)
    assert screen.layout.width is None
    assert "Success" in screen.layout.title.text
    thick = [t.line.width for t in screen.data if t.uid == "hash"]
    thin = [t.line.width for t in figure.data if t.uid == "hash"]
    assert thin == pytest.approx([width * 12 / 14 for width in thick])


def test_a_legend_in_print_has_names_alone_and_on_a_screen_slopes():
    asked = {"concept": "point", "learner": ["erm", "hash"], "view": "need-d"}
    screen, narrow = pv.figure(**asked), pv.figure(**asked, width="30mm")
    assert any(" · slope " in trace.name for trace in screen.data)
    names = [[trace.name.replace("<br>", " ") for trace in one.data] for one in (screen, narrow)]
    assert [name.partition(" · slope ")[0] for name in names[0]] == names[1]
    assert " has slope " in narrow.layout.meta["summary"]


def test_a_narrow_figure_has_fewer_ticks():
    assert len(pv.figure(**PAIR, width="60mm").layout.xaxis.ticktext) < len(
        pv.figure(**PAIR).layout.xaxis.ticktext
    )


@pytest.mark.parametrize("bad", ["85", "85 miles", "-3mm", 0, True, "1e9mm", float("nan"), [3]])
def test_a_length_that_is_none_is_refused(bad):
    with pytest.raises(InputError, match="width must be a number of pixels"):
        pv.figure(**PAIR, width=bad)


def test_what_no_page_draws_is_refused():
    for values in ({"alpha": [0.1, 0.2]}, {"beta": [0.1, 0.2]}):
        with pytest.raises(InputError, match="plot must be of one setting"):
            pv.need(**PAIR, d=16, **(AT | values)).plot()
    with pytest.raises(InputError, match="plot must be of one learner"):
        pv.success(**PAIR, m=np.array([20, 30]), d=[[4], [5]], **AT).plot()
    with pytest.raises(InputError, match=r"setting must be one of .*; got zeta"):
        pv.figure(**PAIR, zeta=2)
    with pytest.raises(InputError, match="view must be one of"):
        pv.figure(**PAIR, view="cake")
