"""Bots that have yet to talk: self-play from openers that no judge saw while it was trained."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson

from dialometer.contracts.play import PlayRequest
from dialometer.core.atomic import write_bytes
from dialometer.core.cache import cache_root, content_key, warn_unkept
from dialometer.core.errors import UsageError
from dialometer.core.protocols import Progress
from dialometer.core.registry import create, names, read_spec
from dialometer.flows.play.openers import Opener, read_openers
from dialometer.flows.play.play import PlayReport, play
from dialometer.text.training_overlap import overlap

_BETWEEN = re.compile(r";(?![^()]*\))")  # as ``rerank`` reads its bots


@dataclass(frozen=True)
class Played:
    """The run of ``play``, and how many of the openers were dropped because these judges had seen them."""

    report: PlayReport
    dropped: int = 0
    openers: int = 0
    judges: tuple[str, ...] = field(default=())


_elsewhere: list[TemporaryDirectory[str]] = []  # they last as long as the process


def play_unseen(request: Any, bots: Sequence[str], progress: Progress) -> Played:
    """Let bots talk; the run of ``play`` is one of its own, so that a later comparison finds it done."""
    found = read_openers(
        request.openers, context=request.context, where=request.where, format=request.format, max_line=request.max_line
    )
    judges = [*reranking(bots), *(spec for spec in request.metrics if create("metric", spec).name in names("judge"))]
    saw = {spec: np.asarray(create("metric", spec).seen()) for spec in dict.fromkeys(judges) if _can_tell(spec)}
    fresh = unseen(found, list(saw.values()))
    if not fresh:
        raise UsageError(
            f"{' and '.join(saw)} saw all {len(found)} openers in training", "contexts that are new to it: --openers FILE"
        )
    plain = (
        {} if len(fresh) < len(found) else {"openers": request.openers, "where": request.where, "context": request.context}
    )
    play_request = PlayRequest(
        tuple(bots), b=request.b, partners=request.partners, n=request.n, turns=request.turns, max_line=request.max_line,
        batch=request.batch, seed=request.seed, **(plain or {"openers": str(_kept(fresh))}),
        format=request.format if plain else "", fresh=request.fresh,
    )  # fmt: skip
    return Played(play(play_request, progress=progress), len(found) - len(fresh), len(found), tuple(saw))


def unseen(openers: Sequence[Opener], seen: Sequence[np.ndarray]) -> list[Opener]:
    """Openers that nobody saw: of which one turn at least is new to each of them, so that the context as a whole is."""
    texts = [text for opener in openers for text in opener.turns]
    known = [overlap(texts, hashes) for hashes in seen]
    fresh, at = [], 0
    for opener in openers:
        turns = slice(at, at := at + len(opener.turns))
        if not any(bool(which[turns].all()) for which in known):
            fresh.append(opener)
    return fresh


def reranking(bots: Sequence[str]) -> Iterator[str]:
    """The metrics by which bots choose their replies, of bots inside bots too."""
    for bot in bots:
        spec = read_spec(bot)
        if spec.name == "rerank":
            options = {key: str(value) for key, value in spec.options}
            yield from (options[key] for key in ("metric",) if key in options)
            inner = [options.get("bot", ""), *_BETWEEN.split(options.get("bots", ""))]
            yield from reranking([part.strip() for part in inner if part.strip()])


def _can_tell(spec: str) -> bool:
    return hasattr(create("metric", spec), "seen")


def _kept(openers: Sequence[Opener]) -> Path:
    """The openers that are left as a file; play knows openers by content and source, wherever they lie."""
    rows = [{"id": opener.source, "context": list(opener.turns), "response": ""} for opener in openers]
    data = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
    path = cache_root() / "openers" / f"{content_key(data)}.jsonl"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data)
    except OSError as error:
        warn_unkept(path, error)
        _elsewhere.append(TemporaryDirectory(prefix="dialometer-"))
        path = Path(_elsewhere[-1].name) / path.name
        write_bytes(path, data)
    return path
