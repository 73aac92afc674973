"""The matrix that is clicked: a table of buttons, which answers at once and tells what it holds.

Not Streamlit's editor of tables: that draws on a canvas, which no screen reader and no keyboard
reaches cell by cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from privsc_core.finite.matrix import CODE_CONCEPTS, CODE_POINTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["editor"]

_GRID = st.components.v2.component(
    "privsc_matrix",
    js="""export default ({ data, parentElement, setTriggerValue }) => {
  let root = parentElement.querySelector(".pv-matrix-all");
  if (!root) {
    root = document.createElement("div");
    root.className = "pv-matrix-all";
    root.before = new Set();
    parentElement.append(root);
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const rows = root.rows.map((row) => row.split(""));
      const { row, column, tool } = button.dataset;
      if (tool === "row") rows.push(rows[0].map(() => "0"));
      else if (tool === "unrow") rows.pop();
      else if (tool === "column") rows.forEach((one) => one.push("0"));
      else if (tool === "uncolumn") rows.forEach((one) => one.pop());
      else rows[row][column] = rows[row][column] === "1" ? "0" : "1";
      root.before.add(root.rows.join());
      root.clicked = performance.now();
      root.draw(rows.map((one) => one.join("")));
      clearTimeout(root.later);
      root.later = setTimeout(() => root.tell("drawn", root.rows.join("\\n")), 60);
    });
    root.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const { row, column } = event.target.dataset;
      if (!step || row === undefined) return;
      event.preventDefault();
      root.cell(+row + step[0], +column + step[1])?.focus();
    });
    root.cell = (row, column) => root.querySelector(`[data-row="${row}"][data-column="${column}"]`);
    root.draw = (rows) => {
      const same = root.rows?.length === rows.length && root.rows[0].length === rows[0].length;
      root.rows = rows;
      if (!same) root.build();
      for (const button of root.querySelectorAll("[data-row]")) {
        const { row, column } = button.dataset;
        const label = rows[row][column];
        button.textContent = label;
        button.setAttribute("aria-pressed", label === "1");
      }
    };
    root.build = () => {
      const high = root.rows.length;
      const wide = root.rows[0].length;
      const many = (count) => [...Array(count).keys()];
      const head = many(wide).map((x) => `<th scope="col">${x + 1}</th>`).join("");
      const body = many(high).map((c) => `<tr><th scope="row">c<sub>${c + 1}</sub></th>${many(wide).map((x) =>
        `<td><button type="button" data-row="${c}" data-column="${x}" ` +
        `aria-label="concept ${c + 1}, point ${x + 1}"></button></td>`).join("")}</tr>`).join("");
      const tool = (name, text, off) =>
        `<button type="button" data-tool="${name}"${off ? " disabled" : ""}>${text}</button>`;
      const focused = document.activeElement?.dataset?.tool;
      root.innerHTML = `<div class="pv-matrix-tools" role="group" aria-label="Size of the matrix">` +
        tool("row", "+ concept", high >= root.most[0]) + tool("unrow", "− concept", high < 2) +
        tool("column", "+ point", wide >= root.most[1]) + tool("uncolumn", "− point", wide < 2) +
        `</div><div class="pv-matrix" tabindex="0" role="region" aria-label="Matrix of labels"><table>` +
        `<thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
      if (focused) root.querySelector(`[data-tool="${focused}"]`)?.focus();
    };
  }
  root.tell = setTriggerValue;
  root.most = data.most;
  // An answer to an earlier click must not undo a later one.
  if (performance.now() - root.clicked < 1500 && root.before.has(data.rows.join())) return;
  clearTimeout(root.later);
  root.before.clear();
  root.draw(data.rows);
};
""",
    isolate_styles=False,
)


def editor(rows: Sequence[str], key: str, drawn: Callable[[object], None]) -> None:
    """Draw the matrix; `drawn` hears the text of all rows when one cell or the size has changed."""

    def changed() -> None:
        drawn(st.session_state[key].get("drawn"))

    data = {"rows": list(rows), "most": [CODE_CONCEPTS, CODE_POINTS]}
    _GRID(key=key, data=data, on_drawn_change=changed)
