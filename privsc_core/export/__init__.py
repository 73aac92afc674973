"""What people take away of a figure: words and numbers that make it again elsewhere.

Everything here is a text, made from a `Shown` alone and the same each time: no clock, no files,
no network. The browser adds the picture itself.
"""

from privsc_core.export.bundle import bundle, data_csv
from privsc_core.export.certificate import (
    certifiable,
    certificate,
    certificate_command,
    uncertified,
)
from privsc_core.export.dimensions import (
    dimensions_command,
    dimensions_csv,
    dimensions_snippet,
)
from privsc_core.export.labels import labels_command, labels_notebook, labels_snippet
from privsc_core.export.manifest import manifest
from privsc_core.export.notebook import Drawn, notebook
from privsc_core.export.recipe import command_line, figure_command, python_snippet
from privsc_core.export.reckoning import reach_command, reach_csv, reach_snippet
from privsc_core.export.shown import Shown
from privsc_core.export.slack import slack_commands
from privsc_core.export.sources import bibtex, cite, cited, credit

__all__ = [
    "Drawn",
    "Shown",
    "bibtex",
    "bundle",
    "certifiable",
    "certificate",
    "certificate_command",
    "cite",
    "cited",
    "command_line",
    "credit",
    "data_csv",
    "dimensions_command",
    "dimensions_csv",
    "dimensions_snippet",
    "figure_command",
    "labels_command",
    "labels_notebook",
    "labels_snippet",
    "manifest",
    "notebook",
    "python_snippet",
    "reach_command",
    "reach_csv",
    "reach_snippet",
    "slack_commands",
    "uncertified",
]
