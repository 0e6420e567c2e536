"""A study out of a table: human means and scores by system or id, in one file or in two that share their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dialometer.contracts.meta import PEOPLE, MetaRequest
from dialometer.core.errors import DataError, UnknownName, UsageError
from dialometer.data.tables.reader import columns_of
from dialometer.data.tables.scores import KEYS, read_scores
from dialometer.flows.meta.columns import Columns
from dialometer.flows.meta.score_files import ScoreFile, choose_columns, read_score_files
from dialometer.flows.meta.study import Study, refuse_few_systems
from dialometer.flows.shared.rated_items import read_scale

Table = dict[str, np.ndarray]
OF_ITEMS = {  # options that speak of responses or of raters
    "metrics": "-m", "where": "--where", "filter_raters": "--filter-raters", "systems": "--systems", "also": "--also",
}  # fmt: skip


def holds_means(path: str) -> bool:
    """Whether a file is a table of numbers by system or id rather than of items or judgements."""
    try:
        names = set(columns_of(path))
    except DataError:
        return False
    return bool(names & set(KEYS)) and not names & {"response", "turns", "value", "messages", "ratings"}


def table_study(request: MetaRequest) -> Study:
    """Human means and scores."""
    path = request.inputs[0]
    for name, spelt in OF_ITEMS.items():
        if getattr(request, name):
            raise UsageError(f"{path} is a table of means: {spelt} has nothing to work on", f"leave {spelt} out")
    if request.aggregate != "mean":
        raise UsageError(f"{path} is a table of means: there is nothing to aggregate", "leave --aggregate out")
    key, names, found = read_scores(path)
    human = _human(request, found)
    if key == "system":
        refuse_few_systems(("system",), len(names), "ratings of more systems, or of their items")
    elif set(request.level) - {"item"}:
        raise UsageError(f"{path} names ids alone: it has neither contexts nor systems", "leave --level out")
    columns = Columns()
    others = {name: values for name, values in found.items() if name not in human}
    wanted = () if request.scores else request.columns
    kept, columns.notes = choose_columns(others, wanted, (), path)
    for name, values in kept.items():
        columns.add(name, values, f"{Path(path).name}:{name}")
    for file in read_score_files(request.scores, wanted=request.columns, qualities=request.quality, taken=columns.items):
        _add(columns, file, path, key, names)
    if not columns.items:
        raise UsageError(
            f"{path} has no column besides the human ones", "--scores FILE, or --column NAME for one named like them"
        )
    own, whom = np.arange(len(names)), request.reference or PEOPLE
    if key == "system":
        return Study("system", names, names, own, own, human, columns, reference=whom)
    return Study("turn", names, ("",), np.zeros(len(names), np.int64), own, human, columns, reference=whom)


def _human(request: MetaRequest, found: Table) -> Table:
    """The columns that are people's."""
    offer = f"-q one of: {', '.join(found)}"
    if not request.quality:
        raise UsageError(f"{request.inputs[0]} is a table of numbers: which column is people's?", offer)
    scale = read_scale(request.scale)
    for name in request.quality:
        if name not in found:
            raise UnknownName("quality", name, found, hint=offer)
        values = found[name][~np.isnan(found[name])]
        if scale and len(values) and not (scale[0] <= values.min() and values.max() <= scale[1]):
            raise DataError(
                f"means of {name} lie outside the scale {scale[0]:g}…{scale[1]:g}", file=request.inputs[0],
                hint="mend the file, or name its scale: --scale LOW,HIGH",
            )  # fmt: skip
    return {name: found[name] for name in request.quality}


def _add(columns: Columns, file: ScoreFile, path: str, key: str, names: tuple[str, ...]) -> None:
    """The columns of a second file, joined by name."""
    if file.key != key:
        raise DataError(f"is named by {file.key}, and {path} by {key}", file=file.path, hint=f"a column '{key}'")
    place = {name: number for number, name in enumerate(file.names)}
    if not place.keys() & set(names):
        raise DataError(f"has none of the {len(names)} {key}s of {path}", file=file.path, hint=f"use its {key}s")
    columns.notes += file.notes
    for name, values in file.columns.items():
        taken = np.array([values[place[row]] if row in place else np.nan for row in names])
        columns.add(name, taken, file.recipes[name])
