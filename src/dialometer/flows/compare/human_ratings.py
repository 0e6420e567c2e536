"""What people say of the systems: means with intervals, tests in pairs, and how well raters agree (Deriu 2019, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dialometer.core.types import KappaWeights
from dialometer.flows.agree.agreement import agreement
from dialometer.flows.compare.columns import Columns
from dialometer.flows.compare.conclusions import conclusions
from dialometer.flows.compare.dialogues import Talks
from dialometer.flows.compare.pairs import compare_pairs, system_means
from dialometer.flows.compare.rating_sheets import read_back
from dialometer.flows.compare.study_plan import Plan
from dialometer.stats.agreement.aggregate import item_means

MIN_KAPPA = -1.0  # agreement is told; only a failed attention check takes a rater out


def human(
    paths: Sequence[str],
    talks: Talks,
    plan: Plan,
    work: Path,
    *,
    weights: KappaWeights,
    resamples: int,
    seed: int,
    **options: Any,
) -> dict[str, Any]:
    """Every table about the ratings, as plain values."""
    rated, notes = read_back(paths, talks, plan, work)
    agreed = agreement(rated, weights=weights, min_kappa=MIN_KAPPA, resamples=resamples, seed=seed)
    failed = {name: row.why for name, row in agreed.raters.items() if row.failed}
    ratings = rated.ratings
    if failed:
        out = np.array([name in failed for name in ratings.raters] + [False])  # the last answers for rater −1
        ratings = ratings.rows(~out[ratings.rater])
        notes.append(f"Left out: {'; '.join(f'{name}, who {why}' for name, why in failed.items())}.")
    tables = {
        name: talks.spread(item_means(ratings.of(name))[: len(talks.pieces)])
        for name in ratings.qualities
        if len(ratings.of(name))
    }
    columns = Columns(tables)
    rows = compare_pairs(talks, columns, {}, resamples=resamples, seed=seed, **options)
    return {
        "means": system_means(talks, columns, resamples=resamples, seed=seed),
        "pairs": [row.to_json() for row in rows],
        "conclusions": conclusions(rows, {}, noun=talks.unit, people=True) if rows else [],
        "agreement": {
            name: {key: _with_nan(found.to_json()[key]) for key in ("items", "judgements", "alpha", "kappa")}
            for name, found in agreed.qualities.items()
        },
        "raters": {name: row.to_json() for name, row in agreed.raters.items()},
        "judgements": int(np.isnan(ratings.check).sum()),
        "notes": notes,
    }


def _with_nan(value: Any) -> Any:
    """Numbers for the page, which draws NaN as a gap."""
    if isinstance(value, dict):
        return {key: _with_nan(one) for key, one in value.items()}
    return float("nan") if value is None else value
