"""Labels: learners that take labelled and unlabelled examples, on one plane."""

from pages.shared.page import labels
from privsc_core.exhibits.point import labels_figures as points

PAIR = labels.Budgets(
    plane=points.plane_picture, cards=points.cards, against=points.against_picture,
    claim=points.against_claim,
)  # fmt: skip

if __name__ == "__main__":  # Streamlit runs a page so; whoever imports it wants PAIR alone
    labels.show(PAIR)
