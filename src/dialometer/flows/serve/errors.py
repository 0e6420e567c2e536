"""What a client is told when it is not answered: an HTTP status and an error object as OpenAI's clients read it."""

from __future__ import annotations

from typing import Any

TYPES = {429: "requests", 500: "server_error", 502: "server_error", 503: "server_error", 504: "server_error"}


class Refusal(Exception):
    """A request that is not answered; ``retry`` says after how many seconds it may be worth another try."""

    def __init__(self, status: int, message: str, *, code: str = "", param: str = "", retry: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param, self.retry = status, message, code, param, retry

    @property
    def headers(self) -> dict[str, str]:
        """When to come back, and how to prove oneself."""
        found = {"Retry-After": str(self.retry)} if self.retry else {}
        return found | ({"WWW-Authenticate": "Bearer"} if self.status == 401 else {})

    def to_json(self) -> dict[str, Any]:
        """The error object.

        >>> Refusal(404, "there is no model 'x'", code="model_not_found").to_json()["error"]["type"]
        'invalid_request_error'
        """
        kind = TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param or None, "code": self.code or None}}


def wrong(param: str, message: str, code: str = "invalid_value") -> Refusal:
    """A field of the request that cannot be taken as it is."""
    return Refusal(400, f"{param}: {message}", code=code, param=param)


def stopping() -> Refusal:
    """What is asked, or still unanswered, when the server goes."""
    return Refusal(503, "the server is stopping", code="draining", retry=5)
