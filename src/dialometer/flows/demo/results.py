"""What the demo found, as plain values: kept in its folder, printed by ``--json``, and drawn on its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dialometer.contracts.meta_tables import AdjustedCoefficient
from dialometer.flows.demo.constructed_replies import QUALITY, WAYS
from dialometer.flows.demo.corpus import SmallTalk
from dialometer.flows.demo.labels import renamed
from dialometer.flows.demo.plan import HRED, PARTNER, RERANK, RULES, TFIDF, Plan
from dialometer.flows.play.play import PlayReport
from dialometer.report.pages.meta.conclusions import beyond_chance
from dialometer.stats.validation.length_bias import LENGTH_ONLY

RESULTS = "demo.json"
ABOUT = {
    TFIDF: "retrieval: what followed the most similar context of the corpus (tf-idf)",
    **RULES,
    HRED: "a small hierarchical network, trained on the spot",
    RERANK: "a meta-bot: of one reply of each other bot, the one that autojudge likes best",
    PARTNER: "the fixed partner: the most similar reply of the corpus (tf-idf)",
}


def of_corpus(corpus: SmallTalk) -> dict[str, Any]:
    """Its sizes."""
    return {
        "name": corpus.name, "conversations": len(corpus.talks), "utterances": corpus.turns, "questions": len(corpus.questions)
    }  # fmt: skip


def of_plan(plan: Plan) -> dict[str, Any]:
    """Who takes part and what is left out."""
    return {
        "bots": [{"name": name, "about": ABOUT[name]} for name in plan.bots],
        "left_out": [{"what": what, "why": why, "way": way} for what, why, way in plan.left_out],
    }


def of_play(report: PlayReport) -> dict[str, dict[str, Any]]:
    """Counts of each bot's conversations."""
    kept = ("conversations", "turns", "failed", "words", "distinct-1", "distinct-2", "repeated")
    return {bot: {key: own[key] for key in kept} for bot, own in report.bots.items()}


def of_meta(found: Mapping[str, Any]) -> dict[str, Any]:
    """Per column the correlation with the constructed quality and the mean under each construction; what may be concluded."""
    rows = [
        {"metric": row["metric"], "n": row["n"], "pearson": row["pearson"], "spearman": row["spearman"], "kendall": row["kendall"]}
        for row in found["rows"]
        if row["level"] == "turn" and row["quality"] == QUALITY
    ]  # fmt: skip
    means = {row["metric"]: found["means"][row["metric"]] for row in rows if row["metric"] in found["means"]}
    return {"quality": QUALITY, "human": False, "constructions": {way: value for way, (value, _) in WAYS.items()},
            "n": found["n"], "rows": rows, "means": means, "beyond_chance": _following(rows),
            "better_than_length": _ahead_of_length(found["better"])}  # fmt: skip


def _following(rows: list[dict[str, Any]]) -> list[str]:
    """Metrics that rise with the construction, as meta's own conclusions take it: adjusted p, and an interval without 0."""
    return [
        row["metric"]
        for row in rows
        if row["metric"] != LENGTH_ONLY
        and None not in (row["spearman"]["holm"], row["spearman"]["low"])
        and beyond_chance(msgspec.convert(row["spearman"], AdjustedCoefficient))
        and row["spearman"]["r"] > 0
    ]


def _ahead_of_length(tests: list[dict[str, Any]]) -> list[str]:
    """Metrics that meta's permutation tests find clearly better than the length of a reply."""
    found = []
    for row in tests:
        here = (row["quality"], row["level"], row["kind"]) == (QUALITY, "turn", "spearman")
        if here and LENGTH_ONLY in (row["a"], row["b"]) and row["p_holm"] is not None and row["p_holm"] < 0.05:
            other, ahead = (row["a"], 1) if row["b"] == LENGTH_ONLY else (row["b"], -1)
            found += [other] if ahead * row["difference"] > 0 else []
    return found


def of_compare(found: Mapping[str, Any]) -> dict[str, Any]:
    """Every difference by pair of bots and column, and which columns are no independent evidence."""
    differences: dict[str, dict[str, dict[str, Any]]] = {}
    for row in found["pairs"]:
        cell = {key: row[key] for key in ("difference", "low", "high", "p_holm")} | {"n": row["n_a"]}
        differences.setdefault(f"{row['a']} − {row['b']}", {})[row["metric"]] = cell
    return {
        "pairs": len(differences),
        "differences": differences,
        "depends": found["depends"],
        "notes": [renamed(note) for note in found["notes"]],
    }


def finite(value: float | None) -> float:
    """For sorting: what is absent goes last."""
    return float("-inf") if value is None or value != value else value
