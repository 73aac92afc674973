"""What the captions of the shipped lectures say, from the core: one module for each lecture.

`CLAIMS` has, for each scene, the function that gives the phrases with its numbers; `QUESTIONS` has
it for what a scene asks, by the scene's number.
"""

from tests.pages.claims import (
    few_labels,
    no_number_suffices,
    paying_once,
    points_and_intervals,
    private_learning_costs_samples,
    what_constants_cost,
    what_delta_buys,
    what_log_star_costs,
    what_statistics_tell,
    which_dimension,
)

LECTURES = {
    "private-learning-costs-samples": private_learning_costs_samples,
    "points-and-intervals": points_and_intervals,
    "what-constants-cost": what_constants_cost,
    "paying-once": paying_once,
    "what-delta-buys": what_delta_buys,
    "what-log-star-costs": what_log_star_costs,
    "which-dimension": which_dimension,
    "no-number-suffices": no_number_suffices,
    "what-statistics-tell": what_statistics_tell,
    "few-labels": few_labels,
}
CLAIMS = {name: lecture.SCENES for name, lecture in LECTURES.items()}
QUESTIONS = {
    (name, number): claims
    for name, lecture in LECTURES.items()
    for number, claims in getattr(lecture, "QUESTIONS", {}).items()
}
