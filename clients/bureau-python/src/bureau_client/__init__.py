"""Bureau's REST API as typed calls, on Python's standard library alone."""

from .attempt import Request, Response, Transport
from .client import BureauClient
from .errors import BureauConnectionError, BureauError
from .retry import Clock, RetryLimits
from .schema import ProblemCode
from .stream import EventsMessage, StatusMessage, TickersMessage
from .web_socket import Socket

__all__ = [
    "BureauClient",
    "BureauConnectionError",
    "BureauError",
    "Clock",
    "EventsMessage",
    "ProblemCode",
    "Request",
    "Response",
    "RetryLimits",
    "Socket",
    "StatusMessage",
    "TickersMessage",
    "Transport",
]
