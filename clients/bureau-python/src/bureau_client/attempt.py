"""One attempt: a request sent once, and what came back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any


@dataclass(frozen=True)
class Request:
    """A request that is ready to be sent, again and again in the same words."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True)
class Response:
    """What came back, by whomever it was sent. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Transport = Callable[[Request, float], Response]
"""Sends a request once and returns the whole answer within so many seconds. Raises `OSError` or `HTTPException`."""


@dataclass(frozen=True)
class Answered:
    """The exchange did what it was asked."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Refused:
    """The exchange refused, with a problem of RFC 9457."""

    status: int
    headers: Mapping[str, str]
    problem: Mapping[str, Any]


@dataclass(frozen=True)
class Lost:
    """No word of the exchange arrived; `is_final` where another attempt would end the same."""

    fault: Exception
    is_final: bool
    headers: Mapping[str, str]


Outcome = Answered | Refused | Lost


class UnreadableAnswer(Exception):
    """An answer that the exchange never gives, so that something between gave it."""


def attempt(request: Request, transport: Transport, timeout_s: float) -> Outcome:
    """Sends a request once and tells how that ended. A failure of the network is an outcome and raises nothing."""
    try:
        response = transport(request, timeout_s)
    except (OSError, HTTPException) as fault:
        return Lost(fault, is_final=False, headers={})
    return _read_outcome(response)


def _read_outcome(response: Response) -> Outcome:
    """Tells what the exchange says from what something on the way to it says."""
    status, headers = response.status, response.headers
    body = _parse_json(response.body)
    if 200 <= status < 300 or status == 304:
        if body is None and response.body:
            return Lost(UnreadableAnswer("an answer that is no JSON"), is_final=False, headers=headers)
        return Answered(status, headers, body)
    if isinstance(body, dict) and isinstance(body.get("code"), str) and isinstance(body.get("retryable"), bool):
        return Refused(status, headers, body)
    fault = UnreadableAnswer(f"an answer of status {status} that is no problem+json")
    return Lost(fault, is_final=status != 429 and status < 500, headers=headers)


def _parse_json(body: bytes) -> Any:
    """Returns what JSON says, or None."""
    try:
        return json.loads(body)
    except ValueError:
        return None
