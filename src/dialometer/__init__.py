"""Dialometer measures open-domain dialogue systems. Public names are loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dialometer._version import __version__

if TYPE_CHECKING:
    from dialometer.data import examples, open_items
    from dialometer.errors import DataError, DialometerError, NeedsError, RunError, UsageError
    from dialometer.flows.agree import AgreeRequest, agree
    from dialometer.flows.chat import ChatRequest, chat
    from dialometer.flows.compare import CompareRequest, compare
    from dialometer.flows.convert import ConvertRequest, convert
    from dialometer.flows.demo import DemoRequest, demo
    from dialometer.flows.doctor import doctor
    from dialometer.flows.listing import listing
    from dialometer.flows.meta import MetaRequest, meta
    from dialometer.flows.play import PlayRequest, play
    from dialometer.flows.power import PowerRequest, power
    from dialometer.flows.score import ScoreReport, ScoreRequest, score
    from dialometer.flows.serve import ServeRequest, serve
    from dialometer.flows.stress import StressRequest, stress
    from dialometer.flows.train import TrainReport, TrainRequest, train
    from dialometer.flows.why import WhyRequest, why
    from dialometer.recipes import recipe
    from dialometer.registry import create, names
    from dialometer.text.corpus import Corpus
    from dialometer.types import Dialogue, Example, Preferences, Ratings, Scores, Turn

_HOMES = {
    "AgreeRequest": "flows.agree",
    "ChatRequest": "flows.chat",
    "CompareRequest": "flows.compare",
    "ConvertRequest": "flows.convert",
    "Corpus": "text.corpus",
    "DataError": "errors",
    "DemoRequest": "flows.demo",
    "Dialogue": "types",
    "DialometerError": "errors",
    "Example": "types",
    "MetaRequest": "flows.meta",
    "NeedsError": "errors",
    "PlayRequest": "flows.play",
    "PowerRequest": "flows.power",
    "Preferences": "types",
    "Ratings": "types",
    "RunError": "errors",
    "ScoreReport": "flows.score",
    "ScoreRequest": "flows.score",
    "Scores": "types",
    "ServeRequest": "flows.serve",
    "StressRequest": "flows.stress",
    "TrainReport": "flows.train",
    "TrainRequest": "flows.train",
    "Turn": "types",
    "UsageError": "errors",
    "WhyRequest": "flows.why",
    "agree": "flows.agree",
    "chat": "flows.chat",
    "compare": "flows.compare",
    "convert": "flows.convert",
    "create": "registry",
    "demo": "flows.demo",
    "doctor": "flows.doctor",
    "examples": "data",
    "listing": "flows.listing",
    "meta": "flows.meta",
    "names": "registry",
    "open_items": "data",
    "play": "flows.play",
    "power": "flows.power",
    "recipe": "recipes",
    "score": "flows.score",
    "serve": "flows.serve",
    "stress": "flows.stress",
    "train": "flows.train",
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
    "ScoreReport",
    "ScoreRequest",
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
