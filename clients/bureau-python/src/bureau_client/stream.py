"""Follows a stream of the exchange without an end, and without leaving anything out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from . import schema
from .errors import BureauError
from .retry import Clock
from .web_socket import Socket

_TICK_S = 1.1
"""What came is acknowledged this often at most: a socket takes 60 messages a minute."""
_PING_TICKS = 25
"""A ping is sent after so many silent ticks; a socket that is silent for twice as long is dead."""
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 30.0
_MOST_DOUBLINGS = 10


class EventsMessage(TypedDict):
    """Events of the account, each once and without a gap, and balances as of `sequence`."""

    channel: Literal["events"]
    type: Literal["snapshot", "update"]
    sequence: int
    newest: NotRequired[int]
    data: list[schema.Event]
    balances: NotRequired[list[schema.Balance]]


class TickersMessage(TypedDict):
    """All tickers that were wanted, whole."""

    channel: Literal["tickers"]
    type: Literal["snapshot", "update"]
    round: int
    degraded: bool
    data: list[schema.Ticker]


class StatusMessage(TypedDict):
    """The status of the exchange."""

    channel: Literal["status"]
    type: Literal["snapshot", "update"]
    data: schema.Status


@dataclass(frozen=True)
class Streaming:
    """What a stream works with."""

    open_socket: Callable[[], Socket]
    clock: Clock
    random: Callable[[], float]
    ask_why: Callable[[], None]
    """Raises when the exchange refuses the socket for good: a socket that does not open does not say why."""


def follow(params: Mapping[str, object], after: int | None, means: Streaming) -> Iterator[Any]:
    """
    Yields the messages of a channel. When the socket is cut or silent, it connects again, and events go on after the last
    one that came. Raises `BureauError` when the exchange refuses for good.
    """
    failures = 0
    while True:
        wanted = dict(params)
        if after is not None:
            wanted["after"] = after
        connected = _Connected(means, wanted)
        try:
            for message in connected.messages():
                if message["channel"] == "events":
                    # A message that does not go on where the last one ended would leave something out, or tell it twice.
                    if after is not None and message["sequence"] - len(message["data"]) != after:
                        break
                    after = message["sequence"]
                failures = 0
                yield message
        except OSError:
            pass
        finally:
            connected.close()
        if not connected.is_welcome:
            means.ask_why()
        means.clock.sleep(means.random() * min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(failures, _MOST_DOUBLINGS)))
        failures += 1


class _Connected:
    """One socket."""

    def __init__(self, means: Streaming, params: Mapping[str, object]) -> None:
        self._means = means
        self._params = params
        self._socket: Socket | None = None
        self.is_welcome = False
        """Whether the exchange took the socket, and said nothing against its key."""

    def messages(self) -> Iterator[dict[str, Any]]:
        clock = self._means.clock
        socket = self._socket = self._means.open_socket()
        self.is_welcome = True
        socket.send(json.dumps({"method": "subscribe", "params": self._params}))
        acknowledged = reached = silent = 0
        acknowledged_at = clock.now()
        while True:
            text = socket.receive(_TICK_S)
            if text is None:
                silent += 1
                if silent > 2 * _PING_TICKS:
                    return
                if silent % _PING_TICKS == 0:
                    socket.send('{"method":"ping"}')
            else:
                silent = 0
                message = json.loads(text)
                if "problem" in message:
                    self._refuse(message["problem"])
                    return
                if "channel" in message:
                    reached = message.get("sequence", 0)
                    yield message
            if reached > acknowledged and clock.now() - acknowledged_at >= _TICK_S:
                socket.send(json.dumps({"method": "ack", "params": {"sequence": reached}}))
                acknowledged, acknowledged_at = reached, clock.now()

    def _refuse(self, problem: Mapping[str, Any]) -> None:
        if problem.get("status") == 401:
            self.is_welcome = False
        elif not problem["retryable"]:
            raise BureauError(problem, 1, None)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
