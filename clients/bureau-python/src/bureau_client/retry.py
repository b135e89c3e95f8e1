"""How long and how often a call is tried."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 8.0
_MOST_DOUBLINGS = 10


@dataclass(frozen=True)
class RetryLimits:
    """The bounds of one call."""

    attempts: int = 5
    """Sends of one call, the first included."""
    timeout_s: float = 20.0
    """Of one attempt, until its whole answer is there."""
    total_s: float = 60.0
    """Of the whole call with its waits."""


@dataclass(frozen=True)
class Clock:
    """What the client needs of time, in seconds; only differences count."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def wait_before_retry(attempts: int, headers: Mapping[str, str], random: Callable[[], float]) -> float:
    """
    Returns the wait before the next attempt, in seconds: what the answer asks for, and on top of it a random part of a
    span that doubles with each attempt, so that many clients do not come back at once.
    """
    span = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(attempts - 1, _MOST_DOUBLINGS))
    return _read_retry_after(headers) + random() * span


def _read_retry_after(headers: Mapping[str, str]) -> float:
    """The wait that `Retry-After` asks for (RFC 9110, 10.2.3). A date is read against the answer's own, not our clock."""
    told = headers.get("retry-after", "")
    if told.isascii() and told.isdigit():
        return float(told)
    try:
        wait = parsedate_to_datetime(told) - parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, wait.total_seconds())
