"""A day of played faults in virtual time: the iterator of a stream leaves out no event and gives none twice."""

import json
import random
import sys

from bureau_client import BureauClient, Clock

DAY_S = 86_400
FAULTS = ("none", "none", "none", "cut", "mute", "unreachable", "doubled", "skipped", "overloaded")


class Time:
    def __init__(self):
        self.now_s = 0.0

    def now(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds
        if self.now_s > 2 * DAY_S:
            raise AssertionError("events are still missing a day after the last one")


class Exchange:
    """Its events happen at times that are drawn before."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.time = Time()
        self.opened = 0
        at, self.times = 0.0, []
        while at < DAY_S:
            at += self.draw.random() * 60
            self.times += [at] * (50 if self.draw.random() < 0.1 else 1)
        self.place = 0

    def newest(self):
        while self.place < len(self.times) and self.times[self.place] <= self.time.now_s:
            self.place += 1
        return self.place

    def open(self, _url, _headers, _timeout):
        self.opened += 1
        fault = self.draw.choice(FAULTS)
        self.time.sleep(0.02)
        if fault == "unreachable":
            raise ConnectionRefusedError("unreachable")
        return PlayedSocket(self, fault)


class PlayedSocket:
    def __init__(self, exchange, fault):
        self.exchange, self.fault = exchange, fault
        self.sent, self.messages, self.replies = None, 0, []
        # A deployment cuts every socket some time.
        self.end_s = exchange.time.now_s + exchange.draw.random() * 7_200

    def send(self, text):
        message = json.loads(text)
        if self.fault == "mute":
            return
        if message["method"] == "ping":
            self.replies.append({"type": "pong"})
        if message["method"] == "subscribe":
            if self.fault == "overloaded":
                problem = {"code": "service_unavailable", "status": 503, "retryable": True}
                self.replies.append({"type": "problem", "problem": problem})
            else:
                self.sent = message["params"].get("after", self.exchange.newest())

    def receive(self, timeout_s):
        time = self.exchange.time
        if self.replies:
            return json.dumps(self.replies.pop(0))
        if time.now_s > self.end_s or (self.fault == "cut" and self.messages >= 3):
            raise ConnectionResetError("cut")
        newest = self.exchange.newest()
        if self.sent is not None and (self.messages == 0 or newest > self.sent):
            self.messages += 1
            is_odd = self.messages > 2
            first = self.sent + 1 + (is_odd and self.fault == "skipped") - (is_odd and self.fault == "doubled")
            data = [{"sequence": sequence} for sequence in range(first, newest + 1)]
            kind = "snapshot" if self.messages == 1 else "update"
            self.sent = newest
            return json.dumps({"channel": "events", "type": kind, "sequence": newest, "data": data})
        time.sleep(timeout_s)
        return None

    def close(self):
        pass


def fail(*_arguments):
    raise OSError("unreachable")


def play(seed):
    exchange = Exchange(seed)
    client = BureauClient(
        "https://exchange.example",
        "bk_test_1",
        transport=fail,
        clock=Clock(exchange.time.now, exchange.time.sleep),
        random=exchange.draw.random,
        open_socket=exchange.open,
    )
    seen = []
    for message in client.stream("events", after=0):
        seen += [event["sequence"] for event in message["data"]]
        if len(seen) >= len(exchange.times):
            break
    return {"seed": seed, "right": seen == list(range(1, len(exchange.times) + 1)), "events": len(seen), "opened": exchange.opened}


print(json.dumps([play(int(seed)) for seed in sys.argv[1:]]))
