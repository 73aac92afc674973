"""Drawing: views in, figures out. No mathematics, and the only part that knows Plotly."""

from privsc_core.draw.data import data_rows
from privsc_core.draw.figures import least_m_figure, phase_figure, setting_of, success_figure
from privsc_core.draw.paper import figure, plotly_figure
from privsc_core.draw.picture import Picture
from privsc_core.draw.prediction import conceal, mark
from privsc_core.draw.views import VIEWS, Frame, View, picture, strip, views_of

__all__ = [
    "VIEWS",
    "Frame",
    "Picture",
    "View",
    "conceal",
    "data_rows",
    "figure",
    "least_m_figure",
    "mark",
    "phase_figure",
    "picture",
    "plotly_figure",
    "setting_of",
    "strip",
    "success_figure",
    "views_of",
]
