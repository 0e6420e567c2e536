"""Next-utterance retrieval: does training an encoder help? One true reply and 99 others, ranked by cosine to the utterance before.

Trained on the conversations of DailyDialog's train part; asked about conversations that share no adjacent pair of utterances
with it: of DailyDialog's test part, which the encoders were designed on, and of PersonaChat, which was looked at once, at the end.
An untrained encoder has the same shape, words and whitening, and the weights that training began with. Intervals resample
conversations.

    python benchmarks/retrieval.py [--queries 2000] [--talks 11118] [--work FOLDER] [SPEC …]
"""

import argparse
import gzip
import json
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from pairs import data_folder

from dialometer.core.registry import create

SPECS = [
    "skipthought(epochs=0)",
    "skipthought(epochs=1)",
    "tweet2vec(epochs=0)",
    "tweet2vec(epochs=1)",
    "average",
    "minilm",
]
OTHERS = 99


Questions = tuple[list[str], list[str], np.ndarray]


def talks_of(corpus: str, part: str = "") -> list[list[str]]:
    """The conversations of a corpus, or of one part of it."""
    path = data_folder() / "corpora" / f"{corpus}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: set DIALOMETER_DATA to the folder of the shared data sets")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = [talk for talk in map(json.loads, file) if not part or talk["split"] == part]
    return [[turn["text"] for turn in talk["turns"]] for talk in found]


def questions(train: list[list[str]], test: list[list[str]], number: int) -> Questions:
    """Utterances, true replies and conversations of test pairs, from conversations without a pair of the train part."""

    def pairs(talk: list[str]) -> list[tuple[str, str]]:
        return list(pairwise(" ".join(text.lower().split()) for text in talk))

    known = {pair for talk in train for pair in pairs(talk)}
    fresh = [talk for talk in test if not known & set(pairs(talk))]
    asked = [(before, after, row) for row, talk in enumerate(fresh) for before, after in pairwise(talk)]
    chosen = sorted(np.random.default_rng(0).permutation(len(asked))[:number])
    print(f"{len(fresh)} of {len(test)} conversations share no pair with the train part; {len(chosen)} questions of these.")
    before, after, row = zip(*(asked[i] for i in chosen), strict=True)
    return list(before), list(after), np.array(row)


def ranks(encoder, before: list[str], after: list[str], talk: np.ndarray) -> np.ndarray:
    """How many of 99 replies from other conversations are as near as the true one, or nearer."""
    texts = list(dict.fromkeys(before + after))
    place = {text: row for row, text in enumerate(texts)}
    vectors = np.asarray(encoder.encode(texts), float)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    rng = np.random.default_rng(1)
    found = []
    for i, text in enumerate(before):
        others = rng.permutation(np.flatnonzero(talk != talk[i]))[:OTHERS]
        scores = vectors[[place[after[j]] for j in others]] @ vectors[place[text]]
        true = vectors[place[after[i]]] @ vectors[place[text]]
        found.append((scores >= true).sum())
    return np.array(found)


def interval(hits: np.ndarray, talk: np.ndarray) -> str:
    """A mean in percent with its 95% interval over conversations."""
    _, cluster = np.unique(talk, return_inverse=True)
    sums, counts = np.bincount(cluster, hits), np.bincount(cluster)
    draws = np.random.default_rng(2).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), 2000)
    low, high = np.percentile(draws @ sums / (draws @ counts), [2.5, 97.5])
    return f"{100 * hits.mean():.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def main() -> None:
    """Train what is trained, ask, print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=SPECS)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--talks", type=int, default=11_118)
    parser.add_argument(
        "--work", type=Path, help="keeps checkpoints and trained encoders; the same command goes on from there"
    )
    asked = parser.parse_args()
    train = talks_of("dailydialog", "train")
    parts = {"DailyDialog test": talks_of("dailydialog", "test"), "PersonaChat": talks_of("personachat_dialogrpt_test")}
    sets = {name: questions(train, talks, asked.queries) for name, talks in parts.items()}
    heads = [f"{name}, recall@{k} %" for name in sets for k in (1, 10)]
    print(
        f"\n| encoder | width | training, CPU-s | validation loss | {' | '.join(heads)} |\n|---|---|---|---|{'---|' * len(heads)}"
    )
    hits: dict[str, list[np.ndarray]] = {}
    for spec in asked.specs:
        encoder, seconds = create("encoder", spec), time.process_time()
        losses = ""
        if hasattr(encoder, "fit") and not getattr(encoder, "model", ""):
            work = asked.work / "".join(c if c.isalnum() else "-" for c in spec) if asked.work else None
            encoder = encoder.fit(train[: asked.talks], seed=0, work=work)
            losses = " ".join(f"{loss:.3f}" for loss in encoder.learnt.facts["validation"])
        seconds = time.process_time() - seconds
        cells, hits[spec] = [], []
        for before, after, talk in sets.values():
            rank = ranks(encoder, before, after, talk)
            hits[spec] += [(rank < k).astype(float) for k in (1, 10)]
            cells += [interval(found, talk) for found in hits[spec][-2:]]
        print(f"| `{spec}` | {encoder.width} | {seconds:.0f} | {losses} | {' | '.join(cells)} |", flush=True)
    talks = [talk for _, _, talk in sets.values() for _ in (1, 10)]
    for spec in hits:
        if "epochs=0" not in spec and (before := spec.partition("(")[0] + "(epochs=0)") in hits:
            gains = [interval(a - b, talk) for a, b, talk in zip(hits[spec], hits[before], talks, strict=True)]
            print(f"| `{spec}` − untrained | | | | {' | '.join(gains)} |")


if __name__ == "__main__":
    main()
