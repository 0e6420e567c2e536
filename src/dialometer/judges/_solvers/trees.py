"""Gradient boosting of small regression trees over binned columns (Friedman 2001; bins as in LightGBM, Ke et al. 2017).

Each round adds ``rate`` × a tree fitted to what is left of the target: a split is where
``(Σ_left r)²/(n_left + λ) + (Σ_right r)²/(n_right + λ)`` is largest, a leaf is ``Σ r/(n + λ)``. Trees are complete: a node that
nothing is gained from sends all rows to the left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BINS = 64
DEPTH = 3
RATE = 0.05
LEAST = 20  # rows on either side of a split
SHRINK = 1.0  # λ


@dataclass(frozen=True, eq=False)
class Trees:
    """Splits and leaves of all trees; node k has the children 2k + 1 and 2k + 2."""

    start: float
    feature: np.ndarray  # (trees, 2^depth − 1) int32
    threshold: np.ndarray  # (trees, 2^depth − 1) float64: larger values go right
    leaf: np.ndarray  # (trees, 2^depth) float64

    def predict(self, columns: np.ndarray) -> np.ndarray:
        """One number per row."""
        return np.asarray(self.start + self.steps(columns).sum(1))

    def steps(self, columns: np.ndarray) -> np.ndarray:
        """(rows, trees): what each tree adds."""
        rows = np.arange(len(columns))
        made = np.zeros((len(columns), len(self.leaf)))
        for tree, (feature, threshold, leaf) in enumerate(zip(self.feature, self.threshold, self.leaf, strict=True)):
            node = np.zeros(len(columns), np.int64)
            while len(node) and node[0] < len(feature):
                node = 2 * node + 1 + (columns[rows, feature[node]] > threshold[node])
            made[:, tree] = leaf[node - len(feature)]
        return made

    def shares(self, columns: int) -> np.ndarray:
        """How often each column splits, as a share of all splits."""
        used = self.feature[np.isfinite(self.threshold)]
        return np.bincount(used, minlength=columns) / max(1, len(used))


def boost(columns: np.ndarray, target: np.ndarray, rounds: int) -> Trees:
    """Fit that many trees."""
    edges = [_edges(column) for column in columns.T]
    codes = np.stack([np.searchsorted(e, c) for e, c in zip(edges, columns.T, strict=True)], axis=1)
    rest = target - target.mean()
    features, thresholds, leaves = [], [], []
    for _ in range(rounds):
        feature, cut, node = _grow(codes, rest)
        sums, counts = np.bincount(node, rest, 2**DEPTH), np.bincount(node, minlength=2**DEPTH)
        leaf = RATE * sums / (counts + SHRINK)
        rest = rest - leaf[node]
        features.append(feature)
        thresholds.append([edges[f][c] if c < len(edges[f]) else np.inf for f, c in zip(feature, cut, strict=True)])
        leaves.append(leaf)
    shape = (rounds, 2**DEPTH - 1)
    return Trees(
        float(target.mean()),
        np.array(features, np.int32).reshape(shape),
        np.array(thresholds, np.float64).reshape(shape),
        np.array(leaves, np.float64).reshape(rounds, 2**DEPTH),
    )


def _edges(column: np.ndarray) -> np.ndarray:
    """Cuts between values: every one of few different values, else between quantiles; a value on a cut lies left of it."""
    values = np.unique(column)
    if len(values) > BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, BINS)))
    return (values[1:] + values[:-1]) / 2


def _grow(codes: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Feature and cut of each node, and the leaf of each row; a cut of BINS splits nothing."""
    n, width = codes.shape
    feature, cut = np.zeros(2**DEPTH - 1, np.int64), np.full(2**DEPTH - 1, BINS)
    node = np.zeros(n, np.int64)
    places = codes + np.arange(width) * BINS
    for depth in range(DEPTH):
        nodes = 2**depth
        flat = (node[:, None] * (width * BINS) + places).ravel()
        size = nodes * width * BINS
        shape = (nodes, width, BINS)
        sums = np.bincount(flat, np.repeat(rest, width), size).reshape(shape).cumsum(2)
        counts = np.bincount(flat, minlength=size).reshape(shape).cumsum(2)
        best, at = _splits(sums, counts)
        own = slice(nodes - 1, 2 * nodes - 1)
        feature[own], cut[own] = np.where(best, at // BINS, 0), np.where(best, at % BINS, BINS)
        node = 2 * node + (codes[np.arange(n), feature[own][node]] > cut[own][node])
    return feature, cut, node


def _splits(sums: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether a split of each node gains something, and its place among (features × bins), from running sums over bins."""
    whole, size = sums[:, :, -1:], counts[:, :, -1:]
    other, many = whole - sums, size - counts
    gain = sums**2 / (counts + SHRINK) + other**2 / (many + SHRINK) - whole**2 / (size + SHRINK)
    gain[(counts < LEAST) | (many < LEAST)] = -np.inf
    flat = gain.reshape(len(gain), -1)
    at = flat.argmax(1)
    return flat[np.arange(len(flat)), at] > 1e-12, at
