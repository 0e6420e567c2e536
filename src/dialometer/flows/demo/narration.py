"""What the demo says while it runs: a sentence before each step, and what came out after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dialometer.contracts.train import GenerativeTrainResult, TrainResult
from dialometer.flows.demo.corpus import SmallTalk
from dialometer.flows.demo.labels import listed, shown
from dialometer.flows.demo.plan import AMFM, FEATURES, HRED, HYBRID, JUDGE, RERANK, Plan
from dialometer.flows.demo.results import finite
from dialometer.flows.play.play import PlayReport
from dialometer.stats.validation.length_bias import LENGTH_ONLY

HEADLINES = ("hybrid", "autojudge", "am-fm", "meteor", "words")  # what a line of results is about: the first there is


@dataclass(frozen=True)
class Words:
    """Sentences about a plan of so many conversations and turns."""

    plan: Plan
    n: int
    turns: int

    def left_out(self) -> list[str]:
        """A line for each part whose packages are not here."""
        return [f"left out: {what}: {why}\n  → {way}" for what, why, way in self.plan.left_out]

    def corpus(self, corpus: SmallTalk) -> str:
        """Of reading."""
        return f"Reading {corpus.name}, and holding out questions that it answers in several ways."

    def wrote_corpus(self, corpus: SmallTalk) -> Callable[[object], str]:
        """What there is to learn from."""
        said = f"{len(corpus.talks):,} conversations to learn from, {len(corpus.questions)} questions held out"
        return lambda _: said

    def training(self) -> str:
        """Of everything that learns."""
        network = ", a small network (hred)" if HRED in self.plan.bots else ""
        return f"Training what learns from them: two retrieval bots{network}, and the metric {AMFM}."

    def trained(self, reports: Mapping[str, TrainResult]) -> str:
        """The network's perplexity, if there is one."""
        network = reports.get(HRED)
        if not isinstance(network, GenerativeTrainResult):
            return f"trained: {', '.join(reports)}"
        return f"hred's perplexity per word on {network.turns} replies that it did not learn from: {network.perplexity:.0f}"

    def self_play(self) -> str:
        """Of bots with themselves."""
        meta = f"; {RERANK} chooses among the others' replies by {JUDGE}" if self.plan.reranks else ""
        return f"Letting each bot talk with itself ({', '.join(self.plan.bots)}): {self._size()}{meta}."

    def cross_play(self) -> str:
        """Of bots with the partner."""
        return f"Letting each bot talk with the same partner, a retrieval bot that is none of them: {self._size()}."

    def played(self, report: PlayReport) -> str:
        """How much was said, and how often again."""
        repeated = [f"{bot} {100 * own['repeated']:.0f}%" for bot, own in report.bots.items()]
        return f"{report.total('turns'):,} turns; repeated within a conversation: {', '.join(repeated)}"

    def answering(self, corpus: SmallTalk) -> str:
        """Of replies to questions with known answers."""
        means = listed([name.partition("(")[0] for name in self.plan.of_answers])
        return f"Asking every bot the {len(corpus.questions)} held-out questions; scoring the replies by {means}."

    def scoring(self) -> str:
        """Of whole conversations."""
        parts = [shown(name) for name in (JUDGE, HYBRID) if name in self.plan.metrics]
        features = ["the features of each conversation"] if FEATURES in self.plan.metrics else []
        return f"Scoring all conversations by {listed([*parts, *features, 'counts of words'])}."

    def best(self, cells: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
        """The headline column, bots from highest to lowest."""
        column = next(name for name in HEADLINES if all(name in own for own in cells.values()))
        means = {bot: finite(own[column]["mean"]) for bot, own in cells.items()}
        ranked = sorted(means, key=lambda bot: -means[bot])
        return f"{shown(column)}: {', '.join(f'{bot} {means[bot]:.2f}' for bot in ranked)}"

    def validating(self) -> str:
        """Of metrics beside quality by construction."""
        return "Asking whether the metrics know good replies from spoilt ones; quality here was constructed, nobody rated anything."

    def validated(self, found: Mapping[str, Any]) -> str:
        """The three columns that follow the construction best."""
        rows = sorted(found["rows"], key=lambda row: -finite(row["spearman"]["r"]))[:3]
        metrics = sum(row["metric"] != LENGTH_ONLY for row in found["rows"])
        told = ", ".join(f"{shown(row['metric'])} {finite(row['spearman']['r']):.2f}" for row in rows)
        sure = f"beyond chance: {len(found['beyond_chance'])} of {metrics} metrics"
        return f"Spearman with the constructed quality, highest: {told}; {sure}"

    def comparing(self) -> str:
        """Of paired tests."""
        who = f"{RERANK} with the bots it chose from" if self.plan.reranks else "the bots"
        return f"Comparing {who}, opener by opener, with corrected tests."

    def compared(self, found: Mapping[str, Any]) -> str:
        """What was found out."""
        return f"{found['pairs']} pairs of bots; what they show is on the page"

    def _size(self) -> str:
        return f"{self.n} conversations of {self.turns} turns each"
