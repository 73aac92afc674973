"""What people take away of a figure: words and numbers that make it again elsewhere.

Everything here is a text, made from a `Shown` alone and the same each time: no clock, no files,
no network. The browser adds the picture itself.
"""

from privsc_core.export.bundle import (
    Drawn,
    Figures,
    bundle,
    data_csv,
    figures_of,
    manifest,
    notebook,
)
from privsc_core.export.sheets import (
    dimensions_command,
    dimensions_csv,
    dimensions_snippet,
    labels_command,
    labels_figures,
    labels_scenario,
    labels_snippet,
    reach_command,
    reach_csv,
    reach_snippet,
    slack_commands,
)
from privsc_core.export.shown import (
    Shown,
    certifiable,
    certificate,
    certificate_command,
    command_line,
    figure_command,
    python_snippet,
    uncertified,
)
from privsc_core.export.sources import bibtex_of, cite, cited, credit_of, papers_of

__all__ = [
    "Drawn",
    "Figures",
    "Shown",
    "bibtex_of",
    "bundle",
    "certifiable",
    "certificate",
    "certificate_command",
    "cite",
    "cited",
    "command_line",
    "credit_of",
    "data_csv",
    "dimensions_command",
    "dimensions_csv",
    "dimensions_snippet",
    "figure_command",
    "figures_of",
    "labels_command",
    "labels_figures",
    "labels_scenario",
    "labels_snippet",
    "manifest",
    "notebook",
    "papers_of",
    "python_snippet",
    "reach_command",
    "reach_csv",
    "reach_snippet",
    "slack_commands",
    "uncertified",
]
