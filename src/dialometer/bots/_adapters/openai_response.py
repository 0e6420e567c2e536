"""Responses of an OpenAI-compatible endpoint: texts, or an error with its kind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

LONG = re.compile(
    r"context.{0,20}(length|window|size|limit)|too many tokens|(prompt|input) is too long|"
    r"input token.{0,40}exceed|inputs` (tokens|must)",
    re.I,
)  # how OpenAI, vLLM, llama.cpp, Anthropic, Gemini and TGI say it
REFUSALS = (400, 413, 422)
AGAIN = (408, 409, 425)


@dataclass(eq=False)
class EndpointError(Exception):
    """Why there is no text. ``kind`` says what follows:

    again (another try may help), busy (it asked for a pause), down (not reachable), empty (no text), long (the context must
    be cut), field (it does not know a field that we need not send), refused (this context fails), closed (all contexts fail).
    """

    kind: str
    reason: str
    wait: float | None = None
    field: str = ""


@dataclass(frozen=True)
class ChatCompletion:
    """Texts that are not empty, and tokens in and out where the endpoint reports them."""

    texts: list[str]
    tokens: tuple[int, int] | None


def read_response(status: int, headers: Mapping[str, str], body: str) -> ChatCompletion:
    """The texts of an answer; anything else raises an EndpointError."""
    if status // 100 == 2:
        return _said(body)
    if status // 100 == 3:
        raise EndpointError("closed", f"it redirects ({status}, to {headers.get('location', 'no address')})")
    error = _error_of(body)
    told = f"{status}: {error['message']}" if error["message"] else f"{status}"
    if status == 429 and error["code"] != "insufficient_quota":
        raise EndpointError("busy", f"it is asked too often ({told})", retry_after(headers))
    if status >= 500 or status in AGAIN:
        raise EndpointError("down", f"it failed ({told})", retry_after(headers))
    if status in REFUSALS:
        raise _refusal(error, told)
    raise EndpointError("closed", f"it refuses ({told})")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, told as seconds, milliseconds or a date.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (2.0, 0.25, None)
    """
    try:
        if "retry-after-ms" in headers:
            return max(float(headers["retry-after-ms"]) / 1000, 0.0)
        return max(float(headers["retry-after"]), 0.0)
    except KeyError:
        return None
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return max((date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)


def _said(body: str) -> ChatCompletion:
    try:
        answer = json.loads(body)
        choices = list(answer["choices"])
        texts = [text for text in map(_text, choices) if text.strip()]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise EndpointError("again", f"it answered what is no chat completion: {_start(body)}") from None
    if not texts:
        why = ", ".join(sorted({str(choice.get("finish_reason")) for choice in choices})) or "no choices"
        more = "; raise max_tokens" if why == "length" else ""
        raise EndpointError("empty", f"it answered with an empty text (finish reason: {why}{more})")
    return ChatCompletion(texts, _tokens(answer.get("usage")))


def _text(choice: dict[str, Any]) -> str:
    """Of a text, of a list of parts, or of a refusal."""
    message = choice["message"]
    content = message.get("content") or message.get("refusal") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _tokens(usage: Any) -> tuple[int, int] | None:
    try:
        return int(usage["prompt_tokens"]), int(usage["completion_tokens"])
    except (KeyError, TypeError, ValueError):
        return None


def _error_of(body: str) -> dict[str, str]:
    """code, param and message of an error, in the usual and in a few other spellings."""
    try:
        found = json.loads(body)
    except ValueError:
        return {"code": "", "param": "", "message": _start(body) if body.strip() else ""}
    error = found.get("error", found) if isinstance(found, dict) else found
    if not isinstance(error, dict):
        return {"code": "", "param": "", "message": _start(str(error))}
    message = error.get("message") or error.get("detail") or error.get("error") or ""
    return {
        "code": str(error.get("code") or error.get("type") or ""),
        "param": str(error.get("param") or ""),
        "message": _start(str(message)) if message else "",
    }


def _refusal(error: dict[str, str], told: str) -> EndpointError:
    """A request that was refused: too long, with a field that the endpoint does not know, or for good."""
    if error["code"] == "context_length_exceeded" or LONG.search(error["message"]):
        return EndpointError("long", f"the context is too long for it ({told})")
    if "max_completion_tokens" in error["message"]:
        return EndpointError("field", told, field="max_tokens")
    for name in ("seed", "n"):
        if error["param"] == name or re.search(rf"['\"`]{name}['\"`]", error["message"]):
            return EndpointError("field", told, field=name)
    return EndpointError("refused", f"it refuses ({told})")


def _start(text: str) -> str:
    """On one line, and not too much of it."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:199]}…"
