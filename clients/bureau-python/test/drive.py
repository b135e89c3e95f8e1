"""Drives the Python client from outside: one question of JSON a line, one answer a line. See python-client.ts."""

import json
import re
import sys
import traceback
from dataclasses import replace

from bureau_client import BureauClient, BureauConnectionError, BureauError, Clock, Response, RetryLimits
from bureau_client.transport import send


def snake(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def camel(name):
    return re.sub("_([a-z])", lambda part: part[1].upper(), name)


def read_limits(options):
    given = {
        "attempts": options.get("attempts"),
        "timeout_s": options["timeoutMs"] / 1000 if "timeoutMs" in options else None,
        "total_s": options["totalMs"] / 1000 if "totalMs" in options else None,
    }
    return RetryLimits(**{name: value for name, value in given.items() if value is not None})


def make_call(client, call):
    options = call.get("options", {})
    given = {snake(name): value for name, value in call.get("query", {}).items()}
    given |= {snake(name): options[name] for name in ("idempotencyKey", "requestId") if name in options}
    if {"attempts", "timeoutMs", "totalMs"} & set(options):
        given["limits"] = read_limits(options)
    bodies = [call["body"]] if "body" in call else []
    return getattr(client, snake(call["operation"]))(*call.get("path", []), *bodies, **given)


def describe(fault, client):
    """What the client says of a call that ended badly, and all that Python shows of it."""
    shown = "".join(traceback.format_exception(fault)) + repr(fault) + repr(vars(fault)) + repr(client) + str(vars(client))
    common = {
        "message": str(fault),
        "attempts": fault.attempts,
        "idempotencyKey": fault.idempotency_key,
        "shown": shown,
    }
    if isinstance(fault, BureauConnectionError):
        return {"kind": "lost", **common, "cause": f"{type(fault.__cause__).__name__}: {fault.__cause__}"}
    return {
        "kind": "refused",
        **common,
        "code": fault.code,
        "status": fault.status,
        "detail": fault.detail,
        "requestId": fault.request_id,
        "retryable": fault.retryable,
        "errors": fault.errors,
        "members": fault.members,
    }


def outcome_of(client, act):
    try:
        return {"value": act(client)}
    except (BureauError, BureauConnectionError) as fault:
        return {"fault": describe(fault, client)}


def connect(settings):
    def send_in_scenario(request, timeout_s):
        headers = {**request.headers, "X-Sandbox-Scenario": settings["scenario"]}
        return send(replace(request, headers=headers), timeout_s)

    transport = send_in_scenario if settings.get("scenario") else send
    limits = read_limits(settings)
    return BureauClient(
        settings["origin"], settings.get("apiKey"), limits=limits, transport=transport, random=lambda: 0.0
    )


def play(script):
    """A client whose network plays the steps in turn. Waits are over at once, and an attempt's time when it hangs."""
    steps, sent, slept, now = list(script["steps"]), [], [], [0.0]

    def sleep(seconds):
        now[0] += seconds
        slept.append(round(seconds * 1000))

    def transport(request, timeout_s):
        body = None if request.body is None else request.body.decode()
        sent.append({"method": request.method, "key": request.headers.get("Idempotency-Key"), "body": body})
        step = steps.pop(0)
        if step["kind"] == "break":
            raise ConnectionError("connection lost")
        if step["kind"] == "hang":
            sleep(timeout_s)
            raise TimeoutError("no whole answer in time")
        headers = {name.lower(): value for name, value in step["headers"].items()}
        return Response(step["status"], headers, step["body"].encode())

    client = BureauClient(
        "https://bureau.test",
        "bk_test_key",
        transport=transport,
        clock=Clock(lambda: now[0], sleep),
        random=lambda: script.get("random", 0),
    )
    outcomes = [outcome_of(client, lambda client, call=call: make_call(client, call)) for call in script["calls"]]
    return {"outcomes": outcomes, "sent": sent, "slept": slept}


def reply(question):
    if "play" in question:
        return {"value": play(question["play"])}
    if "operations" in question:
        return {"value": [camel(name) for name in dir(BureauClient) if not name.startswith("_")]}
    client = connect(question["settings"])
    if "call" in question:
        return outcome_of(client, lambda client: make_call(client, question["call"]))
    walk = question["walk"]
    given = {snake(name): value for name, value in walk.items() if name != "list"}
    return outcome_of(client, lambda client: list(getattr(client, walk["list"])(**given)))


for line in sys.stdin:
    print(json.dumps(reply(json.loads(line))), flush=True)
