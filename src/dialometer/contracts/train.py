"""train: what is fitted, on which text or ratings; and what fitting on text gives."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from dialometer.contracts.base import normalise_request
from dialometer.contracts.result import Annotated, Record, doc
from dialometer.core.files import MAX_LINE
from dialometer.core.ranges import Bytes, Range, Seed


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What to train, on what text, in how many processes, and (for amfm) on whose ratings to tune it.

    A judge learns from rated items, or (``human``) from who wrote them: ``quality`` to ``selfplay`` are about these; ``metrics``
    and ``beside`` are what it is compared with, ``selfplay`` what a judge of conversations is applied to.
    """

    spec: str
    inputs: tuple[str, ...]
    where: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    processes: Annotated[int, Range(1, 256)] = 1
    tune: tuple[str, ...] = ()
    quality: str = ""
    level: str = "item"
    folds: Annotated[int, Range(2, 1000, unset=0)] = 0  # 5 for a tuning, 10 for a judge
    ks: Annotated[str, Range(1, 16_384)] = ""
    orders: Annotated[str, Range(1, 5)] = ""
    ratings: str = ""
    human: tuple[str, ...] = ()
    aggregate: str = "mean"
    scale: str = ""
    drop_references_equal: bool = True
    metrics: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    quick: bool = False
    licence: str = ""
    selfplay: str = ""
    format: str = ""
    max_line: Bytes = MAX_LINE
    seed: Seed = 0
    output: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        normalise_request(self)


class TrainResult(Record, frozen=True, kw_only=True):
    """An artifact fitted on text: a bot, an encoder, a likelihood or a metric."""

    run: Annotated[str, doc("the run folder, which is a spec of the artifact")]
    kind: Annotated[str, doc("bot, encoder, likelihood or metric")]
    name: Annotated[str, doc("its name in the catalogue")]
    conversations: Annotated[int, doc("dialogues it was fitted on")]
    utterances: Annotated[int, doc("utterances of these dialogues")]
    recipe: Annotated[str, doc("what determines its output")]
    seconds: Annotated[float, doc("time of reading, fitting and writing")]


class GenerativeTrainResult(TrainResult, frozen=True, kw_only=True):
    """A generative network: its perplexity on dialogues held out from training."""

    perplexity: Annotated[
        float | None, doc("per word and end of utterance; by the variational bound where there are latents")
    ]
    perplexity_estimate: Annotated[float | None, doc("the same, by importance sampling of the latents")]
    kl: Annotated[float | None, doc("KL divergence of the latents in nats per turn; 0 without latents")]
    turns: Annotated[int, doc("responses that were measured")]
    words: Annotated[int, doc("words and ends of utterances in them")]
    held_out: Annotated[
        int, doc("dialogues held out; 0 where there were too few, and perplexity is that of the training data")
    ]
    tokens_per_second: Annotated[int, doc("speed of training")]
    steps: Annotated[int, doc("updates")]
    parameters: Annotated[int, doc("weights of the network")]


class RecallAt(Record, frozen=True, kw_only=True):
    """How often the true response is among the first k of the candidates."""

    at_1: Annotated[float, doc("k = 1")] = msgspec.field(name="@1")
    at_2: Annotated[float, doc("k = 2")] = msgspec.field(name="@2")
    at_5: Annotated[float, doc("k = 5")] = msgspec.field(name="@5")


class Recall(Record, frozen=True, kw_only=True):
    """Recall of a retrieval network on pairs held out from training, with two baselines."""

    pairs: Annotated[int, doc("pairs of context and response")]
    candidates: Annotated[int, doc("responses to choose from, the true one among them")]
    dualencoder: Annotated[RecallAt, doc("the network")]
    tfidf: Annotated[RecallAt, doc("tf-idf of contexts and responses")]
    chance: Annotated[RecallAt, doc("a random order")]


class RetrievalTrainResult(TrainResult, frozen=True, kw_only=True):
    """A retrieval network."""

    words: Annotated[int, doc("size of the vocabulary")]
    steps: Annotated[int, doc("updates")]
    parameters: Annotated[int, doc("weights of the network")]
    recall: Annotated[Recall | None, doc("null where there were too few dialogues to hold some out")]


class TunedVariant(Record, frozen=True, kw_only=True):
    """One point of the grid."""

    k: Annotated[int, doc("dimensions of the encoder")]
    n: Annotated[int, doc("order of the n-gram model")]
    weight: Annotated[float, doc("weight of AM, from 0 to 1")]


class TuningResult(Record, frozen=True, kw_only=True):
    """A grid search against ratings, cross-validated."""

    chosen: Annotated[TunedVariant, doc("the best variant on all rated units")]
    folds: Annotated[list[tuple[int, int, float]], doc("k, n and weight that each fold chose on the other folds")]
    inside: Annotated[float | None, doc("Pearson correlation of the chosen variant on the units it was chosen on")]
    held_out: Annotated[float | None, doc("Pearson correlation over all units, each scored by a variant chosen without it")]
    held_out_mean: Annotated[float | None, doc("mean over folds of four units or more")]
    variants: Annotated[int, doc("points of the grid")]
    n: Annotated[int, doc("rated units")]
    quality: Annotated[str, doc("the rated quality")]
    level: Annotated[str, doc("unit: item or system")]
    pictures: Annotated[list[str], doc("figures in the run folder")]
    left_out: Annotated[int, doc("rated items without a reference")]


class TunedTrainResult(TrainResult, frozen=True, kw_only=True):
    """A metric whose options were chosen against ratings."""

    tuning: Annotated[TuningResult, doc("the grid search")]
