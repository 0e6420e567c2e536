"""The bilinear form shrunk towards the dot product: ``score = cᵀMr̂ + rᵀNr̂ + u·r̂ + v·w + x·e + g(length) + f·φ − α``.

``M = m·I + M′`` and ``N = n·I + N′``: the dot products are free and only the deviations M′ and N′ are shrunk, by ridge, so that few
ratings leave the form near a cosine where L1 towards zero (Lowe et al. 2017) leaves it near nothing. u weighs the reply's own
vector, v the mean w of its word vectors, x the vector e of the last turns and the reply read as one text. How much the deviations
may count against u, and the penalty of all, are chosen by the error on contexts that were left out, exactly (``judges.ridge``).
Without PCA the matrices are found through their kernel, ``(c·c′)(r̂·r̂′)``, and have as many entries as the encoder's width squared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialometer.core.artifacts import check_arrays
from dialometer.core.rowwise import row_dots, row_products
from dialometer.judges._bilinear.inputs import Views
from dialometer.judges._bilinear.rank_loss import rank_fit, same_spread
from dialometer.judges._shared.features import Standard
from dialometer.judges._solvers.inner_folds import inner_folds, train_test_splits
from dialometer.judges._solvers.ridge import Along, Axes, Tall, along, axes_of_kernel, free_part

PENALTIES = 10.0 ** np.arange(-1.5, 3.1, 0.5)
SHARES = (0.0, 0.3, 1.0, 3.0)  # what M′ and N′ may count for against u
TERMS = ("response", "words", "exchange", "length", "echo")
VECTORS = TERMS[:3]
MOST = 2000  # training rows for which matrices are found without PCA
NARROW = 32  # dimensions beyond that


@dataclass(frozen=True, eq=False)
class Fitted:
    """What was learnt, errors by left-out context beside it."""

    arrays: dict[str, np.ndarray]
    left_out: np.ndarray
    facts: dict[str, Any]


def fit(seen: Views, y: np.ndarray, groups: np.ndarray, *, terms: Sequence[str], pca: int, loss: str, seed: int) -> Fitted:
    """Choose share and penalty by left-out contexts, then fit on all rows."""
    base = _prepared(seen, terms, pca)
    free = _free(base, seen)
    blocks = _blocks(base, seen)
    shares = SHARES if {"context", "reference"} & blocks.keys() else (0.0,)
    tried: list[tuple[float, float, int, Axes, Along]] = []
    space = _space(free, blocks)
    for share in shares:
        axes = space(_weighted(blocks, share))
        made = along(axes, y, groups, PENALTIES)
        best = int(made.errors.argmin())
        tried.append((float(made.errors[best]), share, best, axes, made))
    error, share, best, axes, made = min(tried, key=lambda one: one[0])
    dual, fitted, left_out = made.rows[best], made.fitted[best], made.left_out[best]
    if loss == "rank":
        dual, fitted, left_out = _ranked(axes, y, groups, float(made.penalties[best]), seed)
        error = float((left_out**2).mean())
    arrays = base | _weights(base, blocks, _weighted(blocks, share), dual)
    rest = fitted - _said(arrays, seen)
    arrays["free"] = free_part(free, rest[None])[0]
    facts = {
        "penalty": float(PENALTIES[best]),
        "share of M and N": share,
        "variants": len(shares) * len(PENALTIES),
        "error left out": error,
    }
    return Fitted(arrays, left_out, facts)


def score(arrays: dict[str, np.ndarray], seen: Views) -> np.ndarray:
    """The form, on the raters' scale; batch-invariant, as all of what it calls."""
    return row_dots(_free(arrays, seen), arrays["free"]) + _said(arrays, seen)


def check(arrays: dict[str, np.ndarray], seen: Views) -> None:
    """Refuse arrays that do not fit these vectors, by a ValueError that names the array."""
    wide = {part: getattr(seen, part).shape[1] for part in ("context", "reference", *VECTORS)}
    check_arrays(arrays, terms="whole terms", **{f"{part}__mean": f"finite {width}" for part, width in wide.items()})
    own = wide["response"]
    if "basis" in arrays:
        check_arrays(arrays, basis=f"finite {own} k")
        own = arrays["basis"].shape[1]
    weights = {part: f"finite {wide[part]}" for part in VECTORS} | dict.fromkeys(
        ("context", "reference"), f"finite {own} {own}"
    )
    check_arrays(arrays, **{f"{part}__weights": size for part, size in weights.items() if f"{part}.weights" in arrays})
    if "features.mean" in arrays and len(Standard.read(arrays, "features.").mean) != seen.features.shape[1]:
        raise ValueError(f"it was fitted on other features than these {seen.features.shape[1]} columns")
    check_arrays(arrays, free=f"finite {_free(arrays, seen.take(np.arange(0))).shape[1]}")


def _prepared(seen: Views, terms: Sequence[str], pca: int) -> dict[str, np.ndarray]:
    """Means, axes and scales, from the training rows."""
    base: dict[str, np.ndarray] = {
        f"{part}.mean": getattr(seen, part).mean(0) for part in ("context", "reference", *VECTORS)
    }
    base["terms"] = np.array([term in terms for term in TERMS], np.uint8)
    width = pca or (NARROW if len(seen.response) > MOST else 0)
    if width:
        centred = [getattr(seen, part) - base[f"{part}.mean"] for part in _sides(seen)] + [
            seen.response - base["response.mean"]
        ]
        joint = np.concatenate(centred)
        base["basis"] = np.linalg.eigh(joint.T @ joint)[1][:, ::-1][:, :width]
    if seen.features.shape[1]:
        made = Standard.fit(seen.features)
        base |= {"features.mean": made.mean, "features.scale": made.scale, "features.marked": made.marked}
    return base


def _has(base: dict[str, np.ndarray], term: str) -> bool:
    """Whether a form has the term; one that was saved before there was such a term has not."""
    place = TERMS.index(term)
    return place < len(base["terms"]) and bool(base["terms"][place])


def _sides(seen: Views) -> list[str]:
    return [side for side in ("context", "reference") if getattr(seen, side).shape[1]]


def _free(base: dict[str, np.ndarray], seen: Views) -> np.ndarray:
    """Columns that nothing shrinks: 1, the dot products, the length's two, the overlap's four, the features."""
    columns = [np.ones(len(seen.response))]
    columns += [row_dots(getattr(seen, side), seen.response) for side in _sides(seen)]
    if _has(base, "length"):
        logs = np.log1p(seen.lengths)
        columns += [logs, logs**2]
    if _has(base, "echo"):
        columns += [*seen.self_overlap.T, *(seen.self_overlap**2).T]  # a little overlap is no fault
    if "features.mean" in base:
        made = Standard(base["features.mean"], base["features.scale"], base["features.marked"])
        columns += list(made.apply(seen.features).T)
    return np.stack(columns, axis=1)


def _reduced(base: dict[str, np.ndarray], seen: Views, part: str) -> np.ndarray:
    centred = getattr(seen, part) - base[f"{part}.mean"]
    return row_products(centred, base["basis"]) if "basis" in base else np.asarray(centred)


def _blocks(base: dict[str, np.ndarray], seen: Views) -> dict[str, np.ndarray]:
    """The penalised parts by name: columns, or for a matrix without PCA the two sides whose products they are."""
    blocks = {}
    for term in VECTORS:
        part = getattr(seen, term) - base[f"{term}.mean"]
        if _has(base, term) and part.shape[1]:
            blocks[term] = part
    own = _reduced(base, seen, "response")
    for side in _sides(seen):
        other = _reduced(base, seen, side)
        blocks[side] = np.stack([other, own]) if "basis" not in base else _products(other, own)
    return blocks


def _products(other: np.ndarray, own: np.ndarray) -> np.ndarray:
    return np.asarray((other[:, :, None] * own[:, None, :]).reshape(len(own), -1))


def _scale(block: np.ndarray) -> float:
    """What brings the mean squared length of a row to 1."""
    squares = (block**2).sum(-1)
    mean = float((squares[0] * squares[1]).mean() if block.ndim == 3 else squares.mean())
    return 1 / mean if mean > 0 else 0.0


def _weighted(blocks: dict[str, np.ndarray], share: float) -> dict[str, float]:
    """What each block is multiplied with: every row of one has the mean squared length 1, of a matrix ``share``."""
    return {name: (1.0 if name in TERMS else share) * _scale(block) for name, block in blocks.items()}


def _space(free: np.ndarray, blocks: dict[str, np.ndarray]) -> Callable[[dict[str, float]], Axes]:
    """The axes for any weights of the blocks; whatever does not depend on them is made once."""
    widths = {name: block.shape[1] for name, block in blocks.items() if block.ndim == 2}
    if len(widths) == len(blocks) and len(free) > sum(widths.values()):
        tall = Tall.of(free, np.concatenate([np.zeros((len(free), 0)), *blocks.values()], axis=1))
        return lambda weights: tall.axes(np.concatenate([np.full(widths[name], np.sqrt(weights[name])) for name in blocks]))
    kernels = {
        name: block @ block.T if block.ndim == 2 else (block[0] @ block[0].T) * (block[1] @ block[1].T)
        for name, block in blocks.items()
    }
    nothing = np.zeros((len(free), len(free)))
    return lambda weights: axes_of_kernel(free, sum((weights[name] * kernels[name] for name in blocks), nothing))


def _weights(
    base: dict[str, np.ndarray], blocks: dict[str, np.ndarray], weights: dict[str, float], dual: np.ndarray
) -> dict[str, np.ndarray]:
    """``θ = Xᵀa`` for each block: vectors u, v and x, matrices M′ and N′."""
    found = {}
    for name, block in blocks.items():
        if not weights[name]:
            continue
        if block.ndim == 3:
            found[f"{name}.weights"] = weights[name] * (block[0] * dual[:, None]).T @ block[1]
        else:
            theta = weights[name] * (dual @ block)
            width = base["basis"].shape[1] if name not in TERMS else 0
            found[f"{name}.weights"] = theta.reshape(width, width) if width else theta
    return found


def _said(arrays: dict[str, np.ndarray], seen: Views) -> np.ndarray:
    """What the penalised parts say."""
    total = np.zeros(len(seen.response))
    for term in VECTORS:
        if f"{term}.weights" in arrays:
            total += row_dots(getattr(seen, term) - arrays[f"{term}.mean"], arrays[f"{term}.weights"])
    own = None
    for side in ("context", "reference"):
        if f"{side}.weights" in arrays:
            own = _reduced(arrays, seen, "response") if own is None else own
            total += row_dots(row_products(_reduced(arrays, seen, side), arrays[f"{side}.weights"]), own)
    return total


def _ranked(
    axes: Axes, y: np.ndarray, groups: np.ndarray, penalty: float, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same form by the order of the ratings: coefficients of the rows, what is said, and errors by left-out context.

    Scores of an order have no scale; they take the ratings' mean and spread by what is said of rows that were left out.
    """
    columns = np.concatenate([axes.left * axes.values, axes.basis], axis=1)
    k = len(axes.values)

    def theta(rows: np.ndarray) -> np.ndarray:
        shrink = np.array([penalty / len(rows)] * k + [1e-6] * axes.basis.shape[1])
        return rank_fit(columns[rows], y[rows], penalty=shrink, seed=seed)

    apart = np.empty(len(y))
    for learn, test in train_test_splits(inner_folds(list(map(str, groups)), seed=seed)):
        apart[test] = columns[test] @ theta(learn)
    alpha, beta = same_spread(apart, y)
    whole = theta(np.arange(len(y)))
    dual = axes.left @ (whole[:k] / axes.values) / beta
    return dual, (columns @ whole - alpha) / beta, y - (apart - alpha) / beta
