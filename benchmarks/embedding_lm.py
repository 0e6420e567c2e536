"""The n-gram language model: seconds to train, sentences scored per second beside kenlm, growth, memory.

Rules: one process and one thread per measurement, tokenising included, compiled code warm. kenlm scores the same tokens from the
ARPA file that we wrote: once joined by spaces beforehand, once tokenised on the way, as ours are. It sums in single precision.

    python benchmarks/embedding_lm.py                      every table
    python benchmarks/embedding_lm.py --words 200000       smaller
"""

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pairs import data_folder

from dialometer.text.ngram_lm.model import Ngram
from dialometer.text.tokenisers.base import tokeniser

CORPORA = ("dailydialog", "cornell_pairs_sample")
ORDERS = (2, 3, 5)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=2, type=int, metavar=("ORDER", "WORDS"), help="one measurement, as JSON")
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(*chosen.one, chosen.rounds)))
        return
    print(training_table(chosen.words, chosen.rounds), scoring_table(chosen.words, chosen.rounds), sep="\n\n")


def training_table(words: int, rounds: int) -> str:
    """Seconds and memory by order, then by size."""
    lines = ["| order | words | CPU seconds | first time | n-grams kept | peak memory, MB |", "|---|---|---|---|---|---|"]
    sizes = [(order, words) for order in ORDERS] + [(3, words * part // 4) for part in (1, 2, 4, 8)]
    for order, size in sizes:
        row = in_child(order, size, rounds)
        lines.append(
            f"| {order} | {row['words']:,} | {row['seconds']:.2f} | {row['first']:.2f} | {row['kept']:,} | {row['memory']:.0f} |"
        )
    return "\n".join(lines)


def scoring_table(words: int, rounds: int) -> str:
    """Sentences per CPU second, ours and kenlm's, and the largest difference in log₁₀ p."""
    import kenlm

    texts = list(utterances(words))
    split = tokeniser("words").tokens
    joined = [" ".join("<unk>" if token in ("<s>", "</s>") else token for token in split(text)) for text in texts]
    lines = [
        "| order | ours, sentences/s | kenlm on ready tokens | ratio | with tokenising | ratio | Δ log₁₀ p |",
        "|---" * 7 + "|",
    ]
    for order in ORDERS:
        lm = Ngram(order=order).fit([texts])
        with tempfile.TemporaryDirectory() as folder:
            lm.write_arpa(Path(folder) / "model.arpa")
            theirs = kenlm.Model(str(Path(folder) / "model.arpa"))
        ours, mine = best(lambda lm=lm: lm.logprob((), texts)[0], rounds)
        peer, other = best(lambda theirs=theirs: [theirs.score(text) for text in joined], rounds)
        whole, _ = best(lambda theirs=theirs: [theirs.score(" ".join(split(text))) for text in texts], 1)
        delta = max(abs(a / 2.302585092994046 - b) for a, b in zip(mine.tolist(), other, strict=True))
        rates = [f"{len(texts) / seconds:,.0f}" for seconds in (ours, peer, whole)]
        lines.append(
            f"| {order} | {rates[0]} | {rates[1]} | {peer / ours:.2f} | {rates[2]} | {whole / ours:.2f} | {delta:.1e} |"
        )
    return "\n".join(lines)


def measure(order: int, words: int, rounds: int) -> dict[str, float]:
    """One training, repeated in this process; the first time loads compiled code."""
    texts = list(utterances(words))
    start = time.process_time()
    lm = Ngram(order=order).fit([texts])
    first = time.process_time() - start
    seconds, _ = best(lambda: Ngram(order=order).fit([texts]), rounds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    count = sum(len(text.split()) for text in texts)
    return {"words": count, "seconds": seconds, "first": first, "kept": lm.size(), "memory": memory}


def in_child(order: int, words: int, rounds: int) -> dict[str, float]:
    """The same in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, "--rounds", str(rounds), "--one", str(order), str(words)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def best(work, rounds: int):
    """The least CPU time of some rounds, and the result."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def utterances(words: int) -> Iterator[str]:
    """Real utterances until there are so many words."""
    for name in CORPORA:
        path = data_folder() / "corpora" / f"{name}.jsonl.gz"
        if not path.exists():
            raise SystemExit(f"{path} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                for turn in json.loads(line)["turns"]:
                    words -= len(turn["text"].split())
                    yield turn["text"]
                if words <= 0:
                    return


if __name__ == "__main__":
    main()
