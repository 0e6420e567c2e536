"""The work of raters against crowd-kit and plain loops: CPU seconds on the same judgements, as ratios.

The judgements are those of DSTC7 task 2 (317 judges, 10,000 responses, two qualities), the two qualities beside each other as
items of their own where 66,000 at once are wanted. One thread; the best of some rounds counts. MACE and Dawid–Skene do the same
number of iterations on both sides; crowd-kit's are run for a few and scaled up to all, since each costs the same.

    python benchmarks/raters.py
"""

import argparse
import gc
import time
import warnings
from collections.abc import Callable
from itertools import combinations

import numpy as np
from pairs import data_folder

from dialometer.core.types import Ratings
from dialometer.data import open_items
from dialometer.data.tables.ratings import ratings_of
from dialometer.stats.agreement.dawid_skene import dawid_skene
from dialometer.stats.agreement.kappa import pair_kappas
from dialometer.stats.agreement.krippendorff import krippendorff
from dialometer.stats.agreement.mace import mace
from dialometer.stats.agreement.raters import keep, rater_table
from dialometer.stats.correlation.ceiling import ceiling
from dialometer.stats.correlation.correlate import pearson

RESTARTS, ITERATIONS = 10, 50
FEW = 5  # iterations of crowd-kit that are run


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    warnings.filterwarnings("ignore", module="crowdkit")
    path = data_folder() / "turns" / "dstc7_task2.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
    items = list(open_items(path))
    ratings = ratings_of(items)
    groups, systems = (np.unique([getattr(e, key) for e in items], return_inverse=True)[1] for key in ("group", "system"))
    one, both = ratings.of("relevance"), stacked(ratings)
    print(f"CPU seconds, best of {rounds}; {len(ratings.raters)} raters, {len(one):,} and {len(both):,} judgements\n")
    print("| work | judgements | ours | peer | peer's | ratio |\n|---|---|---|---|---|---|")
    for name, part in (("one quality", one), ("both", both)):
        frame = as_frame(part)
        row(f"MACE, {RESTARTS} × {ITERATIONS}, {name}", part, lambda part=part: mace(part), "crowd-kit",
            lambda frame=frame: peer_mace(frame), RESTARTS * (ITERATIONS + 1) / (FEW + 1), rounds)  # fmt: skip
        row(f"Dawid–Skene, 100, {name}", part, lambda part=part: dawid_skene(part, tolerance=-np.inf), "crowd-kit",
            lambda frame=frame: peer_dawid_skene(frame), 100 / FEW, rounds)  # fmt: skip
    row("weighted κ of all pairs", one, lambda: pair_kappas(one), "scikit-learn", lambda: peer_kappas(one), 1, rounds)
    row("filter by κ, both qualities", both, lambda: keep(ratings, rater_table(ratings)), "–", None, 1, rounds)
    row("α with 1,000 resamples", one, lambda: krippendorff(one), "loops", lambda: loop_alpha(one), 1000, rounds)
    row("ceiling, 200 splits, 1,000 resamples", one, lambda: ceiling(one, groups, systems), "loops, splits only",
        lambda: loop_split(one), 200, rounds)  # fmt: skip


def row(name: str, part: Ratings, ours: Callable, peer: str, theirs: Callable | None, scale: float, rounds: int) -> None:
    """One line; the peer's time is that of its piece times how many pieces the work has."""
    mine = best(ours, rounds)
    other = best(theirs, rounds) * scale if theirs else float("nan")
    shown = f"{other:.2f} | {other / mine:.0f}×" if theirs else "– | –"
    print(f"| {name} | {len(part):,} | {mine:.3f} | {peer} | {shown} |", flush=True)


def best(work: Callable, rounds: int) -> float:
    """The shortest CPU time of some rounds."""
    times = []
    work()  # imports and compiled code are not part of the race
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def stacked(ratings: Ratings) -> Ratings:
    """All qualities as one, each (item, quality) an item of its own."""
    names = tuple(f"{item} {quality}" for quality in ratings.qualities for item in ratings.items)
    item = ratings.quality * len(ratings.items) + ratings.item
    arrays = (item, ratings.rater, np.zeros_like(ratings.quality), ratings.value, ratings.seconds, ratings.check)
    return Ratings(names, ratings.raters, ("all",), *arrays)


def as_frame(ratings: Ratings):
    import pandas as pd

    return pd.DataFrame({"task": ratings.item, "worker": ratings.rater, "label": ratings.value.astype(int)})


def peer_mace(frame) -> None:
    from crowdkit.aggregation import MACE

    MACE(n_restarts=1, n_iter=FEW - 1).fit(frame)  # with the E-steps before and after, FEW + 1


def peer_dawid_skene(frame) -> None:
    from crowdkit.aggregation import DawidSkene

    DawidSkene(n_iter=FEW, tol=-np.inf).fit(frame)


def peer_kappas(ratings: Ratings) -> None:
    """Every pair that shares two items or more, through scikit-learn."""
    from sklearn.metrics import cohen_kappa_score

    said: dict[int, dict[int, float]] = {}
    for item, rater, value in zip(ratings.item.tolist(), ratings.rater.tolist(), ratings.value.tolist(), strict=True):
        said.setdefault(rater, {}).setdefault(item, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in combinations(sorted(said), 2):
            shared = said[a].keys() & said[b].keys()
            if len(shared) > 1:
                x, y = ([said[r][item] for item in shared] for r in (a, b))
                cohen_kappa_score(x, y, labels=[1, 2, 3, 4, 5], weights="quadratic")


def by_item(ratings: Ratings) -> list[list[float]]:
    lists: list[list[float]] = [[] for _ in ratings.items]
    for item, value in zip(ratings.item.tolist(), ratings.value.tolist(), strict=True):
        lists[item].append(value)
    return lists


def loop_alpha(ratings: Ratings) -> float:
    """One interval α, pair by pair inside items and by totals among all."""
    inside, values = 0.0, []
    for said in by_item(ratings):
        values += said
        inside += sum((a - b) ** 2 for a in said for b in said) / (len(said) - 1)
    n, total, squares = len(values), sum(values), sum(v * v for v in values)
    return 1 - (n - 1) * inside / (2 * (n * squares - total**2))


def loop_split(ratings: Ratings) -> float:
    """One split into halves and its Pearson correlation."""
    rng = np.random.default_rng(0)
    halves = []
    for said in by_item(ratings):
        mixed = rng.permutation(said)
        cut = len(said) // 2
        halves.append((mixed[:cut].mean(), mixed[cut:].mean()))
    first, second = np.array(halves).T
    return pearson(first, second)


if __name__ == "__main__":
    main()
