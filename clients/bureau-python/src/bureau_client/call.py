"""A call: attempts of one request until the exchange has an answer that lasts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from .attempt import Answered, Lost, Outcome, Refused, Request, Transport, attempt
from .errors import BureauConnectionError, BureauError
from .retry import Clock, RetryLimits, wait_before_retry


@dataclass(frozen=True, repr=False)
class Connection:
    """Where the exchange is, and what a call works with."""

    origin: str
    api_key: str | None
    limits: RetryLimits
    transport: Transport
    clock: Clock
    random: Callable[[], float]
    create_key: Callable[[], str]


@dataclass(frozen=True)
class CallInput:
    """What one operation is asked with."""

    path: Mapping[str, str]
    query: Mapping[str, str | int | None]
    header: Mapping[str, str | None]
    body: object = None


def call(connection: Connection, method: str, path: str, given: CallInput, limits: RetryLimits | None) -> Any:
    """
    Makes a call and returns the body of the answer. Sent again, under the same Idempotency-Key, is what was lost on the
    way and what was refused as `retryable`, within the limits of attempts and time and never before `Retry-After`.
    Raises `BureauError` with the last refusal, or `BureauConnectionError` when the last attempt brought no word of the
    exchange.
    """
    clock, bounds = connection.clock, limits or connection.limits
    request = _prepare(connection, method, path, given)
    idempotency_key = request.headers.get("Idempotency-Key")
    ends = clock.now() + bounds.total_s
    attempts = 0
    while True:
        attempts += 1
        timeout_s = min(bounds.timeout_s, ends - clock.now())
        outcome = attempt(request, connection.transport, timeout_s)
        if isinstance(outcome, Answered):
            return outcome.body
        wait_s = wait_before_retry(attempts, outcome.headers, connection.random)
        if not _may_improve(outcome) or attempts >= bounds.attempts or clock.now() + wait_s >= ends:
            if isinstance(outcome, Refused):
                raise BureauError(outcome.problem, attempts, idempotency_key)
            message = f"{method} {path}: {outcome.fault}"
            raise BureauConnectionError(message, attempts, idempotency_key) from outcome.fault
        clock.sleep(wait_s)


def _may_improve(outcome: Outcome) -> bool:
    """Returns whether the same request may end better later."""
    if isinstance(outcome, Refused):
        return bool(outcome.problem["retryable"])
    return isinstance(outcome, Lost) and not outcome.is_final


def _prepare(connection: Connection, method: str, path: str, given: CallInput) -> Request:
    filled = re.sub(r"\{(\w+)\}", lambda place: quote(given.path[place[1]], safe=""), path)
    query = urlencode({name: value for name, value in given.query.items() if value is not None})
    headers = {name: value for name, value in given.header.items() if value is not None}
    if connection.api_key is not None:
        headers["Authorization"] = f"Bearer {connection.api_key}"
    if given.body is not None:
        headers["Content-Type"] = "application/json"
    if method == "POST":
        # One key is one intent, however often it is sent.
        headers.setdefault("Idempotency-Key", connection.create_key())
    url = connection.origin.rstrip("/") + filled + (f"?{query}" if query else "")
    return Request(method, url, headers, None if given.body is None else json.dumps(given.body).encode())
