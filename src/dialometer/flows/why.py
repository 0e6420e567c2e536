"""why: one response under every variant of a metric, with the arithmetic shown."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from dialometer.contracts.why import WhyRequest
from dialometer.core.errors import NeedsError, UnknownName, UsageError
from dialometer.core.protocols import Explains, Prepares, Progress
from dialometer.core.recipes import recipe
from dialometer.core.registry import create, read_spec
from dialometer.core.types import Example
from dialometer.data import examples
from dialometer.flows.shared.runs import build_tables
from dialometer.text.corpus import Corpus
from dialometer.text.dialogues import conversation_of


@dataclass(frozen=True)
class Explanation:
    """The lines behind one metric's number."""

    recipe: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class WhyReport:
    """The response with what belongs to it, and each explanation."""

    example: Example
    explanations: tuple[Explanation, ...]


def why(request: WhyRequest, *, progress: Progress = lambda stage, done, total: None) -> WhyReport:
    """Find the response, make every variant, explain."""
    if not request.metrics:
        raise UsageError("no metric was named", "-m bleu")
    metrics = [variant for spec in request.metrics for variant in _variants(spec, request.tok)]
    whole = any(isinstance(metric, Prepares) or metric.unit == "dialogue" for metric in metrics)
    found, others = _find(request, whole)
    build_tables(metrics, progress)
    return WhyReport(found, tuple(_explain(metric, found, _company(metric, found, others)) for metric in metrics))


def _company(metric: Any, found: Example, others: list[Example]) -> list[Example]:
    """What a metric must see to score a response: the response, its whole conversation, or all that its system said."""
    if isinstance(metric, Prepares):
        return others
    if metric.unit != "dialogue":
        return [found]
    own = conversation_of(found)
    return [example for example in others if conversation_of(example) == own]


def _variants(spec: str, tok: str) -> list[Any]:
    """The metric itself when its spec names a variant, else one of each variant."""
    metric: Any = create("metric", spec, **({"tok": tok} if tok else {}))
    explains: Any = Explains
    if not isinstance(metric, explains):
        raise UsageError(f"{metric.name} does not show its arithmetic", "dialometer list metrics")
    if "variant" in dict(read_spec(spec).options) or not hasattr(metric, "variants"):
        return [metric]
    made = []
    for variant in metric.variants:
        with suppress(UsageError):  # options that this variant does not take
            made.append(replace(metric, variant=variant))
    return made


def _find(request: WhyRequest, whole: bool) -> tuple[Example, list[Example]]:
    """The response and, if a metric needs its collection, all of its system's."""
    stream = examples(
        request.inputs,
        format=request.format or None,
        max_line=request.max_line,
        allow_empty_references=request.allow_empty_references,
    )
    kept: list[Example] = []
    found, ids = None, []
    for example in stream:
        if example.id == request.id:
            found = example
            if not whole:
                break
        if whole:
            kept.append(example)
        ids.append(example.id)
    if found is None:
        raise UnknownName("item", request.id, ids[:100_000], hint=f"ids are in the field `id` of {request.inputs[0]}")
    return found, [example for example in kept if example.system == found.system] or [found]


def _explain(metric: Any, found: Example, collection: list[Example]) -> Explanation:
    if "reference" in metric.needs and not found.references:
        raise NeedsError(
            f"{metric.name} needs a reference, and {found.id} has none", "dialometer list metrics --without reference"
        )
    if "context" in metric.needs and not found.context:
        raise NeedsError(
            f"{metric.name} needs a context, and {found.id} has none", "dialometer list metrics --without context"
        )
    corpus = Corpus.build(collection)
    row = next(i for i, example in enumerate(collection) if example.id == found.id)
    return Explanation(recipe(metric, {"refs": len(found.references)}), tuple(metric.explain(corpus, row)))
