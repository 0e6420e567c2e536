"""Word-overlap metrics against the tools people use: CPU seconds for the same distinct real pairs, as ratios.

Rules of the race: one thread, tokenising included, a fresh corpus each round, only compiled kernels warm, rounds
interleaved, the best round of each counts, every tool gets the same tokens. ``Δ`` is the largest difference between our item
scores and those of the peer that defines them so.

    python benchmarks/overlap.py                 the table
    python benchmarks/overlap.py --jar           with the METEOR 1.5 jar (about a minute more)
    python benchmarks/overlap.py --start         start-up plus 2,000 pairs, beside sacrebleu
    python benchmarks/overlap.py --growth        10k, 100k, 1M pairs through the command line
    python benchmarks/overlap.py --cores         the same work with one process and with two
"""

import argparse
import gc
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import children
import numpy as np
import peers
from pairs import distinct_pairs

from dialometer.core.registry import create, names
from dialometer.text.corpus import Corpus


@dataclass
class Row:
    """One line of the table: our spec and column, the goal, and the peers by name."""

    title: str
    spec: str
    goal: int
    peers: dict[str, Callable[[], Sequence[float]]]
    same: str  # the peer whose very numbers ours should be
    column: int = -1
    times: dict[str, list[float]] = field(default_factory=dict)
    values: dict[str, np.ndarray] = field(default_factory=dict)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="rows whose title holds this text")
    parser.add_argument("--jar", action="store_true", help="run the METEOR 1.5 jar too")
    parser.add_argument("--start", action="store_true", help="start-up plus 2,000 pairs")
    parser.add_argument("--growth", action="store_true", help="growth through the command line")
    parser.add_argument("--cores", action="store_true", help="one process and several")
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    chosen = parser.parse_args()
    if chosen.start:
        print(children.start_table(*distinct_pairs(2000), chosen.rounds))
    elif chosen.cores:
        print(children.cores_table(*distinct_pairs(chosen.pairs), 500_000, chosen.workers))
    elif chosen.growth:
        print(children.growth_table(*distinct_pairs(min(chosen.pairs, min(chosen.sizes))), chosen.sizes))
    else:
        responses, references = distinct_pairs(chosen.pairs)
        rows = [row for row in table_rows(responses, references, chosen.jar) if chosen.only.lower() in row.title.lower()]
        race(rows, responses, references, chosen.rounds)
        print(markdown(rows, chosen.pairs, chosen.rounds))


def table_rows(responses: list[str], references: list[str], jar: bool) -> list[Row]:
    """The rows whose metrics exist here."""
    texts = (responses, references)
    tokens = tuple([text.split() for text in side] for side in texts)
    bleu = {
        "pycocoevalcap": lambda: peers.coco_bleu(*texts),
        "nltk-m1": lambda: peers.nltk_bleu(*tokens),
        "sacrebleu": lambda: peers.sacrebleu(*texts, "none"),
    }
    rouge = {"rouge-score": lambda: peers.rouge_score(*texts), "pycocoevalcap": lambda: peers.coco_rouge(*texts)}
    shipped = {"rouge-score": lambda: peers.rouge_score_as_shipped(*texts)}
    cider = {"pycocoevalcap": lambda: peers.coco_cider(*texts)}
    rows = [
        Row("BLEU, white space", "bleu(tok=whitespace)", 40, bleu, "sacrebleu"),
        Row("BLEU, 13a", "bleu(tok=13a)", 30, {"sacrebleu": lambda: peers.sacrebleu(*texts, "13a")}, "sacrebleu"),
        Row("ROUGE-L", "rouge(kinds=l,beta=1,tok=whitespace)", 25, rouge, "rouge-score"),
        Row("ROUGE-L, its own tokens", "rouge(kinds=l,beta=1,tok=rouge)", 25, shipped, "rouge-score"),
        Row("CIDEr", "cider(variant=coco,tok=whitespace)", 25, cider, "pycocoevalcap"),
    ]
    if "meteor" in names("metric"):
        if peers.nltk_wordnet():
            nltk = {"nltk": lambda: peers.nltk_meteor(*tokens)}
            rows.append(Row("METEOR, NLTK's", "meteor(variant=nltk,tok=whitespace)", 15, nltk, "nltk"))
        if jar and peers.meteor_jar():
            rows.append(Row("METEOR 1.5", "meteor", 15, {"jar": lambda: peers.jar_meteor(*texts)}, "jar"))
    return rows


def race(rows: list[Row], responses: list[str], references: list[str], rounds: int) -> None:
    """Interleave ours and theirs; the first run of ours only loads compiled kernels and is not counted."""
    for row in rows:
        ours(row, responses, references)
    gc.collect()
    gc.freeze()  # what this script itself holds in memory is nobody's cost
    for _ in range(rounds):
        for row in rows:
            timed(row, "ours", lambda row=row: ours(row, responses, references))
            for peer, work in row.peers.items():
                timed(row, peer, work)


def ours(row: Row, responses: list[str], references: list[str]) -> np.ndarray:
    """Item scores from bare texts, nothing remembered between calls."""
    corpus = Corpus.of(responses, [[reference] for reference in references])
    metric = create("metric", row.spec)
    return metric.finish(metric.measure(corpus), level="item")[:, row.column]


def timed(row: Row, who: str, work: Callable[[], Sequence[float]]) -> None:
    """Keep the CPU seconds (children's too) and the values of one go."""
    gc.collect()
    start = cpu_seconds()
    values = work()
    row.times.setdefault(who, []).append(cpu_seconds() - start)
    row.values[who] = np.asarray(values, float)


def cpu_seconds() -> float:
    """CPU seconds of this process and of its finished children."""
    children_used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children_used.ru_utime + children_used.ru_stime


def markdown(rows: list[Row], pairs: int, rounds: int) -> str:
    """The table: ours against each peer, the ratio to the best one, the goal, and the largest difference in value."""
    lines = [
        f"{pairs:,} distinct pairs, one thread, CPU seconds, best of {rounds} interleaved rounds",
        "",
        "| metric | ours s | ours pairs/s | peers s | ratio to the best peer | goal | Δ |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        best = {who: min(times) for who, times in row.times.items()}
        mine = best.pop("ours")
        theirs = ", ".join(f"{who} {seconds:.2f}" for who, seconds in sorted(best.items(), key=lambda pair: pair[1]))
        delta = np.abs(row.values["ours"] - row.values[row.same]).max()
        ratio = min(best.values()) / mine
        speed = f"{pairs / mine:,.0f}"
        lines.append(
            f"| {row.title} | {mine:.4f} | {speed} | {theirs} | {ratio:.1f}× | {row.goal}× | {row.same} {delta:.0e} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
