"""The published Skip-Thoughts encoder in plain numpy, and random weights under its names, for comparison."""

import numpy as np

PARTS = ("W", "U", "b", "Wx", "Ux", "bx")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def last_state(rows, weights, prefix):
    """One text, word after word: rows are word vectors (Kiros et al. 2015, eqs. 1–4, in the order of the release)."""
    W, U, b, Wx, Ux, bx = (weights[f"{prefix}_{part}"].astype(float) for part in PARTS)
    dim = len(Ux)
    h = np.zeros(dim)
    for x in rows.astype(float):
        gates = sigmoid(x @ W + b + h @ U)
        r, u = gates[:dim], gates[dim:]
        proposed = np.tanh(x @ Wx + bx + (h @ Ux) * r)
        h = u * h + (1 - u) * proposed
    return h


def random_weights(rng, inner, dim, prefixes):
    shapes = [(inner, 2 * dim), (dim, 2 * dim), (2 * dim,), (inner, dim), (dim, dim), (dim,)]
    return {
        f"{prefix}_{part}": rng.normal(scale=0.5, size=shape).astype(np.float32)
        for prefix in prefixes
        for part, shape in zip(PARTS, shapes, strict=True)
    }


def write_release(folder, words, *, inner=7, uni=6, bi=5, seed=0):
    """A folder of the published names in small: dictionary, tables, parameters."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dictionary.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    made = {}
    for table, file, dim, prefixes in (
        ("utable.npy", "uni_skip.npz", uni, ("encoder",)),
        ("btable.npy", "bi_skip.npz", bi, ("encoder", "encoder_r")),
    ):
        vectors = rng.normal(size=(len(words), inner)).astype(np.float32)
        weights = random_weights(rng, inner, dim, prefixes)
        np.save(folder / table, vectors)
        np.savez(folder / file, Wemb=np.zeros((3, inner), np.float32), **weights)
        made[file] = (vectors, weights)
    return made
