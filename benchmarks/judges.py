"""Fitting judges: ADEM's whole γ path beside scikit-learn's.

The rows are R-ADEM's on DSTC7 task 2: outer products of reference and response, MiniLM vectors after PCA, divided by β; ratings are
the mean relevance less −α/β and less what the identity predicts. Both sides solve the same γs, from the largest down to a
thousandth of it, from the same Gram matrix, whose time is added to both. scikit-learn stops by its duality gap, so that it is run
with its own tolerance and with a fine one; “off by” is the greatest violation of the conditions of a minimum, as a share of the
largest γ. One thread, CPU seconds, the best of interleaved rounds. Vectors are encoded once and kept.

    python benchmarks/judges.py [--rows 10000] [--gammas 50] [--widths 7 20 50] [--rounds 3]
"""

import argparse
import gzip
import json
import os
import time
import warnings
from collections.abc import Callable
from itertools import chain, islice, zip_longest

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from pairs import data_folder

from dialometer.core.registry import create
from dialometer.judges._bilinear.scale import alpha_beta
from dialometer.judges._solvers.lasso import kkt, path
from dialometer.kernels import jit
from dialometer.text.corpus import Corpus
from dialometer.text.texts import Texts
from dialometer.text.vectors.sentences import sentence_vectors

TOLERANCES = (1e-4, 1e-8)  # scikit-learn's own, and a fine one
LOW, HIGH = 1, 5


def main() -> None:
    """Print the table of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--gammas", type=int, default=50)
    parser.add_argument("--widths", type=int, nargs="+", default=[7, 20, 50])
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    print(path_table(chosen.rows, chosen.gammas, chosen.widths, chosen.rounds))


def path_table(n: int, gammas: int, widths: list[int], rounds: int) -> str:
    """Seconds for the whole path by width of the vectors."""
    reference, response, ratings = vectors_of(n)
    lines = [
        f"{len(ratings):,} rows, {gammas} γs; CPU seconds on one thread, best of {rounds}",
        "",
        "| PCA | parameters | Gram | ours | off by | scikit-learn's tolerance | its seconds | off by | ratio |",
        "|---" * 9 + "|",
    ]
    for width in widths:
        X, y, identity, offset = rows_of(reference, response, ratings, width)
        times, off = race(X, y, identity, offset, gammas, rounds)
        gram = times["gram"]
        lines += [
            f"| {width} | {X.shape[1]:,} | {gram:.2f} | {times['ours']:.2f} | {off['ours']:.0e} "
            f"| {tolerance:.0e} | {gram + times[tolerance]:.2f} | {off[tolerance]:.0e} "
            f"| {(gram + times[tolerance]) / times['ours']:.1f}× |"
            for tolerance in TOLERANCES
        ]
    return "\n".join(lines)


def vectors_of(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of n references and the responses beside them, and ratings: first references first, then second ones …"""
    file = data_folder() / "turns" / "dstc7_task2.jsonl.gz"
    if not file.exists():
        raise SystemExit(f"{file} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
    with gzip.open(file, "rt", encoding="utf-8") as opened:
        items = list(map(json.loads, opened))
    pairs = ([(reference, item["response"], item) for reference in item["references"]] for item in items)
    chosen = list(islice(filter(None, chain.from_iterable(zip_longest(*pairs))), n))
    texts = list(dict.fromkeys(text for reference, response, _ in chosen for text in (reference, response)))
    none = Corpus.of([]).references
    corpus = Corpus(Texts.of(texts), np.zeros(0, np.int32), none, none, Texts.of([]), keep=True)
    vectors = sentence_vectors(corpus, create("encoder", "minilm"), np.arange(len(texts))).astype(float)
    place = {text: at for at, text in enumerate(texts)}
    sides = (vectors[[place[pair[side]] for pair in chosen]] for side in (0, 1))
    return *sides, np.array([np.mean(item["ratings"]["relevance"]) for *_, item in chosen])


def rows_of(
    reference: np.ndarray, response: np.ndarray, ratings: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """R-ADEM's features over β, the ratings, the identity and −α/β."""
    both = np.concatenate([reference, response])
    directions = np.linalg.eigh(np.cov(both.T))[1][:, ::-1][:, :width]
    left, right = ((side - both.mean(axis=0)) @ directions for side in (reference, response))
    X, identity = (left[:, :, None] * right[:, None, :]).reshape(len(ratings), -1), np.eye(width).ravel()
    alpha, beta = alpha_beta(X @ identity, LOW, HIGH)
    return X / beta, ratings, identity, -alpha / beta


def race(X: np.ndarray, y: np.ndarray, prior: np.ndarray, offset: float, count: int, rounds: int) -> tuple[dict, dict]:
    """The best time of each way, and how far its worst solution is from a minimum."""
    from sklearn.linear_model import lasso_path

    jit.PLAIN_STEPS = 0
    options = {"prior": prior, "offset": offset}
    found = path(X[:50], y[:50], 2, **options)  # loads compiled code
    target, columns = y - offset - X @ prior, np.asfortranarray(X)
    products, moments = X.T @ X, X.T @ target

    def theirs(tolerance: float) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says so when it stops short
            return lasso_path(
                columns, target, alphas=found.gammas / 2, precompute=products, Xy=moments, tol=tolerance, max_iter=20_000
            )[1]

    found = path(X, y, count, **options)
    ways: dict = {"ours": lambda: path(X, y, found.gammas, **options), "gram": lambda: X.T @ X}
    ways |= {tolerance: lambda tolerance=tolerance: theirs(tolerance) for tolerance in TOLERANCES}
    times, results = best_times(ways, rounds)
    solutions = {"ours": results["ours"].thetas} | {tol: prior + results[tol].T for tol in TOLERANCES}
    worst = {
        way: max(kkt(X, y, theta, offset, gamma, prior=prior) for theta, gamma in zip(thetas, found.gammas, strict=True))
        for way, thetas in solutions.items()
    }
    return times, {way: value / found.gammas[0] for way, value in worst.items()}


def best_times(ways: dict[object, Callable[[], object]], rounds: int) -> tuple[dict, dict]:
    """The shortest CPU time of each way over interleaved rounds, and what it gave last."""
    times: dict = {}
    results: dict = {}
    for _ in range(rounds):
        for way, work in ways.items():
            start = time.process_time()
            results[way] = work()
            times[way] = min(time.process_time() - start, times.get(way, float("inf")))
    return times, results


if __name__ == "__main__":
    main()
