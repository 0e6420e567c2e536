"""Which quality of each file a judge learns: the same name in all files, or ``-q overall=Overall,coherence`` for several names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dialometer.contracts.train import TrainRequest
from dialometer.contracts.train_judge import RatedFile
from dialometer.core.errors import DataError, UsageError
from dialometer.core.types import Ratings
from dialometer.data import open_items
from dialometer.flows.shared.where import condition

Notify = Callable[[str], None]


@dataclass(frozen=True)
class FileRatings:
    """What a file has: items that take part, how many of them are rated, under which name; and their ids."""

    file: str
    quality: str
    items: int
    rated: int
    ids: tuple[str, ...]

    def row(self) -> RatedFile:
        """All but the ids."""
        return RatedFile(file=self.file, quality=self.quality, items=self.items, rated=self.rated)


def quality_names(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of the quality and the names it may have in files, in order of preference.

    >>> quality_names("overall"), quality_names("overall=Overall,coherence")
    (('overall', ('overall',)), ('overall', ('overall', 'Overall', 'coherence')))
    """
    name, mark, others = text.partition("=")
    names = tuple(dict.fromkeys(each.strip() for each in (name, *others.split(","))))
    if mark and (not name.strip() or len(names) < 2 or "" in names):
        raise UsageError(
            f"a quality is a name, or a name and those it has in the files, not {text!r}", "-q overall=Overall,coherence"
        )
    return name.strip(), names if mark else (text,) if text else ()


def inspect_files(request: TrainRequest, names: Sequence[str], notify: Notify) -> list[FileRatings]:
    """What each of several files has, reported before anything is fitted; a file without the quality is refused."""
    files = [_inspect_file(path, request, names) for path in request.inputs]
    for one in files:
        notify(f"{one.file}: {one.items:,} items, {one.rated:,} of them with a rating of {one.quality}")
    return files


def _inspect_file(path: str, request: TrainRequest, names: Sequence[str]) -> FileRatings:
    conditions = [condition(text) for text in request.where]
    read = open_items([path], format=request.format or None, max_line=request.max_line)
    items = [item for item in read if all(each.holds(item) for each in conditions)]
    there = {name for item in items for name, values in item.ratings.items() if any(v is not None for v in values)}
    quality = next((name for name in names if name in there), None)
    if quality is None:
        listed = ", ".join(sorted(there))
        raise DataError(
            f"no item has a rating of {' or '.join(names)}, and other files are to be learnt from too; "
            + (f"its qualities are {listed}" if there else "it has no ratings"),
            file=path, count=len(items),
            hint=f"-q {names[0]}={','.join([*names[1:], sorted(there)[0]])}, or leave {Path(path).name} out"
            if there else f"leave {Path(path).name} out",
        )  # fmt: skip
    rated = sum(any(value is not None for value in item.ratings.get(quality, ())) for item in items)
    return FileRatings(path, quality, len(items), rated, tuple(item.id for item in items))


def rename_quality(ratings: Ratings, name: str, files: Sequence[FileRatings]) -> Ratings:
    """The ratings of each file's quality, under one name."""
    codes = {quality: code for code, quality in enumerate(ratings.qualities)}
    wanted_quality = {item: codes[one.quality] for one in files for item in one.ids}
    wanted = np.array([wanted_quality.get(item, -1) for item in ratings.items], np.int64)
    chosen = ratings.rows(wanted[ratings.item] == ratings.quality)
    return replace(chosen, qualities=(name,), quality=np.zeros_like(chosen.quality))
