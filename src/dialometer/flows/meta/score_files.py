"""Columns of files of scores: which of them are metrics, what each is called, and which rows belong to the items that take part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dialometer.core.errors import DataError, UnknownName, UsageError
from dialometer.data.tables.scores import read_scores
from dialometer.flows.score.result_files import scores_of

# What tables of scores also hold: means of people, single raters, and names of items that happen to be numbers.
NO_METRIC = re.compile(
    r"(human|people|ratings?|raters?|annotators?|workers?)([ _:.-].*|\d*)"
    r"|(item|context|dialogue|dialog|conversation|turn|example)[ _-]?ids?|item|group|index|row",
    re.IGNORECASE,
)

COVERAGE = "coverage"  # the end of a column that says how much a score rests on, not how good a response is


@dataclass(frozen=True)
class ScoreFile:
    """Scores by ``key`` (id or system): the names of the rows, and the columns under the names they have in the study."""

    path: str
    key: str
    names: tuple[str, ...]
    columns: dict[str, np.ndarray]
    recipes: dict[str, str]
    notes: tuple[str, ...] = ()


def read_score_files(
    paths: Sequence[str], *, wanted: Sequence[str] = (), qualities: Collection[str] = (), taken: Collection[str] = ()
) -> list[ScoreFile]:
    """Read files or finished runs of ``score``; a column that two of them have, or that is taken, gets the file before its name.

    ``wanted`` are the columns to take, all that are metrics unless named; ``qualities`` are what people rated.
    """
    places = [str(Path(path).resolve()) for path in paths]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"the same scores are named twice: {paths[number]}", "name each --scores once")
    found = [_read(path, wanted, qualities) for path in paths]
    offered = dict.fromkeys(name for _, every in found for name in every)
    for name in wanted:
        if name not in offered:
            raise UnknownName("column", name, offered, hint=f"--column one of: {', '.join(offered)}")
    times = Counter(name for one, _ in found for name in one.columns) + Counter(set(taken))
    shared = {name for name, count in times.items() if count > 1}
    stems = Counter(_stem(path) for path in paths)
    return [_renamed(one, shared, stem if stems[stem := _stem(one.path)] == 1 else one.path) for one, _ in found]


def choose_columns(
    columns: Mapping[str, np.ndarray], wanted: Sequence[str], qualities: Collection[str], file: str
) -> tuple[dict[str, np.ndarray], list[str]]:
    """The columns that were asked for, else those that are metrics, with a sentence about those that are not.

    >>> choose_columns({"bleu": np.zeros(1), "human": np.ones(1)}, (), (), "mine.csv")[1]
    ['mine.csv: human is not taken for a metric: it is named like a rating or an id. --column NAME takes it.']
    """
    if wanted:
        return {name: values for name, values in columns.items() if name in wanted}, []
    rated = {name.lower() for name in qualities}
    out = [name for name in columns if name.lower() in rated or NO_METRIC.fullmatch(name)]
    if not out:
        return dict(columns), []
    several = len(out) > 1
    words = f"{', '.join(out)} {'are' if several else 'is'} not taken for {'metrics' if several else 'a metric'}"
    why = f"{'they are' if several else 'it is'} named like a rating or an id. --column NAME takes {'one' if several else 'it'}."
    kept = {name: values for name, values in columns.items() if name not in out}
    return kept, [f"{Path(file).name}: {words}: {why}"]


def _read(path: str, wanted: Sequence[str], qualities: Collection[str]) -> tuple[ScoreFile, tuple[str, ...]]:
    """A file with the columns that count, and the names of all that it has."""
    place, known = scores_of(path)
    key, names, columns = read_scores(place)
    offered = {
        name: values for name, values in columns.items() if wanted or name not in known or not name.endswith(COVERAGE)
    }
    kept, notes = choose_columns(offered, wanted, qualities, path)
    if not kept and not wanted:
        raise DataError(
            f"has no column of a metric: {', '.join(columns)} are named like ratings or ids", file=path,
            hint=f"rename it, or take it as it is: --column {next(iter(columns))}",
        )  # fmt: skip
    recipes = {name: known.get(name, f"{Path(path).name}:{name}") for name in kept}
    return ScoreFile(path, key, names, kept, recipes, tuple(notes)), tuple(columns)


def _renamed(one: ScoreFile, shared: Collection[str], label: str) -> ScoreFile:
    """With the file before the names that others have, too."""
    names = {name: f"{label}:{name}" if name in shared else name for name in one.columns}
    columns = {names[name]: values for name, values in one.columns.items()}
    return ScoreFile(one.path, one.key, one.names, columns, {names[k]: v for k, v in one.recipes.items()}, one.notes)


def _stem(path: str) -> str:
    """A file without its endings, or the name of a folder."""
    place = Path(path)
    return place.name if place.is_dir() else place.name.partition(".")[0] or place.name


def match_rows(owners: Sequence[str], wanted: Collection[str], excluded: Collection[str], file: str, key: str) -> list[str]:
    """Rows that belong to nobody or to what ``--where`` leaves out, and those who have none: refused where nothing fits."""
    strangers = [name for name in owners if name not in wanted and name not in excluded]
    outside = sum(name in excluded and name not in wanted for name in owners)
    lacking = sorted(set(wanted) - set(owners))
    matched = len(owners) - len(strangers) - outside
    if not matched:
        raise DataError(
            f"its {len(owners)} rows match none of the {len(wanted)} {key}s (there: {', '.join(owners[:3])}, …; "
            f"wanted: {', '.join(lacking[:3])}, …)",
            file=file, hint=f"the column '{key}' must hold the {key}s of the rated file",
        )  # fmt: skip
    parts = [f"{outside} are of {key}s that --where leaves out"] if outside else []
    if strangers or lacking:
        parts.append(f"{len(strangers)} belong to no rated {key}{_first(strangers)}")
        parts.append(f"{len(lacking)} rated {key}s have no score{_first(lacking)}")
    return [f"{Path(file).name}: {'; '.join([f'{matched} of {len(owners)} rows match', *parts])}."] if parts else []


def _first(names: Sequence[str]) -> str:
    return f" (first: {names[0]})" if names else ""
