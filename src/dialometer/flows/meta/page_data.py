"""What the page of ``meta`` draws besides the result: items with their scores and ratings, standard scores, stress blocks."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np

from dialometer._version import __version__
from dialometer.contracts.meta import MetaRequest, MetaResult
from dialometer.core.types import Example
from dialometer.data import Item
from dialometer.flows.agree.agreement import standard_scores
from dialometer.flows.meta.study import Study
from dialometer.flows.stress.picture import stress_blocks
from dialometer.flows.stress.reactions import Reaction
from dialometer.report import blocks as b
from dialometer.report.pages.cells import real
from dialometer.report.pages.meta.data import StudyData


def page_data(study: Study, result: MetaResult, request: MetaRequest) -> StudyData:
    """Everything that is drawn and is not in the result."""
    everybody = study.everybody or study.rated
    scores = standard_scores(everybody.ratings) if everybody and result.agreement else {}
    versions = {
        "dialometer": __version__, "python": platform.python_version(), "numpy": np.__version__, "seed": str(request.seed),
        "files": ", ".join(Path(path).name for path in request.inputs), "resamples": str(request.resamples),
    }  # fmt: skip
    return StudyData(study.human, study.columns.items, _items(study), scores, _stress(result), versions)


def _stress(result: MetaResult) -> list[b.Block]:
    """The stress test of the same items, drawn as ``stress`` draws it."""
    rows = result.also.stress.rows if result.also.stress else []
    reactions = [
        Reaction(
            row.metric, row.perturbation, real(row.delta), real(row.low), real(row.high), real(row.effect),
            real(row.original), real(row.perturbed), row.n, row.changed, row.scored, row.expected, row.verdict,
        )
        for row in rows
    ]  # fmt: skip
    return list(stress_blocks(reactions)) if reactions else []


def _items(study: Study) -> list[b.Item]:
    """What a click shows: the dialogue, its scores, and the ratings that the study rests on."""
    if study.unit == "system":
        return []
    columns = list(study.columns.items.items())
    given = _ratings(study)
    items = study.rated.items if study.rated else study.ids
    return [
        _item(item, {name: float(values[row]) for name, values in columns if values[row] == values[row]}, given[row])
        for row, item in enumerate(items)
    ]


def _ratings(study: Study) -> list[dict[str, list[float]]]:
    """Per item and quality what people gave; for a table of means, the mean."""
    given: list[dict[str, list[float]]] = [{} for _ in study.ids]
    if study.rated is None:
        for name, means in study.human.items():
            for of_item, value in zip(given, means.tolist(), strict=True):
                of_item[name] = [value]
        return given
    ratings = study.rated.ratings
    for quality in ratings.qualities:
        judged = ratings.of(quality)
        for row, value in zip(judged.item.tolist(), judged.value.tolist(), strict=True):
            given[row].setdefault(quality, []).append(value)
    return given


def _item(item: Item | str, scores: dict[str, float], ratings: dict[str, list[float]]) -> b.Item:
    if isinstance(item, str):
        return b.Item(item, "", (), scores=scores, ratings=ratings)
    if isinstance(item, Example):
        turns = [(turn.speaker, turn.text) for turn in item.context]
        return b.Item(item.id, item.system, turns, item.response, item.references, scores, ratings)
    return b.Item(item.id, item.system, [(turn.speaker, turn.text) for turn in item.turns], scores=scores, ratings=ratings)
