"""Where the time of one metric goes: microseconds per pair of each step, best of several warm rounds, one thread.

python benchmarks/stages.py
"""

import time
from collections.abc import Callable

from pairs import distinct_pairs

from dialometer.core.registry import create
from dialometer.text.corpus import Corpus

ROUNDS = 9
SPECS = (
    "bleu(tok=whitespace)",
    "bleu(tok=13a)",
    "rouge(kinds=l,beta=1,tok=whitespace)",
    "cider(variant=coco,tok=whitespace)",
)


def main() -> None:
    """Print a row per metric; the step from strings to a corpus is the same for all."""
    responses, references = distinct_pairs(20_000)
    lists = [[reference] for reference in references]
    print("| metric | strings → corpus | → token table | measure | finish | in all |")
    print("|---|---|---|---|---|---|")
    for spec in SPECS:
        metric = create("metric", spec)
        ready = Corpus.of(responses, lists)
        rows = metric.measure(ready)  # loads the compiled kernels, and leaves the token table in ``ready``
        corpus = best(lambda: Corpus.of(responses, lists))
        both = best(lambda metric=metric: Corpus.of(responses, lists).table(metric.tok))
        measure = best(lambda metric=metric, ready=ready: metric.measure(ready))
        finish = best(lambda metric=metric, rows=rows: metric.finish(rows, level="item"))
        steps = [corpus, both - corpus, measure, finish]
        spelt = " | ".join(f"{1e6 * step / len(responses):.2f}" for step in [*steps, sum(steps)])
        print(f"| `{spec}` | {spelt} |")


def best(work: Callable[[], object]) -> float:
    """CPU seconds of the quickest round."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
