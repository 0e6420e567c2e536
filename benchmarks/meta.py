"""Does a metric deserve trust: clustered bootstraps and permutation tests of 20 metrics against plain scipy loops, as ratios.

Rules of the race: one thread, CPU seconds, only compiled kernels warm, best of the rounds. The loop of scipy does what a script
would do: index the drawn items, call scipy once per resample and metric (twice per permutation and pair). It would run for many
minutes, so it is timed on a few resamples and scaled up; the row says on how many. ``Δ`` is the largest difference between our
value and scipy's on those. Ratings are the mean relevance of DSTC7 task 2 (1,000 contexts, 10 systems) where the data are
there, drawn numbers otherwise; metrics are made from them with noise.

    python benchmarks/meta.py                 the table, memory and growth with n
    python benchmarks/meta.py --metrics 5     fewer metrics
"""

import argparse
import gzip
import json
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from pairs import data_folder
from scipy import stats
from threadpoolctl import threadpool_limits

from dialometer.stats.correlation.correlate import draw_correlations
from dialometer.stats.resample import bootstrap_weights
from dialometer.stats.testing.perm_both import Coins, perm_test
from dialometer.stats.testing.swap_permutations import SwappedKendall, SwappedPearson, SwappedSpearman, SwappedSystems

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
OVER_ITEMS = {"pearson": SwappedPearson, "spearman": SwappedSpearman, "kendall": SwappedKendall}
GOAL = 50


@dataclass
class Data:
    """Ratings with their context and system, and metrics by name."""

    y: np.ndarray
    context: np.ndarray
    system: np.ndarray
    columns: dict[str, np.ndarray]
    source: str


@dataclass
class Row:
    """One line: seconds of ours, seconds of scipy scaled up, what it was timed on, the largest difference."""

    title: str
    ours: float
    theirs: float
    timed_on: str
    delta: float
    growth: str = ""


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--metrics", type=int, default=20)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sample", type=int, default=8, help="resamples or permutations that scipy is timed on")
    chosen = parser.parse_args()
    data = load(chosen.metrics)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with threadpool_limits(1):
        rows = [bootstrap_row(data, kind, chosen) for kind in SCIPY]
        rows += [permutation_row(data, kind, level, chosen) for level in ("item", "system") for kind in SCIPY]
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(markdown(rows, data, chosen, grown))


def load(metrics: int, times: int = 1) -> Data:
    """DSTC7's mean relevance, or as many drawn ratings; metrics of rising worth, every other one with many ties."""
    path = data_folder() / "turns" / "dstc7_task2.jsonl.gz"
    rng = np.random.default_rng(0)
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            items = [json.loads(line) for line in file]
        rated = [[v for v in item["ratings"]["relevance"] if v is not None] for item in items]
        y = np.array([np.mean(values) if values else np.nan for values in rated])
        context = np.unique([item["context_id"] for item in items], return_inverse=True)[1]
        system = np.unique([item["system"] for item in items], return_inverse=True)[1]
        source = "mean relevance of DSTC7 task 2"
    else:
        context, system = np.repeat(np.arange(1000), 10), np.tile(np.arange(10), 1000)
        y, source = rng.integers(3, 16, 10_000) / 3, "drawn ratings"
    known = ~np.isnan(y)
    y, system = (np.tile(side[known], times) for side in (y, system))
    context = np.concatenate([context[known] + copy * (context.max() + 1) for copy in range(times)])
    columns = {f"m{k}": (0.1 + k / 50) * y + rng.normal(size=len(y)) for k in range(metrics)}
    tied = {name: np.maximum(0, np.round(values, 1)) for name, values in columns.items() if int(name[1:]) % 2}
    return Data(y, context, system, columns | tied, source)


def seconds(work: Callable[[], object], rounds: int) -> float:
    """CPU seconds of the best of several goes, after one that only loads kernels."""
    took = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return min(took)


def bootstrap_row(data: Data, kind: str, chosen: argparse.Namespace) -> Row:
    """Resampled contexts, one coefficient, all metrics."""
    values = list(data.columns.values())

    def ours(data: Data = data, resamples: int = chosen.resamples) -> np.ndarray:
        how = {"kind": kind, "resamples": resamples, "seed": 0}
        return draw_correlations(list(data.columns.values()), data.y, data.context, **how)

    draws = ours()
    weights = bootstrap_weights(int(data.context.max()) + 1, chosen.resamples, 0)[: chosen.sample]

    def theirs() -> np.ndarray:
        found = []
        for row in weights:
            drawn = np.repeat(np.arange(len(data.y)), row[data.context].astype(int))
            found.append([SCIPY[kind](x[drawn], data.y[drawn]).statistic for x in values])
        return np.array(found)

    scale = chosen.resamples / chosen.sample
    mine, large = seconds(ours, chosen.rounds), load(chosen.metrics, 4)
    growth = f"{seconds(lambda: ours(large), 1) / mine:.1f}×"
    delta = float(np.abs(draws[: chosen.sample] - theirs()).max())
    timed = f"{chosen.sample} of {chosen.resamples} resamples"
    return Row(f"bootstrap, {kind}", mine, seconds(theirs, chosen.rounds) * scale, timed, delta, growth)


def permutation_row(data: Data, kind: str, level: str, chosen: argparse.Namespace) -> Row:
    """PERM-BOTH of all pairs of metrics, one coefficient, over items or over means of systems."""

    def ours(data: Data = data, permutations: int = chosen.resamples) -> object:
        how = {"kind": kind, "level": level, "systems": data.system, "inputs": data.context}
        return perm_test(data.columns, data.y, permutations=permutations, **how)

    ours(permutations=64)
    standard = [stats.zscore(values) for values in data.columns.values()]
    pairs = list(combinations(range(len(standard)), 2))
    some = [pairs[i] for i in np.linspace(0, len(pairs) - 1, min(10, len(pairs))).astype(int)]
    coins = next(iter(Coins(data.system, data.context, "both", 0).blocks(chosen.resamples)))[: chosen.sample]

    def correlation(values: np.ndarray) -> float:
        if level == "item":
            return float(SCIPY[kind](values, data.y).statistic)
        systems = np.arange(data.system.max() + 1)
        x, y = (np.array([side[data.system == s].mean() for s in systems]) for side in (values, data.y))
        return float(SCIPY[kind](x, y).statistic)

    def difference(coin: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
        return correlation(np.where(coin, b, a)) - correlation(np.where(coin, a, b))

    def theirs() -> np.ndarray:
        return np.array([[difference(coin, standard[a], standard[b]) for a, b in some] for coin in coins == 1])

    made = (np.array(standard).T, data.y, np.array(some))
    differences = OVER_ITEMS[kind](*made) if level == "item" else SwappedSystems(*made, data.system, kind)
    delta = float(np.abs(differences(coins) - theirs()).max())
    scale = chosen.resamples / chosen.sample * len(pairs) / len(some)
    timed = f"{chosen.sample} of {chosen.resamples} permutations of {len(some)} of {len(pairs)} pairs"
    mine = seconds(ours, 1 if kind == "kendall" and level == "item" else chosen.rounds)
    return Row(f"PERM-BOTH over {level}s, {kind}", mine, seconds(theirs, 1) * scale, timed, delta)


def markdown(rows: list[Row], data: Data, chosen: argparse.Namespace, grown: float) -> str:
    """The table, with what it rests on above and memory below."""
    pairs = chosen.metrics * (chosen.metrics - 1) // 2
    shape = f"{len(data.y):,} items in {data.context.max() + 1:,} contexts, {chosen.metrics} metrics ({pairs} pairs)"
    lines = [
        f"{shape}, {chosen.resamples:,} resamples or permutations, {data.source}, one thread, CPU seconds",
        "",
        "| work | ours s | scipy loop s (scaled up) | timed on | ratio | goal | Δ | 4× the items |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row.title} | {row.ours:.2f} | {row.theirs:,.0f} | {row.timed_on} | {row.theirs / row.ours:,.0f}× | {GOAL}× |"
            f" {row.delta:.0e} | {row.growth or '–'} |"
        )
    return "\n".join([*lines, "", f"Peak memory grew by {grown:,.0f} MB over all of this, the 4× items included."])


if __name__ == "__main__":
    main()
