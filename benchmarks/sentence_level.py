"""Sentence level on rated sets: every metric's correlation with people, intervals clustered by context.

Metrics that learn from text are fitted on conversations that share no utterance of more than 20 characters with what is scored.
Nothing in the tables is tuned; below them stands AM-FM tuned in folds by context, judged on folds that did not choose.

python benchmarks/sentence_level.py [FOLDER for the cross-plots]
"""

import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from known_answers import DATA

from dialometer.contracts.score import ScoreRequest, ScoreResult
from dialometer.contracts.train import TrainRequest, TunedTrainResult
from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example
from dialometer.data import examples, open_items
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train
from dialometer.stats.correlation.correlate import correlate, draw_correlations, spearman
from dialometer.text.training_overlap import overlap, seen_texts

OVERLAP = ("bleu", "rouge", "meteor", "cider")
PLAIN = (
    *OVERLAP, "length", "embedding", "embedding(weights=idf)", "embedding(weights=sif)", "sentence",
    "sentence(encoder=average)", "bertscore", "bertscore(idf=references)",
)  # fmt: skip
EXTRAS = {
    "pm": "pm=0.3",
    "polarity": "polarity=0.5",
    "entities": "entities=0.5",
    "all three": "pm=0.3,polarity=0.5,entities=0.5",
}


@dataclass(frozen=True)
class Rated:
    """A set with ratings: which items count, which quality, and the conversations to fit on."""

    file: str
    quality: str
    corpus: str
    keeps: Callable[[Example], bool]


SETS = {
    "zhao_dailydialog": Rated(
        "turns/zhao_dailydialog.jsonl.gz",
        "appropriateness",
        "corpora/dailydialog.jsonl.gz",
        lambda e: e.system != "ground-truth",
    ),
    "usr_topicalchat": Rated(
        "turns/usr_topicalchat.jsonl.gz",
        "Overall",
        "corpora/topical_chat_valid_test.jsonl.gz",
        lambda e: bool(e.references),
    ),
}


def main() -> None:
    """A table per set, then what the parts beyond the paper change."""
    with tempfile.TemporaryDirectory() as folder:
        for name, rated in SETS.items():
            Path(folder, name).mkdir()
            report_set(name, rated, Path(folder, name))


def report_set(name: str, rated: Rated, folder: Path) -> None:
    """Fit, score and print one set."""
    items = [item for item in examples(DATA / rated.file) if rated.keeps(item)]
    create("format", "jsonl").write(items, folder / "items.jsonl")
    kept, of = write_talks(rated, items, folder / "talks.jsonl")
    classic = train(TrainRequest("amfm", (str(folder / "talks.jsonl"),), output=str(folder / "amfm"))).run
    likelihood = train(TrainRequest("ngram", (str(folder / "talks.jsonl"),), output=str(folder / "lm"))).run
    lsi = train(TrainRequest("lsi(k=100)", (str(folder / "talks.jsonl"),), output=str(folder / "lsi"))).run
    neural = f"amfm(am=minilm,fm={likelihood})"
    fitted = (neural, f"amfm(am={lsi},fm={likelihood})")
    extras = tuple(f"{neural[:-1]},{options})" for options in EXTRAS.values())
    metrics = (*PLAIN, classic, *fitted, *extras)
    report = score(ScoreRequest((str(folder / "items.jsonl"),), metrics, resamples=0, output=str(folder / "run")))
    columns = named(report, folder)
    human = np.array([np.mean([v for v in item.ratings[rated.quality] if v is not None]) for item in items])
    groups = np.unique([item.document for item in items], return_inverse=True)[1]
    print(f"\n## {name}, {rated.quality}\n")
    print(
        f"{len(items)} responses to {groups.max() + 1} contexts; fitted on {kept:,} of {of:,} conversations of {rated.corpus}.\n"
    )
    print("| column | Spearman | Pearson |\n|---|---|---|")
    rows = {c: [correlate(v, human, groups, kind=k) for k in ("spearman", "pearson")] for c, v in columns.items()}
    for column, found in sorted(rows.items(), key=lambda row: -row[1][0].r if row[1][0].r == row[1][0].r else 9):
        print(f"| {column} | " + " | ".join(f"{c.r:.3f} [{c.low:.3f}, {c.high:.3f}]" for c in found) + " |")
    against_best(columns, human, groups)
    tune(name, rated, folder)
    print(f"\nOverlap of what is scored with what was fitted on: {json.dumps(report.overlap[next(iter(report.overlap))])}.")


def tune(name: str, rated: Rated, folder: Path) -> None:
    """AM-FM tuned against these very ratings, in folds."""
    talks, items = str(folder / "talks.jsonl"), str(folder / "items.jsonl")
    found = train(TrainRequest("amfm", (talks,), tune=(items,), quality=rated.quality, output=str(folder / "tuned")))
    assert isinstance(found, TunedTrainResult)
    tuning = found.tuning
    print(
        f"\nAM-FM tuned by Pearson in 5 folds, {tuning.variants} variants: {tuning.inside:.3f} where it was chosen, "
        f"{tuning.held_out:.3f} on folds that did not choose; chosen on all: {json.dumps(tuning.chosen.to_json())}."
    )
    if sys.argv[1:]:
        target = Path(sys.argv[1])
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "tuned" / "crossplots.png", target / f"{name}.png")
        print(f"\n![Best, middle and worst system: AM-FM, embedding average, people]({target.name}/{name}.png)")


def write_talks(rated: Rated, items: list[Example], path: Path) -> tuple[int, int]:
    """The training conversations that share no utterance with contexts or references; how many of how many."""
    seen = seen_texts(
        text for item in items for text in (*item.references, *(turn.text for turn in item.context)) if len(text) > 20
    )
    listed = set()
    if "dailydialog" in rated.corpus:
        with gzip.open(DATA / "corpora" / "dailydialog_train_overlap_ids.json.gz") as file:
            listed = {name for names in json.load(file).values() for name in names}
    talks = [
        t
        for t in open_items(DATA / rated.corpus)
        if isinstance(t, Dialogue) and t.extra.get("split") not in ("valid", "test")
    ]
    kept = [t for t in talks if t.id not in listed and not overlap([turn.text for turn in t.turns], seen).any()]
    create("format", "jsonl").write(kept, path)
    return len(kept), len(talks)


def named(report: ScoreResult, folder: Path) -> dict[str, np.ndarray]:
    """Columns by short names: the folders of fitted things spelt out."""
    names = {str(folder / "lm"): "ngram", str(folder / "lsi"): "lsi-100", str(folder / "amfm"): "amfm, k = 10"}
    columns = {}
    for column, values in report.scores().columns.items():
        if "coverage" in column or column in ("chars", "words-difference"):
            continue
        for path, short in names.items():
            column = column.replace(path, short)
        spec, _, part = column.rpartition(":")
        if "=0." in spec and part != "am-fm":
            continue  # of the variants with additions only the whole is of interest
        columns[column] = values
    return columns


def against_best(columns: dict[str, np.ndarray], human: np.ndarray, groups: np.ndarray) -> None:
    """Paired differences in Spearman: to the best word-overlap metric, and of each addition to plain AM-FM."""
    words = [c for c in columns if c.startswith(("bleu", "rouge", "meteor", "cider"))]
    best = max(words, key=lambda c: spearman(columns[c], human))
    whole = [c for c in columns if c.endswith("am-fm")]
    base = next(c for c in whole if "minilm" in c and not any(option in c for option in ("pm=", "polarity", "entities")))
    neural = [c for c in columns if c in ("sentence:sentence-cosine", "bertscore:bertscore-f1")]
    pairs = [(c, best) for c in (*(c for c in whole if "=0." not in c), *neural)]
    pairs += [(c, base) for c in whole if "=0." in c]
    print("\n| Spearman, paired difference | Δ | 95% interval |\n|---|---|---|")
    for a, b in pairs:
        draws = draw_correlations([columns[a], columns[b]], human, groups, kind="spearman", resamples=2000, seed=0)
        low, high = np.quantile(draws[:, 0] - draws[:, 1], [0.025, 0.975])
        print(
            f"| {a} − {b} | {spearman(columns[a], human) - spearman(columns[b], human):+.3f} | [{low:+.3f}, {high:+.3f}] |"
        )


if __name__ == "__main__":
    main()
