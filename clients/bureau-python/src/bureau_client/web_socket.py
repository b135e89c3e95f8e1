"""A WebSocket (RFC 6455) on the standard library alone, as far as a client of the exchange needs one."""

from __future__ import annotations

import base64
import os
import socket
import ssl
import struct
import time
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import urlsplit

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_MOST_BYTES = 16 * 1024 * 1024
_CHUNK = 65_536


class Socket(Protocol):
    """An open WebSocket. Both methods raise `OSError` when it has ended."""

    def send(self, text: str) -> None:
        """Sends a text."""

    def receive(self, timeout_s: float) -> str | None:
        """Returns the next text, or `None` when none came in this time."""

    def close(self) -> None:
        """Ends it, and never raises."""


OpenSocket = Callable[[str, Mapping[str, str], float], Socket]


class _WebSocket:
    def __init__(self, connection: socket.socket, received: bytes) -> None:
        self._connection = connection
        self._buffer = bytearray(received)
        self._parts = b""

    def send(self, text: str) -> None:
        self._send_frame(_TEXT, text.encode())

    def receive(self, timeout_s: float) -> str | None:
        end = time.monotonic() + timeout_s
        while True:
            frame = self._take_frame()
            if frame is None:
                left = end - time.monotonic()
                if left <= 0 or not self._fill(left):
                    return None
                continue
            is_last, kind, payload = frame
            if kind == _CLOSE:
                raise ConnectionResetError("the exchange closed the socket")
            if kind == _PING:
                self._send_frame(_PONG, payload)
            elif kind < _CLOSE:
                self._parts += payload
                if is_last:
                    text, self._parts = self._parts.decode(), b""
                    return text

    def close(self) -> None:
        try:
            self._send_frame(_CLOSE, struct.pack("!H", 1000))
        except OSError:
            pass
        self._connection.close()

    def _fill(self, timeout_s: float) -> bool:
        self._connection.settimeout(timeout_s)
        try:
            read = self._connection.recv(_CHUNK)
        except TimeoutError:
            return False
        if not read:
            raise ConnectionResetError("the socket was cut")
        self._buffer += read
        return True

    def _take_frame(self) -> tuple[bool, int, bytes] | None:
        """Takes a whole frame from the buffer. Those of a server are not masked."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        length, begin = buffer[1] & 127, 2
        if length >= 126:
            begin = 4 if length == 126 else 10
            if len(buffer) < begin:
                return None
            length = int.from_bytes(buffer[2:begin], "big")
        if length > _MOST_BYTES:
            raise ConnectionError("a message is too long")
        if len(buffer) < begin + length:
            return None
        first, payload = buffer[0], bytes(buffer[begin : begin + length])
        del buffer[: begin + length]
        return first & 128 != 0, first & 15, payload

    def _send_frame(self, kind: int, payload: bytes) -> None:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        size = len(payload)
        head = bytes([128 | kind, 128 | size]) if size < 126 else bytes([128 | kind, 254]) + struct.pack("!H", size)
        self._connection.settimeout(None)
        self._connection.sendall(head + mask + masked)


def open_socket(url: str, headers: Mapping[str, str], timeout_s: float) -> Socket:
    """Opens a WebSocket. Raises `OSError` when the server does not take it."""
    parts = urlsplit(url)
    is_secure = parts.scheme == "wss"
    host = parts.hostname or ""
    connection = socket.create_connection((host, parts.port or (443 if is_secure else 80)), timeout_s)
    try:
        if is_secure:
            connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
        own = {
            "Host": parts.netloc,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        }
        lines = [f"GET {parts.path} HTTP/1.1", *(f"{name}: {value}" for name, value in {**own, **headers}.items())]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            read = connection.recv(_CHUNK)
            if not read or len(answer) > _CHUNK:
                raise ConnectionError("the server does not speak WebSocket")
            answer += read
        head, _, rest = answer.partition(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"101"]:
            raise ConnectionRefusedError(head.split(b"\r\n", 1)[0].decode(errors="replace"))
        return _WebSocket(connection, rest)
    except BaseException:
        connection.close()
        raise
