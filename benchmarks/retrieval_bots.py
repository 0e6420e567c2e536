"""Retrieval bots: 10,000 contexts against 100,000 replies beside scikit-learn, and recall@k on DailyDialog.

Rules: one process and one thread per measurement, tokenising included, compiled code warm. Replies are different texts from four
corpora; contexts come from conversations that are not in the pool. scikit-learn gets the same tokens and weights, and multiplies
by blocks of 256 contexts. “ready” is from conversations in memory to the first reply. A dualencoder is as quick untrained as
trained, so that it is not trained for its speed.

Recall: the true reply among nine others, drawn from the replies of the part with other texts. Trained on DailyDialog's train part
without the conversations that share turns with an evaluation set. Designed on the valid part; intervals resample conversations.

    python benchmarks/retrieval_bots.py [--replies 100000] [--contexts 10000]    speed
    python benchmarks/retrieval_bots.py --recall [--work FOLDER] [--part test]   recall; goes on from FOLDER
"""

import argparse
import contextlib
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from pairs import data_folder

from dialometer.bots._retrieval.recall import KS, candidates, chance, recall_at
from dialometer.core.registry import create
from dialometer.core.types import Turn
from dialometer.kernels import jit
from dialometer.text.tokenisers.base import tokeniser

CORPORA = (
    "dailydialog",
    "topical_chat_valid_test",
    "empathetic_dialogues_valid_test",
    "cornell_pairs_sample",
)
MODES = ("context", "response")
WAYS = [*(f"{tool} {mode}" for mode in MODES for tool in ("tfidf", "scikit-learn")), "dualencoder"]
TURNS, BLOCK, SOME = 10, 256, 1000


def rows_of(corpus: str) -> list[dict]:
    """All conversations of a corpus."""
    path = data_folder() / "corpora" / f"{corpus}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(map(json.loads, file))


def texts_of(row: dict) -> list[str]:
    """What was said."""
    return [turn["text"] for turn in row["turns"] if turn["text"].strip()]


def pool_and_contexts(replies: int, contexts: int) -> tuple[list[list[str]], list[tuple[Turn, ...]]]:
    """Conversations with so many different replies, and so many contexts of others."""
    talks = [talk for corpus in CORPORA for talk in map(texts_of, rows_of(corpus)) if len(talk) > 1]
    order = np.random.default_rng(0).permutation(len(talks)).tolist()
    pool, said = [], set()
    while len(said) < replies:
        pool.append(talks[order.pop()])
        said.update(pool[-1][1:])
    asked = [context for context, _ in exchanges(talks[i] for i in reversed(order))]
    if len(asked) < contexts:
        raise SystemExit(f"only {len(asked)} contexts are left: ask for fewer with --contexts")
    return pool, asked[:contexts]


def exchanges(talks) -> list[tuple[tuple[Turn, ...], str]]:
    """Every reply with the turns before it."""
    return [
        (tuple(Turn("ab"[k % 2], text) for k, text in enumerate(talk[:i])), talk[i])
        for talk in talks
        for i in range(1, len(talk))
    ]


class Peer:
    """TfidfVectorizer and blocks of linear_kernel."""

    def __init__(self, mode: str, talks: list[list[str]]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        split = tokeniser("words").tokens
        self.made = TfidfVectorizer(tokenizer=split, token_pattern=None, lowercase=False, smooth_idf=False)
        self.made.fit([" ".join(talk) for talk in talks])
        self.made.idf_ = self.made.idf_ - 1  # ln(N / N_w), as in the paper
        entries = [(" ".join(talk[max(0, i - TURNS) : i]), talk[i]) for talk in talks for i in range(1, len(talk))]
        self.replies = [reply for _, reply in entries]
        if mode == "response":
            self.replies = list(dict.fromkeys(self.replies))
        self.documents = self.made.transform(self.replies if mode == "response" else [before for before, _ in entries])

    def best(self, contexts, n: int = 1) -> list[list[float]]:
        """The cosines of the n best documents."""
        from sklearn.metrics.pairwise import linear_kernel

        asked = self.made.transform(" ".join(turn.text for turn in context[-TURNS:]) for context in contexts)
        found = []
        for at in range(0, asked.shape[0], BLOCK):
            scores = linear_kernel(asked[at : at + BLOCK], self.documents)
            if n == 1:
                found += scores[np.arange(len(scores)), scores.argmax(axis=1)][:, None].tolist()
            else:
                places = np.argpartition(scores, -n, axis=1)[:, -n:]
                found += (-np.sort(-np.take_along_axis(scores, places, axis=1), axis=1)).tolist()
        return found


def made(way: str, talks: list[list[str]]):
    """A bot or its peer, fitted; what finds the n best scores."""
    name, _, mode = way.partition(" ")
    if name == "scikit-learn":
        return Peer(mode, talks).best
    bot = create("bot", f"tfidf(mode={mode},turns={TURNS},own=keep)" if mode else "dualencoder(epochs=0)").fit(talks)
    return lambda contexts, n=1: [[one.score for one in some] for some in bot.best(contexts, n=n)]


def measure(way: str, replies: int, contexts: int) -> dict:
    """One way at one size."""
    talks, asked = pool_and_contexts(replies, contexts)
    jit.PLAIN_STEPS = 0
    made(way, talks[:50])(asked[:5])  # loads packages and compiled code
    before, start = forget_peak(), time.process_time()
    best = made(way, talks)
    best(asked[:1])
    ready = time.process_time() - start
    seconds = []
    for number in (1, 10):
        start = time.process_time()
        scores = best(asked, n=number)
        seconds.append(time.process_time() - start)
    memory = status("VmHWM") - before
    return {"ready": ready, "seconds": seconds, "memory": memory, "scores": [some[0] for some in scores[:SOME]]}


def status(entry: str) -> float:
    """A line of this process's status, in MB; nothing where the system has no such file."""
    path = Path("/proc/self/status")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(entry)), float("nan"))


def forget_peak() -> float:
    """The memory held now; the peak that reading the corpora left is forgotten."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def in_child(way: str, replies: int, contexts: int) -> dict:
    """The same in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, "--one", way, "--replies", str(replies), "--contexts", str(contexts)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{way} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def speed_table(replies: int, contexts: int) -> str:
    """Seconds and memory by way and size."""
    lines = [
        f"{contexts:,} contexts; CPU seconds on one thread",
        "",
        "| pool | way | ready | best reply | 10 best | contexts/s | ratio | memory, MB | largest Δ of cosines |",
        "|---" * 9 + "|",
    ]
    for size in (replies // 4, replies // 2, replies):
        found = {way: in_child(way, size, contexts) for way in WAYS}
        for way, row in found.items():
            peer = found.get(way.replace("tfidf", "scikit-learn")) if way.startswith("tfidf") else None
            ratio = f"{peer['seconds'][0] / row['seconds'][0]:.1f}×" if peer else ""
            delta = f"{np.abs(np.subtract(peer['scores'], row['scores'])).max():.0e}" if peer else ""
            lines.append(
                f"| {size:,} | {way} | {row['ready']:.1f} | {row['seconds'][0]:.2f} | {row['seconds'][1]:.2f} "
                f"| {contexts / row['seconds'][0]:,.0f} | {ratio} | {row['memory']:,.0f} | {delta} |"
            )
    return "\n".join(lines)


def recall_table(work: Path | None, part: str) -> str:
    """Recall of both bots on the same candidates, and the gain of the dual encoder."""
    rows = rows_of("dailydialog")
    with gzip.open(data_folder() / "corpora" / "dailydialog_train_overlap_ids.json.gz") as file:
        leaks = set().union(*json.load(file).values())
    train = [texts_of(row) for row in rows if row["split"] == "train" and row["id"] not in leaks]
    talks = [texts_of(row) for row in rows if row["split"] == part]
    asked = exchanges(talks)
    talk = np.repeat(np.arange(len(talks)), [len(texts) - 1 for texts in talks])
    _, numbers = np.unique([reply for _, reply in asked], return_inverse=True)
    which = candidates(numbers)
    choices = [[asked[j][1] for j in row] for row in which.tolist()]
    lines = [f"{len(asked):,} exchanges of DailyDialog's {part} part, {which.shape[1]} candidates", ""]
    lines += ["| bot | training, CPU-s | " + " | ".join(f"recall@{k} %" for k in KS) + " |", "|---" * (2 + len(KS)) + "|"]
    hits = {}
    for spec in ("tfidf(mode=response)", "dualencoder"):
        bot, seconds = fitted(spec, train, work)
        scores = bot.scores([context for context, _ in asked], choices)
        hits[spec] = [np.array([recall_at(row[None], 0, (k,))[k] for row in scores]) for k in KS]
        cells = " | ".join(interval(hit, talk) for hit in hits[spec])
        lines.append(f"| `{spec}` | {seconds} | {cells} |")
    gains = (interval(b - a, talk) for a, b in zip(*hits.values(), strict=True))
    lines.append(f"| gain | | {' | '.join(gains)} |")
    lines.append("| chance | | " + " | ".join(f"{100 * value:.1f}" for value in chance().values()) + " |")
    return "\n".join(lines)


def fitted(spec: str, talks: list[list[str]], work: Path | None):
    """A bot, trained or read from where it was kept, and the seconds of its training if it was trained now."""
    folder = work / "bot" / create("bot", spec).name if work else None
    if folder and (folder / "thing.json").exists():
        return create("bot", str(folder)), "kept"
    start = time.process_time()
    bot = create("bot", spec).fit(talks, seed=0, work=work / "checkpoints" if work else None)
    seconds = f"{time.process_time() - start:.0f}"
    if folder:
        bot.save(folder)
    return bot, seconds


def interval(hits: np.ndarray, talk: np.ndarray) -> str:
    """A mean in percent with its 95% interval over conversations."""
    sums, counts = np.bincount(talk, hits), np.bincount(talk)
    draws = np.random.default_rng(2).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), 2000)
    low, high = np.percentile(draws @ sums / (draws @ counts), [2.5, 97.5])
    return f"{100 * hits.mean():.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--contexts", type=int, default=10_000)
    parser.add_argument("--recall", action="store_true")
    parser.add_argument("--part", choices=("valid", "test"), default="test")
    parser.add_argument("--work", type=Path, help="keeps checkpoints and trained bots; the same command goes on from there")
    parser.add_argument("--one", choices=WAYS, help="one measurement, as JSON")
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(chosen.one, chosen.replies, chosen.contexts)))
    elif chosen.recall:
        print(recall_table(chosen.work, chosen.part))
    else:
        print(speed_table(chosen.replies, chosen.contexts))


if __name__ == "__main__":
    main()
