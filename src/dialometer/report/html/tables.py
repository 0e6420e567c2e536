"""A table on the page: numbers aligned and sortable, intervals under their value, wide ones scroll by themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dialometer.report.blocks import Cell, Interval, Table
from dialometer.report.html.escape import Markup, el, join
from dialometer.report.numbers import (
    NumberFormat,
    bounds,
    cell_forms,
    cell_text,
    is_numeric,
    number,
    probability,
    rows_of,
    sort_value,
)

STARS = "* p < 0.05, ** p < 0.01, *** p < 0.001, each by itself; the number is in the CSV and under the pointer."
LONG = 30  # rows above which a table is folded, to keep the page readable


def table_html(table: Table) -> Markup:
    """The table and its notes."""
    rows = rows_of(table)
    columns = [[row[place] for row in rows] for place in range(len(table.header))]
    numeric = [is_numeric(column) for column in columns]
    head = (_heading(name, is_number, len(rows) > 1) for name, is_number in zip(table.header, numeric, strict=True))
    body = [el("tr", *_cells(row, numeric, forms)) for row, forms in zip(rows, cell_forms(table, rows), strict=True)]
    if not body:
        body = [el("tr", el("td", "no rows", class_="soft", colspan=max(len(table.header), 1)))]
    inside = el("table", el("thead", el("tr", *head)), el("tbody", *body))
    shown = scroller(inside, table.caption or table.name)
    tested = any(isinstance(cell, Interval) and not math.isnan(cell.p) for row in rows for cell in row)
    small = notes([*table.notes, STARS] if tested else table.notes)
    if len(rows) > LONG or table.folded:
        rows_in_words = "1 row" if len(rows) == 1 else f"all {len(rows):,} rows"
        return el("details", el("summary", f"Show {rows_in_words}"), shown, small, class_="long")
    return join(shown, small)


def scroller(inside: Markup, name: str) -> Markup:
    """A part that scrolls sideways by itself, by keyboard too."""
    return el("div", inside, class_="scroll", tabindex="0", role="region", aria_label=name)


def notes(lines: Sequence[str]) -> Markup:
    """Small print."""
    return el("div", *(el("p", line) for line in lines), class_="notes") if lines else Markup()


def _heading(name: str, is_number: bool, sortable: bool) -> Markup:
    inside = el("button", name, type="button", class_="sort") if sortable else name
    return el("th", inside, scope="col", class_="num" if is_number else None, aria_sort="none" if sortable else None)


def _cells(row: Sequence[Cell], numeric: Sequence[bool], forms: Sequence[NumberFormat]) -> list[Markup]:
    cells = []
    for place, (cell, is_number, form) in enumerate(zip(row, numeric, forms, strict=True)):
        value = sort_value(cell)
        kind = "num" if is_number else None
        inside = _interval(cell, form) if isinstance(cell, Interval) else cell_text(cell, form.digits, form.fixed)
        if place == 0 and not is_number:
            cells.append(el("th", inside, scope="row"))
        else:
            cells.append(el("td", inside, class_=kind, data_v=repr(value) if math.isfinite(value) else None))
    return cells


def _interval(cell: Interval, form: NumberFormat) -> Markup:
    small = bounds(cell, form.digits, form.fixed)
    stars = "*" * sum(cell.p < level for level in (0.05, 0.01, 0.001))  # NaN is below nothing
    value = number(cell.value, form.digits, form.fixed)
    shown = el("span", value, el("sup", stars) if stars else "", title=probability(cell.p) or None)
    return join(shown, el("small", small) if small else "")
