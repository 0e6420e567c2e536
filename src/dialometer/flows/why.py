"""why: one response under every variant of a metric, with the arithmetic shown."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from dialometer.contracts.why import Explanation, WhyRequest, WhyResult
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
class WhyReport:
    """The response with its context and references, and the result about it."""

    example: Example
    result: WhyResult

    @property
    def explanations(self) -> tuple[Explanation, ...]:
        """One per metric and variant."""
        return self.result.explanations


def why(request: WhyRequest, *, progress: Progress = lambda stage, done, total: None) -> WhyReport:
    """Find the response, make every variant, explain."""
    if not request.metrics:
        raise UsageError("no metric was named", "-m bleu")
    metrics = [variant for spec in request.metrics for variant in _variants(spec, request.tok)]
    whole = any(isinstance(metric, Prepares) or metric.unit == "dialogue" for metric in metrics)
    response, others = _find(request, whole)
    build_tables(metrics, progress)
    explanations = tuple(_explain(metric, response, _collection(metric, response, others)) for metric in metrics)
    return WhyReport(response, WhyResult(id=response.id, explanations=explanations))


def _collection(metric: Any, response: Example, others: list[Example]) -> list[Example]:
    """What a metric needs to score a response: the response, its whole dialogue, or all responses of its system."""
    if isinstance(metric, Prepares):
        return others
    if metric.unit != "dialogue":
        return [response]
    dialogue = conversation_of(response)
    return [example for example in others if conversation_of(example) == dialogue]


def _variants(spec: str, tok: str) -> list[Any]:
    """The metric itself when its spec names a variant, else one of each variant."""
    metric: Any = create("metric", spec, **({"tok": tok} if tok else {}))
    explains: Any = Explains
    if not isinstance(metric, explains):
        raise UsageError(f"{metric.name} does not show its arithmetic", "dialometer list metrics")
    if "variant" in dict(read_spec(spec).options) or not hasattr(metric, "variants"):
        return [metric]
    variants = []
    for variant in metric.variants:
        with suppress(UsageError):  # options that this variant does not take
            variants.append(replace(metric, variant=variant))
    return variants


def _find(request: WhyRequest, whole: bool) -> tuple[Example, list[Example]]:
    """The response and, if a metric needs its collection, all of its system's."""
    stream = examples(
        request.inputs,
        format=request.format or None,
        max_line=request.max_line,
        allow_empty_references=request.allow_empty_references,
    )
    examples_read: list[Example] = []
    response, ids = None, []
    for example in stream:
        if example.id == request.id:
            response = example
            if not whole:
                break
        if whole:
            examples_read.append(example)
        ids.append(example.id)
    if response is None:
        raise UnknownName("item", request.id, ids[:100_000], hint=f"ids are in the field `id` of {request.inputs[0]}")
    return response, [example for example in examples_read if example.system == response.system] or [response]


def _explain(metric: Any, response: Example, collection: list[Example]) -> Explanation:
    if "reference" in metric.needs and not response.references:
        raise NeedsError(
            f"{metric.name} needs a reference, and {response.id} has none", "dialometer list metrics --without reference"
        )
    if "context" in metric.needs and not response.context:
        raise NeedsError(
            f"{metric.name} needs a context, and {response.id} has none", "dialometer list metrics --without context"
        )
    corpus = Corpus.build(collection)
    row = next(i for i, example in enumerate(collection) if example.id == response.id)
    return Explanation(recipe=recipe(metric, {"refs": len(response.references)}), lines=tuple(metric.explain(corpus, row)))
