"""Opening a study: rated items, raters filtered where asked, people's targets, and the columns of metrics."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dialometer.contracts.meta import PEOPLE, MetaRequest
from dialometer.core.errors import NeedsError, UsageError
from dialometer.core.protocols import Progress
from dialometer.core.types import Example
from dialometer.flows.agree.agreement import filter_raters, kept
from dialometer.flows.meta.columns import gather
from dialometer.flows.meta.study import Study, refuse_few_systems
from dialometer.flows.meta.table_of_means import holds_means, table_study
from dialometer.flows.score.shards import no_reply
from dialometer.flows.shared.rated_items import Rated, read_rated
from dialometer.stats.agreement.aggregate import aggregate


def open_study(request: MetaRequest, folder: Path, progress: Progress) -> Study:
    """Read people and metrics of a request; every refusal comes before the long work."""
    if len(request.inputs) == 1 and not request.ratings and not request.format and holds_means(request.inputs[0]):
        return table_study(request)
    progress("reading", 0, 0)
    rated = read_rated(
        request.inputs, ratings=request.ratings, qualities=request.quality, where=request.where, scale=request.scale,
        format=request.format, max_line=request.max_line,
    )  # fmt: skip
    if not rated.items:
        raise UsageError("a table of judgements names no responses to score", "dialometer meta ITEMS --ratings TABLE")
    if not request.metrics and not request.scores:
        raise UsageError("no metric was named", "-m bleu, or --scores FILE")
    refuse_few_systems(request.level, len(rated.systems))
    left_out, everybody = dict(rated.left_out), None
    if request.filter_raters:
        everybody = rated
        rated, dropped = _filtered(rated, request)
        left_out["raters, by the filter"] = dropped
    people = {name: _people(side, request) for name, side in (("kept", rated), ("all", everybody)) if side}
    for quality, values in people["kept"].items():
        if np.isnan(values).all():
            raise NeedsError(f"no item has a rating of {quality}", "another -q, or fewer --where")
    if not any(isinstance(item, Example) or next(item.examples(), None) for item in rated.items):
        raise no_reply(rated.items, request.inputs[0])
    columns = gather(
        rated.items, request.metrics, request.scores, folder / "scoring", wanted=request.columns, qualities=rated.offered,
        excluded=rated.excluded, tok=request.tok, engine=request.engine, progress=progress,
    )  # fmt: skip
    return Study(
        rated.unit, tuple(item.id for item in rated.items), rated.systems, rated.system, rated.cluster, people["kept"],
        columns, rated, left_out, everybody, request.aggregate == "z", people.get("all", {}),
        request.reference or PEOPLE,
    )  # fmt: skip


def _people(rated: Rated, request: MetaRequest) -> dict[str, np.ndarray]:
    """A number per quality and item."""
    n = len(rated.items)
    try:
        return {
            quality: aggregate(rated.ratings.of(quality), request.aggregate, seed=request.seed)[:n]
            for quality in rated.ratings.qualities
        }
    except NeedsError as error:
        raise NeedsError(error.message, "--aggregate mean, or median") from None


def _filtered(rated: Rated, request: MetaRequest) -> tuple[Rated, int]:
    """Without the raters whom the filter sets apart, and how many they are."""
    found = filter_raters(rated.ratings, min_kappa=request.min_kappa, weights=request.weights)
    if found.why:
        raise NeedsError(f"raters cannot be filtered: {found.why}", "leave --filter-raters out")
    if len(found.dropped) == len(found.raters):
        raise NeedsError(
            f"the filter sets all {len(found.raters)} raters apart", "a lower --min-kappa, or leave --filter-raters out"
        )
    return kept(rated, found), len(found.dropped)
