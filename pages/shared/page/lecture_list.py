"""The list of lectures: of each a picture, what it shows, how long it takes, for whom it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import streamlit as st

from pages.shared.chart import chart
from pages.shared.frame import sitemap
from pages.shared.hall import lectures, prediction, presenter
from pages.shared.page.declaration import declared, scenario_of
from pages.shared.state.link import parse
from privsc_core.draw.still import thumbnail
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pages.shared.hall.lectures import Lecture, Scene
    from privsc_core.evaluate.scenario import Scenario

STYLE = Path(__file__).with_name("lecture_list.css").read_text(encoding="utf-8")


def facts(lecture: Lecture) -> str:
    """Return the length of a lecture, and whom it is for."""
    count = len(lecture.scenes)
    scenes = f"{count} scenes" if count > 1 else "1 scene"
    return " · ".join(filter(None, (scenes, f"about {lecture.minutes} minutes", lecture.level)))


def start(lecture: Lecture, label: str) -> None:
    """Draw the link to the first scene."""
    file, params = presenter.scene_link(presenter.Place(lecture, 1))
    st.page_link(file, label=label, query_params=params, help=lectures.typeset(lecture.about))


def picture(lecture: Lecture) -> str:
    """Return the figure of one scene in small, as HTML: of those that ask nothing, the richest one."""
    seen = max(_figures(lecture), key=lambda one: len(one[0].learners), default=None)
    if seen is None:
        return small(declared(sitemap.classes()[0][1]).sketch)
    scenario, view, on_map = seen
    return small(thumbnail(chart.picture(scenario, view, on_map, 0)))


def poses(scene: Scene) -> bool:
    """Return whether the kind of question that a scene names has one at the setting of its link."""
    page = declared(sitemap.file_of(scene.page))
    values, _ = parse({"v": "1"} | scene.params, page.fields)
    try:
        scenario = scenario_of(page, {n: values[item.key] for n, item in page.settings.items()})
    except InputError:
        return False
    return prediction.posed(scene, scenario) is not None


def small(svg: str) -> str:
    """Return an SVG as an image that says nothing of its own: the words stand beside it."""
    return f'<img class="pv-small" alt="" src="data:image/svg+xml,{quote(svg)}">'


def _figures(lecture: Lecture) -> Iterator[tuple[Scenario, str, str]]:
    """Yield the main figures of a lecture: setting, view, and the learner of a map."""
    for scene in lecture.scenes:
        file = sitemap.file_of(scene.page)
        if not file or {"open", "predict"} & scene.params.keys():
            continue
        page = declared(file)
        values, _ = parse({"v": "1"} | scene.params, page.fields)  # as the presenter reads it
        named = {name: values[item.key] for name, item in page.settings.items()}
        view = str(named["view"])
        if not view.startswith("map"):
            yield scenario_of(page, named), view, str(named["on_map"])
