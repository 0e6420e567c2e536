"""Sentence vectors of MiniLM: ours against the bare forward pass of the same model and against sentence-transformers.

Rules of the race: distinct real texts, the same weights and the same threads, rounds interleaved, the best round counts. Ours and
sentence-transformers start from text; the bare BertModel gets token ids, sorted by length and padded in batches of 64, and nothing
is done with what it returns. One thread is timed in CPU seconds, several in seconds of the clock.

    python benchmarks/embedding_minilm.py                     the table, 5,000 texts
    python benchmarks/embedding_minilm.py --texts 20000       more of them
    python benchmarks/embedding_minilm.py --memory            ours alone, for its peak memory
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pairs import distinct_pairs

from dialometer.core.registry import create
from dialometer.text.corpus import Corpus
from dialometer.text.texts import Texts
from dialometer.text.vectors.sentences import sentence_vectors

Times = dict[tuple[str, int], float]


def main() -> None:
    """Race, repeat with the vectors kept on disk, weigh."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--memory", action="store_true", help="encode once and print the peak memory")
    chosen = parser.parse_args()
    texts = [text for pair in zip(*distinct_pairs(chosen.texts // 2), strict=True) for text in pair]
    if chosen.memory:
        create("encoder", "minilm").encode(texts)
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
        return
    times, deltas = race(texts, chosen.threads, chosen.rounds)
    print(markdown(times, len(texts), chosen.threads, chosen.rounds))
    print("\nlargest difference to ours: " + ", ".join(f"{who} {delta:.0e}" for who, delta in deltas.items()))
    print("\n" + kept(texts))
    command = [sys.executable, __file__, "--memory", "--texts", str(chosen.texts)]
    peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    print(f"\npeak memory of a process that encodes them all, torch and weights included: {peak}")


def race(texts: list[str], threads: list[int], rounds: int) -> tuple[Times, dict[str, float]]:
    """The best time of each tool with each number of threads, and how far their vectors are from ours."""
    import torch

    os.environ["HF_HUB_OFFLINE"] = "1"
    encoder = create("encoder", "minilm")
    bare, sentences = bare_forward(encoder, texts), sentence_transformers(encoder, texts)
    times: Times = {}
    found: dict[str, np.ndarray] = {}
    for _ in range(rounds):
        for n in threads:
            torch.set_num_threads(n)
            os.environ["TOKENIZERS_PARALLELISM"] = "false" if n == 1 else "true"
            for who, work in {
                "ours": lambda: encoder.encode(texts),
                "bare": bare,
                "sentence-transformers": sentences,
            }.items():
                seconds, value = timed(work, n)
                times[who, n] = min(seconds, times.get((who, n), float("inf")))
                if value is not None:
                    found[who] = value
    mine = found.pop("ours")
    return times, {who: float(np.abs(theirs - mine).max()) for who, theirs in found.items()}


def timed(work: Callable[[], object], threads: int) -> tuple[float, object]:
    """Seconds and the result: of the processor for one thread, of the clock for several."""
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    value = work()
    return clock() - start, value


def bare_forward(encoder, texts: list[str]) -> Callable[[], None]:
    """Hugging Face's BertModel over ready batches."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertModel

    folder = encoder._folder().path
    tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokeniser.enable_truncation(256)
    tokeniser.no_padding()
    rows = sorted((encoding.ids for encoding in tokeniser.encode_batch(texts)), key=len)
    batches = []
    for at in range(0, len(rows), 64):
        part = rows[at : at + 64]
        width = max(map(len, part))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in part])
        batches.append((ids, torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in part])))
    net = BertModel.from_pretrained(folder).eval()

    def run() -> None:
        with torch.inference_mode():
            for ids, mask in batches:
                net(input_ids=ids, attention_mask=mask)

    return run


def sentence_transformers(encoder, texts: list[str]) -> Callable[[], np.ndarray]:
    """Its ``encode`` as it comes."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(encoder._folder().path), device="cpu")
    return lambda: model.encode(texts)


def kept(texts: list[str]) -> str:
    """A corpus whose vectors are encoded and kept, then another corpus of the same texts."""
    before = os.environ.get("DIALOMETER_CACHE")
    encoder, rows, seconds, found = create("encoder", "minilm"), np.arange(len(texts)), [], []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIALOMETER_CACHE"] = folder
        for _ in range(2):
            none = Corpus.of([]).references
            corpus = Corpus(Texts.of(texts), np.zeros(0, np.int32), none, none, Texts.of([]), keep=True)
            start = time.perf_counter()
            found.append(sentence_vectors(corpus, encoder, rows))
            seconds.append(time.perf_counter() - start)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.vec")) / 2**20
    os.environ.pop("DIALOMETER_CACHE") if before is None else os.environ.update(DIALOMETER_CACHE=before)
    same = "the same bits" if np.array_equal(*found) else "OTHER BITS"
    return (
        f"first call {seconds[0]:.2f} s, second call {seconds[1]:.3f} s from {size:.1f} MB on disk: "
        f"{seconds[0] / seconds[1]:.0f}×, {same}"
    )


def markdown(times: Times, texts: int, threads: list[int], rounds: int) -> str:
    """Sentences a second, and ours as a multiple of each."""
    lines = [
        f"{texts:,} distinct texts, best of {rounds} interleaved rounds",
        "",
        "| threads | ours sentences/s | bare BertModel | sentence-transformers | ours ÷ bare (goal 0.9) | ÷ the other |",
        "|---|---|---|---|---|---|",
    ]
    for n in threads:
        ours, bare, sentences = (texts / times[who, n] for who in ("ours", "bare", "sentence-transformers"))
        lines.append(f"| {n} | {ours:.0f} | {bare:.0f} | {sentences:.0f} | {ours / bare:.2f} | {ours / sentences:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
