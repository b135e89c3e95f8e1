"""HTTP on Python's standard library, with one deadline for the whole of an exchange of words."""

from __future__ import annotations

import io
import socket
import ssl
import time
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from .attempt import Request, Response


def send(request: Request, timeout_s: float) -> Response:
    """
    Sends a request on a connection of its own and returns the whole answer. Raises `TimeoutError` when the last byte
    is not there within `timeout_s`, however slowly the others came. Follows no redirect and uses no proxy.
    """
    ends = time.monotonic() + timeout_s
    address = urlsplit(request.url)
    host, is_secure = address.hostname or "", address.scheme == "https"
    port = address.port or (443 if is_secure else 80)
    target = address.path + (f"?{address.query}" if address.query else "")
    connection = HTTPSConnection(host, port) if is_secure else HTTPConnection(host, port)
    with _connect(host, port, ends, is_secure) as channel:
        connection.sock = _DeadlineSocket(channel, ends)
        connection.request(request.method, target, request.body, dict(request.headers))
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Response(answer.status, headers, answer.read())


def _connect(host: str, port: int, ends: float, is_secure: bool) -> socket.socket:
    """Opens a connection to the first address of the host that takes one."""
    fault: OSError = OSError(f"{host} has no address")
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        channel = socket.socket(family, kind, protocol)
        try:
            channel.settimeout(_left(ends))
            channel.connect(place)
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not is_secure:
                return channel
            return ssl.create_default_context().wrap_socket(channel, server_hostname=host)
        except OSError as refused:
            channel.close()
            fault = refused
    raise fault


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError("no whole answer in time")
    return left


class _DeadlineSocket:
    """What `http.client` needs of a socket. Whoever opened the channel closes it."""

    def __init__(self, channel: socket.socket, ends: float) -> None:
        self._channel = channel
        self._ends = ends

    def sendall(self, data: bytes) -> None:
        self._channel.settimeout(_left(self._ends))
        self._channel.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self._channel, self._ends))

    def close(self) -> None:
        pass


class _Incoming(io.RawIOBase):
    """The bytes that arrive. A time limit of the socket would begin anew with each read; the deadline does not."""

    def __init__(self, channel: socket.socket, ends: float) -> None:
        self._channel = channel
        self._ends = ends

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._channel.settimeout(_left(self._ends))
        return self._channel.recv_into(buffer)
