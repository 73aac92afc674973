"""Labels: learners that take labelled and unlabelled examples, on one plane."""

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.page import labels
from privsc_core.exhibits.interval import labels as intervals
from privsc_core.exhibits.point import fresh
from privsc_core.exhibits.point import labels as points
from privsc_core.exhibits.rectangle import labels as rectangles
from privsc_core.exhibits.rectangle import run

PAGE = labels.LabelsPage({
    "points": labels.Budgets(
        label="Points", plane=points.plane_picture, against=points.against_picture, told=points.TOLD,
        asked=points.asking_picture, fresh=fresh.fresh_picture,
    ),
    "intervals": labels.Budgets(
        label="Thresholds on 2ᵈ points", plane=intervals.plane_picture, against=intervals.against_picture,
        told=intervals.TOLD, asked=intervals.asking_picture,
    ),
    "rectangles": labels.Budgets(
        label="Rectangles", plane=rectangles.plane_picture, against=rectangles.against_picture,
        told=rectangles.TOLD, run=run.run_picture, steps=run.STEPS,
    ),
})  # fmt: skip

if __name__ == "__main__":  # Streamlit runs this file; an import takes what it declares
    labels.show(PAGE)
