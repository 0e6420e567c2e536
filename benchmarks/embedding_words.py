"""Embedding average, vector extrema and greedy matching against the way nlg-eval computes them.

nlg-eval itself wants gensim and a 1 GB model file, so a stand-in does its steps: numpy per text, scikit-learn's
``cosine_similarity`` of all responses with all references for average and extrema (only the diagonal is used), and once
per pair for greedy matching. Both sides cut the same texts, which are tokenised already: it by NLTK's word tokeniser as
nlg-eval does, ours at white space, with equal tokens. Its dictionary of vectors is made for nothing; ours looks words up.
Its n × n matrices cost more per pair the more pairs there are, so it gets few.

    python benchmarks/embedding.py               the race
    python benchmarks/embedding.py --growth      20k, 100k, 300k pairs, peak memory
    python benchmarks/embedding.py --cores       one process and two
"""

import argparse
import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pairs import distinct_pairs

from dialometer.core.registry import create
from dialometer.text.corpus import Corpus


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--peer-pairs", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--vectors", default="wordllama")
    parser.add_argument("--growth", action="store_true", help="growth of time and memory")
    parser.add_argument("--cores", action="store_true", help="one process and two, through the command line")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 100_000, 300_000])
    parser.add_argument("--one-size", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one_size:
        print(json.dumps(one_size(chosen.one_size, chosen.vectors)))
    elif chosen.growth:
        growth(chosen.sizes, chosen.vectors)
    elif chosen.cores:
        cores(chosen.sizes[1], chosen.vectors)
    else:
        race(chosen.pairs, chosen.peer_pairs, chosen.rounds, chosen.vectors)


def race(pairs: int, peer_pairs: int, rounds: int, vectors: str) -> None:
    """Ours on all pairs, the stand-in on the first few; both orders of a round, best of each."""
    responses, references = distinct_pairs(pairs)
    spec = f"embedding(variant=nlg-eval,tok=whitespace,vectors={vectors})"
    cut = word_tokeniser()
    responses, references = ([" ".join(cut(text)) for text in side] for side in (responses, references))
    few = [side[:peer_pairs] for side in (responses, references)]
    table = dictionary(few, vectors)
    ours(spec, responses[:2000], references[:2000])  # loads compiled kernels
    gc.collect()
    gc.freeze()
    times: dict[str, list[float]] = {"ours": [], "stand-in": []}
    for _ in range(rounds):
        mine, seconds = timed(ours, spec, responses, references)
        times["ours"].append(seconds / pairs)
        theirs, seconds = timed(nlg_eval, *few, table)
        times["stand-in"].append(seconds / peer_pairs)
    ratios = sorted(b / a for a, b in zip(times["ours"], times["stand-in"], strict=True))
    delta = np.abs(mine[:peer_pairs, :3] - theirs).max()
    print(f"{vectors}, one thread, CPU time, best of {rounds} interleaved rounds\n")
    print("| | pairs | pairs/s | ratio | ratio by round | Δ |\n|---|---|---|---|---|---|")
    print(f"| nlg-eval's way | {peer_pairs:,} | {1 / min(times['stand-in']):,.0f} | 1× | | |")
    ratio = min(times["stand-in"]) / min(times["ours"])
    spread = " ".join(f"{value:.0f}×" for value in ratios)
    print(f"| ours | {pairs:,} | {1 / min(times['ours']):,.0f} | {ratio:.0f}× | {spread} | {delta:.0e} |")


def ours(spec: str, responses: list[str], references: list[str]) -> np.ndarray:
    """Item scores from bare texts, nothing remembered between calls."""
    metric = create("metric", spec)
    return metric.finish(metric.measure(Corpus.of(responses, [[text] for text in references])), level="item")


def word_tokeniser():
    """NLTK's tokeniser of words, which nlg-eval calls after a sentence splitter that is left out here."""
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize


def dictionary(sides: list[list[str]], vectors: str) -> dict[str, np.ndarray]:
    """Word → vector; the key "" holds the vector of unknown words."""
    source = create("vector", vectors)
    words = sorted({word for side in sides for text in side for word in text.split()})
    found, known = source.look_up(words)
    return {"": source.centre} | {w: v for w, v, k in zip(words, found, known, strict=True) if k}


def nlg_eval(responses: list[str], references: list[str], table: dict[str, np.ndarray]) -> np.ndarray:
    """The stand-in: three scores per pair."""
    from sklearn.metrics.pairwise import cosine_similarity

    cut, sides = word_tokeniser(), []
    for texts in (responses, references):
        words = [[table.get(word, table[""]) for word in cut(text)] for text in texts]
        means = [np.sum(vectors, axis=0) / np.linalg.norm(np.sum(vectors, axis=0)) for vectors in words]
        extrema = [[extreme(*pair) for pair in zip(np.max(v, axis=0), np.min(v, axis=0), strict=True)] for v in words]
        sides.append((words, means, extrema))
    average, extremes = (cosine_similarity(sides[0][k], sides[1][k]).diagonal() for k in (1, 2))
    greedy = []
    for mine, theirs in zip(sides[0][0], sides[1][0], strict=True):
        found = cosine_similarity(theirs, mine)
        greedy.append((found.max(axis=0).mean() + found.max(axis=1).mean()) / 2)
    return np.stack([average, extremes, greedy], axis=1)


def extreme(high: float, low: float) -> float:
    """nlg-eval's choice between the largest and the smallest value of a dimension."""
    if low > 0:
        return high
    return high if low < 0 and high > -low else low


def timed(work, *arguments) -> tuple[np.ndarray, float]:
    """A result and its CPU seconds."""
    gc.collect()
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start


def pairs_of(size: int) -> tuple[list[str], list[str]]:
    """Distinct pairs; beyond those there are, texts get a word more to be distinct again."""
    responses, references = distinct_pairs(min(size, 20_000))
    extra = [
        "",
        "indeed",
        "really",
        "today",
        "then",
        "again",
        "maybe",
        "well",
        "still",
        "too",
        "now",
        "yes",
        "no",
        "so",
        "ok",
    ]
    rounds = -(-size // len(responses))
    grown = [[f"{text} {extra[n]}".strip() for n in range(rounds) for text in side] for side in (responses, references)]
    return grown[0][:size], grown[1][:size]


def one_size(size: int, vectors: str) -> dict[str, float]:
    """Shards of 50,000, as `dialometer score` has them: CPU seconds, peak memory, values that are not finite."""
    responses, references = pairs_of(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wrong = time.process_time(), 0
    for at in range(0, size, 50_000):
        scores = ours(f"embedding(vectors={vectors})", responses[at : at + 50_000], references[at : at + 50_000])
        wrong += int((~np.isfinite(scores)).sum())
    seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "before": before / 1e6,
        "wrong": wrong,
    }


def growth(sizes: list[int], vectors: str) -> None:
    """A process of its own for each size."""
    print("| pairs | CPU s | pairs/s | peak GB | of it the texts | not finite |\n|---|---|---|---|---|---|")
    for size in sizes:
        command = [sys.executable, __file__, "--one-size", str(size), "--vectors", vectors]
        done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = json.loads(done.splitlines()[-1])
        speed = f"{size / found['seconds']:,.0f}"
        print(
            f"| {size:,} | {found['seconds']:.1f} | {speed} | {found['peak']:.2f} | {found['before']:.2f} | {found['wrong']} |",
            flush=True,
        )


def cores(size: int, vectors: str) -> None:
    """The command line with one process and with two, wall clock; a first, uncounted run fills the cache for both."""
    responses, references = pairs_of(size)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "pairs.jsonl")
        rows = zip(responses, references, strict=True)
        lines = (json.dumps({"id": str(n), "response": a, "references": [b]}) for n, (a, b) in enumerate(rows))
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print("| engine | wall s |\n|---|---|")
        for turn, engine in enumerate(("serial", "serial", "processes:2")):
            command = [sys.executable, "-m", "dialometer", "score", str(file), "-m", f"embedding(vectors={vectors})"]
            command += ["--engine", engine, "-o", str(Path(name, f"run-{turn}")), "--quiet"]
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            if turn:
                print(f"| {engine} | {time.perf_counter() - start:.1f} |", flush=True)


if __name__ == "__main__":
    main()
