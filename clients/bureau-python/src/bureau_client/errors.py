"""How a call ends badly: the exchange refuses, or no word of it arrives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .schema import FieldError

_COMMON = ("type", "title", "status", "detail", "instance", "code", "requestId", "retryable", "errors")


class BureauError(Exception):
    """The exchange refused. Branch on `code`, and on `retryable` for codes that you do not know."""

    code: str
    """Stable; `bureau_client.ProblemCode` lists those of the document. Within v1 codes are only added."""
    status: int
    title: str
    detail: str
    """For a person; its wording may change."""
    type: str
    """The address of the code's page."""
    request_id: str
    retryable: bool
    """Whether the same request, under the same Idempotency-Key, may succeed later. The client has given up on it."""
    errors: Sequence[FieldError]
    """Of `invalid_request`: every field that is wrong."""
    members: Mapping[str, Any]
    """What a code adds, such as `remaining` or `orderId`."""
    attempts: int
    """How often the request was sent."""
    idempotency_key: str | None
    """Of a POST: the same request under this key once more tells, or does, what this call could not."""

    def __init__(self, problem: Mapping[str, Any], attempts: int, idempotency_key: str | None) -> None:
        self.code = problem["code"]
        self.status = problem.get("status", 0)
        self.title = problem.get("title", "")
        self.detail = problem.get("detail", "")
        self.type = problem.get("type", "about:blank")
        self.request_id = problem.get("requestId", "")
        self.retryable = problem["retryable"]
        self.errors = problem.get("errors", [])
        self.members = {name: value for name, value in problem.items() if name not in _COMMON}
        self.attempts = attempts
        self.idempotency_key = idempotency_key
        super().__init__(f"{self.code}: {self.detail}")


class BureauConnectionError(Exception):
    """
    No answer of the exchange arrived: the network failed, time ran out, or something between answered in its place. A
    POST may have taken effect; the same one under `idempotency_key` finds out. `__cause__` is the last failure.
    """

    attempts: int
    idempotency_key: str | None

    def __init__(self, message: str, attempts: int, idempotency_key: str | None) -> None:
        self.attempts = attempts
        self.idempotency_key = idempotency_key
        super().__init__(message)
