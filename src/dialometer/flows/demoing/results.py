"""What the demo found, as plain values: kept in its folder, printed by ``--json``, and drawn on its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from dialometer.flows.demoing.constructed import QUALITY, WAYS
from dialometer.flows.demoing.corpus import Corpus
from dialometer.flows.demoing.plan import HRED, PARTNER, RERANK, RULES, TFIDF, Plan
from dialometer.flows.play import PlayReport
from dialometer.flows.running import read_results
from dialometer.flows.score import ScoreReport
from dialometer.store.runs import Run

RESULTS = "demo.json"
ABOUT = {
    TFIDF: "retrieval: what followed the most similar context of the corpus (tf-idf)",
    **RULES,
    HRED: "a small hierarchical network, trained on the spot",
    RERANK: "a meta-bot: of one reply of each other bot, the one that autojudge likes best",
    PARTNER: "the fixed partner: the most similar reply of the corpus (tf-idf)",
}
Cells = dict[str, dict[str, dict[str, Any]]]


def of_corpus(corpus: Corpus) -> dict[str, Any]:
    """Its sizes."""
    return {
        "name": corpus.name, "conversations": len(corpus.talks), "utterances": corpus.turns, "questions": len(corpus.questions)
    }  # fmt: skip


def of_plan(plan: Plan, labels: Mapping[str, str]) -> dict[str, Any]:
    """Who takes part and what is left out."""
    spelt = {name: label for label, name in labels.items()}
    return {
        "bots": [{"name": name, "label": spelt[name], "about": ABOUT[name]} for name in plan.bots],
        "left_out": [{"what": what, "why": why, "way": way} for what, why, way in plan.left_out],
    }


def of_play(report: PlayReport, labels: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Counts of each bot's conversations."""
    kept = ("conversations", "turns", "failed", "words", "distinct-1", "distinct-2", "repeated")
    return {labels[label]: {key: own[key] for key in kept} for label, own in report.bots.items()}


def of_scores(report: ScoreReport, labels: Mapping[str, str]) -> Cells:
    """Means with intervals by bot and column."""
    systems: Cells = report.to_json()["systems"]
    return {labels[label]: own for label, own in systems.items()}


def of_meta(found: Mapping[str, Any]) -> dict[str, Any]:
    """Per column the correlation with the constructed quality and the mean under each construction."""
    rows = [
        {"metric": row["metric"], "n": row["n"], "pearson": row["pearson"], "spearman": row["spearman"], "kendall": row["kendall"]}
        for row in found["rows"]
        if row["level"] == "turn" and row["quality"] == QUALITY
    ]  # fmt: skip
    means = {name: own for name, own in found["means"].items() if not name.startswith("human: ")}
    return {"quality": QUALITY, "human": False, "constructions": {way: value for way, (value, _) in WAYS.items()},
            "n": found["n"], "rows": rows, "means": means}  # fmt: skip


def of_compare(found: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """How many pairs there are, and the sentences with short names."""
    said = [_renamed(sentence, labels) for sentence in found["conclusions"]]
    pairs = {(row["a"], row["b"]) for row in found["pairs"]}
    return {"pairs": len(pairs), "conclusions": said, "notes": found["notes"]}


def of_cautions(reports: Mapping[str, ScoreReport]) -> dict[str, list[str]]:
    """What the metrics said against being used on each of these."""
    kept = {name: orjson.loads((Path(report.run) / "summary.json").read_bytes()) for name, report in reports.items()}
    return {name: list(summary.get("cautions", ())) for name, summary in kept.items()}


def kept_results(run: Run) -> dict[str, Any]:
    """Of a finished run."""
    return read_results(run, RESULTS)


def _renamed(sentence: str, labels: Mapping[str, str]) -> str:
    for label in sorted(labels, key=len, reverse=True):
        sentence = sentence.replace(label, labels[label])
    return sentence
