"""Which factor of the systems moves their ratings? Analysis of variance (Ghandeharioun et al. 2019, section 5.2).

There: three factors (architecture, regularisation, data set) on the sum of a judgement's scores. Sums of squares are of type II or
III on sum-to-zero contrasts; ``partial η² = SS_effect / (SS_effect + SS_residual)``. Rows are taken as independent: where several
raters rate one dialogue, average them first, or the p-values are too small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from dialometer.core.errors import MissingResource, NeedsError, UsageError
from dialometer.core.types import Systems


@dataclass(frozen=True)
class Effect:
    """A factor, or ``a × b``, in the table."""

    name: str
    squares: float
    df: int
    f: float
    p: float
    eta_squared: float


@dataclass(frozen=True)
class LevelEffect:
    """How far a level lies from the mean over levels, with its 95% interval."""

    factor: str
    level: str
    effect: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Anova:
    """The table; ``notes`` says in sentences what could not be estimated."""

    effects: tuple[Effect, ...]
    levels: tuple[LevelEffect, ...]
    residual_squares: float
    residual_df: int
    n: int
    notes: tuple[str, ...]


def factors_of(systems: Systems, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The levels of every factor, row by row, for rows that name their system."""
    unknown = sorted(set(names) - set(systems.factors))
    if unknown:
        raise NeedsError(
            f"{len(unknown)} of {len(set(names))} systems have no factors (first: {unknown[0]})",
            "name them in the file of systems",
        )
    if not systems.names:
        raise NeedsError("the systems share no factor", "give every system a level of the same factors")
    return {factor: np.array([systems.factors[name][factor] for name in names]) for factor in systems.names}


def anova(values: np.ndarray, factors: Mapping[str, np.ndarray], *, interactions: bool = False, kind: int = 2) -> Anova:
    """Main effects of the factors, and their two-way interactions where asked for and every combination occurs."""
    if kind not in (2, 3):
        raise UsageError(f"sums of squares are of type 2 or 3, not {kind}", "kind=2")
    values = np.asarray(values, float)
    known = ~np.isnan(values)
    codes = {name: np.unique(np.asarray(labels)[known], return_inverse=True) for name, labels in factors.items()}
    varied = [name for name in codes if len(codes[name][0]) > 1]
    notes = [f"{name} is left out: all rows have one level of it" for name in codes if name not in varied]
    if not varied:
        raise NeedsError("no factor has two levels or more among these rows", "ratings of more systems")
    pairs = []
    for a, b in combinations(varied, 2) if interactions else ():
        cells = len(np.unique(np.stack([codes[a][1], codes[b][1]]), axis=1).T)
        wanted = len(codes[a][0]) * len(codes[b][0])
        if cells == wanted:
            pairs.append((a, b))
        else:
            notes.append(f"{a} × {b} is left out: {wanted - cells} of its {wanted} combinations were never rated")
    model, terms = _model(values[known], {name: codes[name][1] for name in varied}, pairs)
    return _read(model, terms, codes, kind, notes)


def _model(
    values: np.ndarray, codes: Mapping[str, np.ndarray], pairs: Sequence[tuple[str, str]]
) -> tuple[Any, dict[str, str]]:
    """The fitted linear model, and its name for each effect."""
    try:
        import pandas as pd
        import statsmodels.formula.api as smf
    except ImportError:
        raise MissingResource("analysis of variance needs statsmodels", 'pip install "dialometer[stats]"') from None
    column = {name: f"C(f{number}, Sum)" for number, name in enumerate(codes)}
    terms = {**column, **{f"{a} × {b}": f"{column[a]}:{column[b]}" for a, b in pairs}}
    frame = pd.DataFrame({"y": values, **{f"f{number}": code for number, code in enumerate(codes.values())}})
    model = smf.ols(f"y ~ {' + '.join(terms.values())}", frame)
    width, rank = model.exog.shape[1], np.linalg.matrix_rank(model.exog)
    if rank < width:
        raise NeedsError(
            f"these factors cannot be told apart: {width} effects on {rank} independent ones ({', '.join(codes)})",
            "leave a factor out, or rate systems that combine them otherwise",
        )
    if len(values) <= width:
        raise NeedsError(f"{len(values)} rows leave nothing to judge {width} effects by", "more ratings, or fewer factors")
    return model.fit(), terms


def _read(model: Any, terms: Mapping[str, str], codes: Mapping[str, Any], kind: int, notes: Sequence[str]) -> Anova:
    """Our table from statsmodels'."""
    from statsmodels.stats.anova import anova_lm

    table = anova_lm(model, typ=kind)
    residual = float(table.loc["Residual", "sum_sq"])
    nan = float("nan")
    effects = []
    for name, term in terms.items():
        squares, df, f, p = (float(table.loc[term, key]) for key in ("sum_sq", "df", "F", "PR(>F)"))
        flat = residual <= 1e-12 * float(model.centered_tss)  # no spread within cells: F has nothing to stand on
        share = squares / (squares + residual) if squares + residual > 0 else nan
        effects.append(Effect(name, squares, round(df), nan if flat else f, nan if flat else p, nan if flat else share))
    levels = [level for name, term in terms.items() if name in codes for level in _levels(model, name, term, codes[name])]
    return Anova(tuple(effects), tuple(levels), residual, round(float(model.df_resid)), int(model.nobs), tuple(notes))


def _levels(model: Any, factor: str, term: str, codes: tuple[np.ndarray, np.ndarray]) -> list[LevelEffect]:
    """Every level's distance from the mean over levels; the last is minus the sum of the others."""
    names, numbers = codes
    places = [i for i, name in enumerate(model.params.index) if name.startswith(f"{term}[") and ":" not in name]
    contrast = np.zeros((len(names), len(model.params)))
    contrast[np.arange(len(places)), places] = 1
    contrast[-1, places] = -1
    test = model.t_test(contrast)
    bounds = np.asarray(test.conf_int(0.05))
    counts = np.bincount(numbers)
    return [
        LevelEffect(factor, str(name), float(effect), float(low), float(high), int(count))
        for name, effect, (low, high), count in zip(names, np.atleast_1d(test.effect), bounds, counts, strict=True)
    ]
