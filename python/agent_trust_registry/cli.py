"""`atr-verify`: checks an answer offline. Exit codes: 0 ok; 1 refused; 2 wrong usage, or nothing
that could be checked; 3 a fault."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from .checkpoint import open_checkpoint
from .forms import to_base64
from .growth import Tiles, check_growth
from .policy import Policy, read_policy
from .problems import Refused, RegistryError
from .transport import Transport
from .verdict import CLASSES, Checkpoint, Failure, Verdict, failed
from .verify import verify

OK, REFUSED, USAGE, FAULT = 0, 1, 2, 3
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_CLOCKS_MAY_DIFFER = timedelta(minutes=1)


def main(args: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(args)
    try:
        policy = read_policy(Path(asked.policy).read_text("utf-8"))
        text = _read(asked.source)
        not_before, not_after = _ages(asked.max_age)
        verdict = verify(text, policy, not_before=not_before, not_after=not_after)
        if asked.pin and verdict.checkpoint:
            _follow_pin(Path(asked.pin), verdict.checkpoint, policy)
    except Failure as failure:
        if failure.reason == "policy_malformed":
            return _complain(USAGE, "the policy file is not a policy: get it from <service>/log/policy")
        verdict = failed(failure.reason)
    except UnicodeDecodeError:
        verdict = failed("json_malformed")
    except Refused as refused:
        return _complain(REFUSED, f"the service has refused: {refused}")
    except OSError as error:
        return _complain(USAGE, f"{error.filename}: {error.strerror}")
    except NotImplementedError as limit:
        return _complain(USAGE, str(limit))
    except RegistryError as fault:
        return _complain(FAULT, str(fault))
    print(json.dumps(_as_json(verdict)) if asked.json else _in_words(verdict))
    return OK if verdict.ok else REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("atr-verify", description="Checks an answer of an Agent Trust Registry offline.")
    parser.add_argument("source", metavar="FILE|-|URL", help="the answer about figures, or a signed checkpoint")
    parser.add_argument("--policy", required=True, metavar="FILE", help="the log keys and witnesses that you pinned")
    parser.add_argument("--pin", metavar="FILE", help="keeps the newest checkpoint; checks that the log only grew")
    parser.add_argument("--max-age", type=_duration, metavar="72h", help="refuses an older view; units s, m, h, d")
    parser.add_argument("--json", action="store_true", help="prints the verdict as JSON")
    return parser


def _duration(text: str) -> timedelta:
    match = re.fullmatch(r"([1-9][0-9]{0,4})([smhd])", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError("a number and a unit, as 72h")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _ages(max_age: timedelta | None) -> tuple[str | None, str | None]:
    """Returns the oldest view that will do, and the latest that is not dated ahead."""
    if max_age is None:
        return None, None
    now = datetime.now(timezone.utc)
    return f"{now - max_age:%Y-%m-%dT%H:%M:%SZ}", f"{now + _CLOCKS_MAY_DIFFER:%Y-%m-%dT%H:%M:%SZ}"


def _read(source: str) -> str:
    if source == "-":
        return sys.stdin.buffer.read().decode()
    if source.startswith(("https://", "http://")):
        return Transport().send(source, {"Accept": "application/json, text/plain"}).decode()
    return Path(source).read_bytes().decode()


def _follow_pin(path: Path, newer: Checkpoint, policy: Policy) -> None:
    """Moves the pin to a checkpoint that continues it. A log that shrank or forked fails, and the pin stays."""
    if path.exists():
        older = open_checkpoint(path.read_bytes().decode(), policy)
        check_growth(older, newer, _tiles(policy.urls.get(newer.origin)))
        if older.size == newer.size:
            return
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(newer.note.encode())
    os.replace(beside, path)


def _tiles(log: str | None) -> Tiles:
    def tile(name: str) -> bytes | None:
        if log is None or not log.startswith(("https://", "http://")):
            return None
        full = name.partition(".p/")[0]
        try:
            return Transport().send(f"{log}/{name}", {"Accept": "application/octet-stream"})
        except RegistryError:
            # A partial tile may be gone once the full one is there.
            return tile(full) if full != name else None

    return tile


def _complain(code: int, sentence: str) -> int:
    print(f"atr-verify: {sentence}", file=sys.stderr)
    return code


def _as_json(verdict: Verdict) -> dict[str, Any]:
    body: dict[str, Any] = {"ok": verdict.ok, "class": verdict.cls, "reason": verdict.reason}
    if verdict.checkpoint:
        head = verdict.checkpoint
        witnesses = [{"name": name, "seconds": seconds} for name, seconds in head.cosigners]
        body["checkpoint"] = {"origin": head.origin, "size": head.size, "root": to_base64(head.root)}
        body["checkpoint"]["cosigners"] = witnesses
    if verdict.figures:
        body["figures"] = verdict.figures
    return body


def _in_words(verdict: Verdict) -> str:
    head, figures = verdict.checkpoint, verdict.figures
    if head is None:
        return f"failed: {verdict.reason}\n{CLASSES[verdict.cls]}"
    lines = ["ok"]
    if figures:
        sample = " (sample data)" if figures["data_class"] == "sample" else ""
        release = figures["release_id"] or "no release yet"
        lines.append(f"figures of {release}, recorded {figures['recorded_at']}{sample}")
    lines.append(f"{head.origin}, {head.size} entries, cosigned by {len(head.cosigners)} witnesses of the policy")
    return "\n".join(lines)
