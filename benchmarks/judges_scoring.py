"""Scoring with judges: how much time goes beyond the encoder's, and what a user waits for.

Replies are turns of DailyDialog's test part with up to five turns before them; the reference is the turn itself, the response the
reply of another conversation. Both sides start from text with nothing kept: the judge scores a new corpus, the encoder alone
encodes the very texts that the judge had encoded, all in one call. Interleaved rounds, the best counts; one thread in CPU seconds,
two in seconds of the clock. The second table is the whole command on 616 replies (Lowe et al. 2017, appendix, needed 2,861 s for as
many on a CPU), in a new process without anything kept on disk.

    python benchmarks/judges_scoring.py [--replies 500] [--rounds 3]
"""

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from children import child
from embedding_minilm import timed
from pairs import data_folder

from dialometer.core.registry import create
from dialometer.core.types import Example, Turn
from dialometer.encoders.minilm import Minilm
from dialometer.text.corpus import Corpus

JUDGES = ("adem", "autojudge")
PAPER = 616, 2861  # responses, seconds


def main() -> None:
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replies", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    items = list(islice(replies(), max(chosen.replies, PAPER[0])))
    print(race(items[: chosen.replies], chosen.rounds))
    print("\n" + waiting(items[: PAPER[0]]))


def replies() -> Iterator[Example]:
    """Distinct responses in distinct contexts."""
    with gzip.open(data_folder() / "corpora" / "dailydialog.jsonl.gz", "rt", encoding="utf-8") as file:
        talks = [[turn["text"] for turn in talk["turns"]] for talk in map(json.loads, file) if talk["split"] == "test"]
    seen: set[str] = set()
    for talk, other in zip(talks, talks[1:] + talks[:1], strict=True):
        for at in range(1, min(len(talk), len(other))):
            if other[at] not in seen and talk[at - 1] not in seen:
                seen |= {other[at], talk[at - 1]}
                turns = tuple(Turn("ab"[number % 2], text) for number, text in enumerate(talk[max(0, at - 5) : at]))
                yield Example(f"{len(seen)}", turns, other[at], (talk[at],))


def race(items: list[Example], rounds: int) -> str:
    """Replies a second of each judge, and texts a second of the encoder with the same texts."""
    import torch

    lines = [
        f"{len(items):,} replies, best of {rounds} interleaved rounds",
        "",
        "| judge | threads | replies/s | texts it encodes | judge, seconds | encoder alone | encoder ÷ judge (goal 0.95) |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in JUDGES:
        judge, encoder, texts = create("metric", name), create("encoder", "minilm"), encoded_by(name, items)
        for threads in (1, 2):
            torch.set_num_threads(threads)
            best = {"judge": float("inf"), "encoder": float("inf")}
            for _ in range(rounds):
                ways = {
                    "judge": lambda judge=judge: judge.measure(Corpus.build(items)),
                    "encoder": lambda encoder=encoder, texts=texts: encoder.encode(texts),
                }
                best = {way: min(best[way], timed(work, threads)[0]) for way, work in ways.items()}
            both = best["encoder"] / best["judge"]
            lines.append(
                f"| {name} | {threads} | {len(items) / best['judge']:.0f} | {len(texts):,} | {best['judge']:.2f} "
                f"| {best['encoder']:.2f} | {both:.3f} |"
            )
    return "\n".join(lines)


def encoded_by(name: str, items: list[Example]) -> list[str]:
    """The texts that a judge has encoded to score the items; what it loads is loaded then."""
    heard: list[str] = []
    plain = Minilm.encode

    def listening(self: Minilm, texts: list[str]) -> object:
        heard.extend(texts)
        return plain(self, texts)

    Minilm.encode = listening
    judge = create("metric", name)
    judge.measure(Corpus.build(items))
    Minilm.encode = plain
    return heard


def waiting(items: list[Example]) -> str:
    """Seconds of ``score`` from the command line."""
    lines = [
        f"| `dialometer score -m …`, {len(items)} replies | wall s | CPU s | the paper's, s | ratio |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "replies.jsonl")
        with file.open("w", encoding="utf-8") as opened:
            for item in items:
                row = {"id": item.id, "response": item.response, "references": list(item.references)}
                row["context"] = [{"speaker": turn.speaker, "text": turn.text} for turn in item.context]
                opened.write(json.dumps(row) + "\n")
        for name in JUDGES:
            os.environ["DIALOMETER_CACHE"] = str(Path(folder, f"nothing-{name}"))
            command = ["-m", "dialometer", "score", str(file), "-m", name, "-o", str(Path(folder, name)), "--quiet"]
            cpu, wall, _ = child([sys.executable, *command])
            lines.append(f"| {name} | {wall:.1f} | {cpu:.1f} | {PAPER[1]:,} | {PAPER[1] / wall:.0f}× |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
