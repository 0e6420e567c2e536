"""Analyses that score the items again, altered: more or fewer references, no stop words, no speaker tokens, perturbed responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.contracts.meta import MetaRequest
from dialometer.contracts.meta_audits import (
    CoefficientPair,
    Reanalyses,
    ReferenceCountRow,
    ReferenceCountTable,
    StressRow,
    StressSample,
    StrippedRow,
    StrippedTable,
)
from dialometer.contracts.meta_tables import SampleCoefficient
from dialometer.contracts.stress import StressRequest
from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Progress
from dialometer.core.types import Example
from dialometer.flows.meta.altered_items import rescore, variant_items
from dialometer.flows.meta.reference_counts import Row, by_reference_count
from dialometer.flows.meta.score_items import ITEMS
from dialometer.flows.meta.study import Study
from dialometer.flows.shared.records import to_record
from dialometer.flows.stress.stress import stress
from dialometer.stats.correlation.correlate import Correlation, correlate_table
from dialometer.stats.validation.length_bias import with_length

ALSO = tuple(Reanalyses.__struct_fields__)
RETRIEVED = 4
STRIPPED = {"stopwords": "no-stopwords", "speakers": "no-speaker-tokens"}
PAIR = ("pearson", "spearman")
Table = ReferenceCountTable | StrippedTable | StressSample
TABLES: dict[str, type[Table]] = {
    "references": ReferenceCountTable,
    "retrieved": ReferenceCountTable,
    "stopwords": StrippedTable,
    "speakers": StrippedTable,
    "stress": StressSample,
}


def wanted(request: MetaRequest) -> tuple[str, ...]:
    """The analyses asked for; ``all`` means every one."""
    return ALSO if "all" in request.also else tuple(name for name in ALSO if name in request.also)


def reanalyses(study: Study, quality: str, request: MetaRequest, folder: Path, progress: Progress) -> Reanalyses:
    """The analyses asked for; with ``all`` one that these items do not allow says why, else it is refused."""
    tables: dict[str, Any] = {}
    for name in wanted(request):
        try:
            items = _responses(study, request)
            tables[name] = _run(name, items, study, quality, request, folder / name, progress)
        except NeedsError as error:
            if "all" not in request.also:
                raise
            tables[name] = TABLES[name](why=error.message)
    return Reanalyses(**tables)


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
) -> Table:
    if name == "stress":
        return _stressed(request, folder, progress)
    if name in STRIPPED:
        return _stripped(name, items, study, quality, request, folder, progress)
    counted = by_reference_count(
        items, request.metrics, study.human[quality], study.cluster, folder, pseudo=RETRIEVED if name == "retrieved" else 0,
        resamples=request.resamples, progress=progress, tok=request.tok, engine=request.engine, seed=request.seed,
    )  # fmt: skip
    return ReferenceCountTable(rows=[_counted(row) for row in counted])


def _counted(row: Row) -> ReferenceCountRow:
    pair = {kind: to_record(SampleCoefficient, getattr(row, kind)) for kind in PAIR}
    return to_record(ReferenceCountRow, row, **pair)


def _stripped(
    name: str, items: Sequence[Example], study: Study, quality: str, request: MetaRequest, folder: Path, progress: Progress
) -> StrippedTable:
    """Correlations of the items as they are, and stripped."""
    altered = variant_items(items, STRIPPED[name])
    changed = sum(a.response != b.response or a.references != b.references for a, b in zip(items, altered, strict=True))
    if not changed:
        raise NeedsError(f"no item changes when it is stripped ({name})", f"leave --also {name} out")
    columns = _with_length(altered, request, folder, progress)
    before = {column: study.columns.items[column] for column in columns}
    plain, bare = (
        correlate_table(
            side, study.human[quality], study.cluster, kinds=PAIR, resamples=request.resamples, seed=request.seed
        )
        for side in (before, columns)
    )
    rows = [StrippedRow(metric=column, plain=_pair(plain[column]), stripped=_pair(bare[column])) for column in columns]
    return StrippedTable(changed=changed, n=len(items), rows=rows)


def _with_length(items: Sequence[Example], request: MetaRequest, folder: Path, progress: Progress) -> dict[str, np.ndarray]:
    """Columns of altered items, and their length as the baseline."""
    lengths = rescore(items, ("length",), folder / "length", seed=request.seed).columns["words"]
    options: dict[str, Any] = {"tok": request.tok, "engine": request.engine, "seed": request.seed, "progress": progress}
    return with_length(rescore(items, request.metrics, folder / "metrics", **options).columns, lengths)


def _stressed(request: MetaRequest, folder: Path, progress: Progress) -> StressSample:
    """The stress table of the same items."""
    path = folder.parent / "scoring" / ITEMS
    asked = StressRequest(
        (str(path),), request.metrics, tok=request.tok, engine=request.engine, seed=request.seed, output=str(folder),
        resamples=request.resamples, allow_empty_references=True,
    )  # fmt: skip
    report = stress(asked, progress=progress)
    return StressSample(n=report.n, total=report.total, rows=[to_record(StressRow, row) for row in report.rows])


def _pair(kinds: Mapping[str, Correlation]) -> CoefficientPair:
    return CoefficientPair(**{kind: to_record(SampleCoefficient, one) for kind, one in kinds.items()})
