"""Where a metric and people part, item by item: counts and examples (Liu et al. 2016, figure 2; Lowe et al. 2017, tables 6–13)."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.meta_audits import CaseSample, DisagreementRow, DisagreementTables, OverlapCases
from dialometer.flows.meta.columns import varies
from dialometer.flows.meta.study import Study
from dialometer.stats.correlation.normalised import Cases, Partings, RatingScale, extremes, most_apart, partings
from dialometer.stats.validation.length_bias import LENGTH_ONLY

OVERLAP = ("bleu", "rouge", "meteor", "cider")  # metrics of word overlap, by the start of their recipes
SHOWN = 3


def disagreements(study: Study, quality: str, scale: tuple[float, float] | None, *, seed: int) -> DisagreementTables:
    """Counts under |m|, and the rows to show, for every metric and for overlap metrics together."""
    human = study.human[quality]
    bounds = RatingScale(*(scale or seen_scale(study, quality)))
    spread = _spread(study, quality)
    overlap = {
        name: values
        for name, values in study.columns.items.items()
        if study.columns.recipes[name].split("|")[0] in OVERLAP and not np.isnan(values).all()
    }
    rows = []
    for name, values in study.columns.items.items():
        if name == LENGTH_ONLY or not varies(values):
            continue
        clear = extremes(values, human, spread, bounds, sample=SHOWN, seed=seed)
        over, under = most_apart(values, human, SHOWN)
        beside = None
        if overlap and name not in overlap:
            beside = _beside_overlap(partings(human, overlap, values, bounds, sample=SHOWN, seed=seed))
        cases = {key.replace(" ", "_"): _cases(kind) for key, kind in clear.items()}
        rows.append(
            DisagreementRow(metric=name, **cases, most_over=over.tolist(), most_under=under.tolist(), beside_overlap=beside)
        )
    return DisagreementTables(
        quality=quality,
        scale=[bounds.low, bounds.high],
        twice=spread is not None,  # rated, so that only items on which raters agree count as clear
        overlap=list(overlap),
        rows=rows,
    )


def _beside_overlap(cases: Partings) -> OverlapCases:
    keys = [name for name in OverlapCases.__struct_fields__ if name != "n"]
    return OverlapCases(n=cases.n, **{key: _cases(getattr(cases, key)) for key in keys})


def _cases(cases: Cases) -> CaseSample:
    return CaseSample(count=len(cases), among=cases.among, rows=cases.sample.tolist())


def seen_scale(study: Study, quality: str) -> tuple[float, float]:
    """The scale as far as it was used, where nobody declared it; that of the targets, where they are on one of their own (z)."""
    values = study.rated.ratings.of(quality).value if study.rated and not study.standardised else study.human[quality]
    values = values[~np.isnan(values)]
    low, high = float(values.min()), float(values.max())
    return (low, high) if high > low else (low, low + 1)


def _spread(study: Study, quality: str) -> np.ndarray | None:
    """The raters' standard deviation of each item; None where nobody rated twice."""
    if (
        study.rated is None or not study.judged or study.standardised
    ):  # the spread of raw ratings says nothing on another scale
        return None
    ratings, n = study.rated.ratings.of(quality), len(study)
    count = np.bincount(ratings.item, minlength=n)[:n]
    if count.max(initial=0) < 2:
        return None
    mean = np.bincount(ratings.item, ratings.value, n)[:n] / np.maximum(count, 1)
    squares = np.bincount(ratings.item, (ratings.value - mean[ratings.item]) ** 2, n)[:n]
    return np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
