"""Dialometer measures open-domain dialogue systems. Public names are loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dialometer._version import __version__

if TYPE_CHECKING:
    from dialometer.contracts.agree import AgreeRequest
    from dialometer.contracts.chat import ChatRequest
    from dialometer.contracts.compare import CompareRequest
    from dialometer.contracts.convert import ConvertRequest
    from dialometer.contracts.demo import DemoRequest
    from dialometer.contracts.meta import MetaRequest
    from dialometer.contracts.play import PlayRequest
    from dialometer.contracts.power import PowerRequest
    from dialometer.contracts.score import ScoreRequest, ScoreResult
    from dialometer.contracts.serve import ServeRequest
    from dialometer.contracts.stress import StressRequest
    from dialometer.contracts.train import TrainRequest
    from dialometer.contracts.why import WhyRequest
    from dialometer.core.errors import DataError, DialometerError, NeedsError, RunError, UsageError
    from dialometer.core.recipes import recipe
    from dialometer.core.registry import create, names
    from dialometer.core.types import Dialogue, Example, Preferences, Ratings, Scores, Turn
    from dialometer.data import examples, open_items
    from dialometer.flows.agree.agree import agree
    from dialometer.flows.chat.chat import chat
    from dialometer.flows.compare.compare import compare
    from dialometer.flows.convert import convert
    from dialometer.flows.demo.demo import demo
    from dialometer.flows.doctor import doctor
    from dialometer.flows.list import listing
    from dialometer.flows.meta.meta import meta
    from dialometer.flows.play.play import play
    from dialometer.flows.power.power import power
    from dialometer.flows.score.score import score
    from dialometer.flows.serve.serve import serve
    from dialometer.flows.stress.stress import stress
    from dialometer.flows.train.train import TrainReport, train
    from dialometer.flows.why import why
    from dialometer.text.corpus import Corpus

_HOMES = {
    "AgreeRequest": "contracts.agree",
    "ChatRequest": "contracts.chat",
    "CompareRequest": "contracts.compare",
    "ConvertRequest": "contracts.convert",
    "Corpus": "text.corpus",
    "DataError": "core.errors",
    "DemoRequest": "contracts.demo",
    "Dialogue": "core.types",
    "DialometerError": "core.errors",
    "Example": "core.types",
    "MetaRequest": "contracts.meta",
    "NeedsError": "core.errors",
    "PlayRequest": "contracts.play",
    "PowerRequest": "contracts.power",
    "Preferences": "core.types",
    "Ratings": "core.types",
    "RunError": "core.errors",
    "ScoreRequest": "contracts.score",
    "ScoreResult": "contracts.score",
    "Scores": "core.types",
    "ServeRequest": "contracts.serve",
    "StressRequest": "contracts.stress",
    "TrainReport": "flows.train.train",
    "TrainRequest": "contracts.train",
    "Turn": "core.types",
    "UsageError": "core.errors",
    "WhyRequest": "contracts.why",
    "agree": "flows.agree.agree",
    "chat": "flows.chat.chat",
    "compare": "flows.compare.compare",
    "convert": "flows.convert",
    "create": "core.registry",
    "demo": "flows.demo.demo",
    "doctor": "flows.doctor",
    "examples": "data",
    "listing": "flows.list",
    "meta": "flows.meta.meta",
    "names": "core.registry",
    "open_items": "data",
    "play": "flows.play.play",
    "power": "flows.power.power",
    "recipe": "core.recipes",
    "score": "flows.score.score",
    "serve": "flows.serve.serve",
    "stress": "flows.stress.stress",
    "train": "flows.train.train",
    "why": "flows.why",
}

__all__ = [
    "AgreeRequest",
    "ChatRequest",
    "CompareRequest",
    "ConvertRequest",
    "Corpus",
    "DataError",
    "DemoRequest",
    "Dialogue",
    "DialometerError",
    "Example",
    "MetaRequest",
    "NeedsError",
    "PlayRequest",
    "PowerRequest",
    "Preferences",
    "Ratings",
    "RunError",
    "ScoreRequest",
    "ScoreResult",
    "Scores",
    "ServeRequest",
    "StressRequest",
    "TrainReport",
    "TrainRequest",
    "Turn",
    "UsageError",
    "WhyRequest",
    "__version__",
    "agree",
    "chat",
    "compare",
    "convert",
    "create",
    "demo",
    "doctor",
    "examples",
    "listing",
    "meta",
    "names",
    "open_items",
    "play",
    "power",
    "recipe",
    "score",
    "serve",
    "stress",
    "train",
    "why",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dialometer' has no attribute {name!r}")
    return getattr(import_module(f"dialometer.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
