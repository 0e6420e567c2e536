"""Analyses that score the items again, altered: more or fewer references, no stop words, no speaker tokens, perturbed responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialometer.contracts.stress import StressRequest
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.core.types import Example
from dialometer.flows.meta.altered_items import rescore, variant_items
from dialometer.flows.meta.reference_counts import by_reference_count
from dialometer.flows.meta.score_items import ITEMS
from dialometer.flows.meta.study import Study
from dialometer.flows.stress.stress import stress
from dialometer.stats.correlation.correlate import correlate_table
from dialometer.stats.validation.length_bias import with_length

if TYPE_CHECKING:
    from dialometer.contracts.meta import MetaRequest

ALSO = ("references", "retrieved", "stopwords", "speakers", "stress")
RETRIEVED = 4
STRIPPED = {"stopwords": "no-stopwords", "speakers": "no-speaker-tokens"}


def wanted(request: MetaRequest) -> tuple[str, ...]:
    """The analyses asked for; ``all`` means every one."""
    return ALSO if "all" in request.also else tuple(name for name in ALSO if name in request.also)


def also(study: Study, quality: str, request: MetaRequest, folder: Path, progress: Progress) -> dict[str, Any]:
    """What each analysis found; with ``all`` one that these items do not allow says why, else it is refused."""
    found: dict[str, Any] = {}
    for name in wanted(request):
        try:
            items = _responses(study, request)
            found[name] = _run(name, items, study, quality, request, folder / name, progress)
        except NeedsError as error:
            if "all" not in request.also:
                raise
            found[name] = {"why": error.message}
    return found


def _responses(study: Study, request: MetaRequest) -> Sequence[Example]:
    items = study.rated.items if study.rated else ()
    if not request.metrics:
        raise NeedsError(
            "scores from a file cannot be made anew for altered items", "name metrics of the catalogue with -m"
        )
    if not items or not all(isinstance(item, Example) for item in items):
        raise NeedsError("only rated responses can be altered and scored again", "a file of responses")
    return [item for item in items if isinstance(item, Example)]


def _run(
    name: str, items: Sequence[Example], study: Study, quality: str, request: MetaRequest, folder: Path, progress: Progress
) -> Any:
    human = study.human[quality]
    options: dict[str, Any] = {"tok": request.tok, "engine": request.engine, "seed": request.seed}
    if name == "stress":
        return _stressed(study, request, folder, progress)
    if name in STRIPPED:
        altered = variant_items(items, STRIPPED[name])
        changed = sum(a.response != b.response or a.references != b.references for a, b in zip(items, altered, strict=True))
        if not changed:
            raise NeedsError(f"no item changes when it is stripped ({name})", f"leave --also {name} out")
        columns = _with_length(altered, request, folder, progress)
        before = {column: study.columns.items[column] for column in columns}
        kinds = ("pearson", "spearman")
        how: dict[str, Any] = {"kinds": kinds, "resamples": request.resamples, "seed": request.seed}
        plain = correlate_table(before, human, study.cluster, **how)
        bare = correlate_table(columns, human, study.cluster, **how)
        rows = [{"metric": column, "plain": _both(plain[column]), "stripped": _both(bare[column])} for column in columns]
        return {"changed": changed, "n": len(items), "rows": rows}
    counted = by_reference_count(
        items, request.metrics, human, study.cluster, folder, pseudo=RETRIEVED if name == "retrieved" else 0,
        resamples=request.resamples, progress=progress, **options,
    )  # fmt: skip
    return {"rows": [asdict(row) for row in counted]}


def _with_length(items: Sequence[Example], request: MetaRequest, folder: Path, progress: Progress) -> dict[str, np.ndarray]:
    """Columns of altered items, and their length as the baseline."""
    lengths = rescore(items, ("length",), folder / "length", seed=request.seed).columns["words"]
    options: dict[str, Any] = {"tok": request.tok, "engine": request.engine, "seed": request.seed, "progress": progress}
    return with_length(rescore(items, request.metrics, folder / "metrics", **options).columns, lengths)


def _stressed(study: Study, request: MetaRequest, folder: Path, progress: Progress) -> dict[str, Any]:
    """The stress table of the same items."""
    path = folder.parent / "scoring" / ITEMS
    asked = StressRequest(
        (str(path),), request.metrics, tok=request.tok, engine=request.engine, seed=request.seed, output=str(folder),
        resamples=request.resamples, allow_empty_references=True,
    )  # fmt: skip
    found = stress(asked, progress=progress)
    return {"n": found.n, "total": found.total, "rows": [asdict(row) for row in found.rows]}


def _both(found: dict[str, Any]) -> dict[str, Any]:
    return {kind: asdict(row) for kind, row in found.items()}
