"""What the page of a class of one's own shows at first; its laws are tested in tests/core/finite."""

from tests.classes.known import Known

KNOWN = Known(
    defaults={
        "of": "thresholds-8", "d": 3, "learners": ("erm", "exponential", "permute-and-flip"),
        "dist": "uniform", "map": "permute-and-flip", "weights": "", "number": 1, "over": "worst",
        "slack": 0.01, "who": "permute-and-flip", "nwho": "permute-and-flip",
    },
    rich="of=cube-2&open=best.microscope.neighbours.recipe",
)  # fmt: skip
