"""`atr-verify`: checks an answer offline. Exit codes: 0 ok; 1 refused; 2 wrong usage, or nothing
that could be checked; 3 a fault."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from .asked import Asked, asked_by, today
from .canonical_json import MalformedJson, read_json
from .checkpoint import since
from .figures import PROOF_TYPE
from .forms import to_base64
from .pins import Pins
from .policy import PolicyMalformed, read_policy
from .problems import Refused, RegistryError
from .question import PARTS
from .source import REASONS, check_sources
from .transport import Transport
from .verdict import CLASSES, Failure, ProvedRow, Verdict, failed
from .verify import verify

OK, REFUSED, USAGE, FAULT = 0, 1, 2, 3
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class Usage(Exception):
    """The command cannot be carried out as it was given."""


def main(args: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if args is None else list(args)
    if given == ["--stdin"]:
        return judge_lines()
    asked = _parser().parse_args(given)
    try:
        policy = read_policy(Path(asked.policy).read_text("utf-8"))
        text = _read(asked.answer)
        not_before, not_after = since(asked.max_age)
        verdict = verify(text, policy, _question(asked, text), not_before=not_before, not_after=not_after)
        borne_out = check_sources(verdict, asked.files) if asked.files and verdict.ok else None
        if borne_out == 0:
            return _complain(USAGE, "nothing in this answer cites a file")
        if asked.pin and verdict.checkpoint:
            pin = Path(asked.pin)
            Pins(pin.parent).follow(pin.name, verdict.checkpoint, policy, Transport())
    except PolicyMalformed:
        return _complain(USAGE, "the policy file is not a policy: get it from <service>/log/policy")
    except Failure as failure:
        verdict, borne_out = failed(failure), None
    except UnicodeDecodeError:
        verdict, borne_out = failed(Failure("json_malformed")), None
    except Refused as refused:
        return _complain(REFUSED, f"the service has refused: {refused}")
    except OSError as error:
        return _complain(USAGE, f"{error.filename}: {error.strerror}")
    except Usage as usage:
        return _complain(USAGE, str(usage))
    except RegistryError as fault:
        return _complain(FAULT, str(fault))
    print(json.dumps(_as_json(verdict)) if asked.json else _in_words(verdict))
    if borne_out and not asked.json:
        print(f"borne out by the files: {borne_out}")
    return OK if verdict.ok else REFUSED


def judge_lines() -> int:
    """Reads a JSON object a line, `{text, policy, asked, not_before?, not_after?}`, and writes `{ok, class}` for each."""
    for line in sys.stdin.buffer:
        try:
            given = read_json(line.decode())
            ages = {name: given.get(name) for name in ("not_before", "not_after")}
            verdict = verify(given["text"], given["policy"], given.get("asked"), **ages)
        except Exception:  # Any line gets an answer: what cannot be judged is no answer by its form.
            verdict = failed(Failure("not_recognised"))
        print(json.dumps({"ok": verdict.ok, "class": verdict.cls}), flush=True)
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("atr-verify", description="Checks an answer of an Agent Trust Registry offline.")
    parser.add_argument("answer", metavar="FILE|-|URL", help="the answer, or a signed checkpoint")
    parser.add_argument("--policy", required=True, metavar="FILE", help="the log keys and witnesses that you pinned")
    parser.add_argument("--pin", metavar="FILE", help="keeps the newest checkpoint; checks that the log only grew")
    parser.add_argument("--max-age", type=_duration, metavar="72h", help="refuses an older view; units s, m, h, d")
    parser.add_argument("--source", action="append", dest="files", metavar="FILE", help="a file that the answer cites")
    parser.add_argument("--json", action="store_true", help="prints the verdict as JSON")
    parser.add_argument("--asked", metavar="ADDRESS", help="what was asked: the address, or the JSON that was sent: a batch, a bill")
    parser.add_argument("--any", action="store_true", help="only that it was published, whatever it answers")
    lookup = parser.add_argument_group("what was asked, of a lookup (without --as-of: today)")
    for part in PARTS:
        lookup.add_argument(f"--{part.replace('_', '-')}", metavar=part.upper())
    return parser


def _question(asked: argparse.Namespace, text: str) -> Asked | None:
    """Returns what was asked: as it is stated, or else the address from which the answer comes."""
    parts = {part: getattr(asked, part) for part in PARTS if getattr(asked, part) is not None}
    if bool(parts) + bool(asked.asked) + asked.any > 1:
        raise Usage("say what was asked in one way: --cpt and the rest, --asked, or --any")
    if parts:
        return {"question": {"as_of": today(), **parts}}
    address = asked.asked or asked.answer
    if asked.any or (asked.asked is None and ("\n\n\u2014" in text or PROOF_TYPE in text)):
        return None
    try:
        if address.startswith("{"):
            sent = read_json(address)
            if any("cpt" in line for line in sent["lines"]):
                return {"questions": [{"as_of": today(), **line} for line in sent["lines"]]}
            return {"bill": {"day": today(), **sent}}
        if asked.asked or address.startswith(("https://", "http://")):
            return asked_by(address)
    except (MalformedJson, KeyError, TypeError, ValueError):
        raise Usage("--asked takes the address of an answer, or the JSON that was sent to a batch") from None
    raise Usage("say what was asked: --cpt CODE and the rest, --asked ADDRESS; or --any, to check only the proof")


def _duration(text: str) -> timedelta:
    match = re.fullmatch(r"([1-9][0-9]{0,4})([smhd])", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError("a number and a unit, as 72h")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _read(source: str) -> str:
    if source == "-":
        return sys.stdin.buffer.read().decode()
    if source.startswith(("https://", "http://")):
        try:
            return Transport().send(source, {"Accept": "application/json, text/plain"}).decode()
        except Refused as refused:
            # That there is no price is an answer too, with a proof.
            if "proof" not in refused.body:
                raise
            return json.dumps(refused.body)
    return Path(source).read_bytes().decode()


def _complain(code: int, sentence: str) -> int:
    print(f"atr-verify: {sentence}", file=sys.stderr)
    return code


def _as_json(verdict: Verdict) -> dict[str, Any]:
    body: dict[str, Any] = {"ok": verdict.ok, "class": verdict.cls, "reason": verdict.reason}
    body |= {} if verdict.at is None else {"at": verdict.at}
    if verdict.checkpoint:
        head = verdict.checkpoint
        witnesses = [{"name": name, "seconds": seconds} for name, seconds in head.cosigners]
        body["checkpoint"] = {"origin": head.origin, "size": head.size, "root": to_base64(head.root)}
        body["checkpoint"]["cosigners"] = witnesses
    if verdict.figures:
        body["figures"] = verdict.figures
    names = ("release_id", "data_class")
    body["rows"] = [{"row": each.row, **{name: each.manifest[name] for name in names}} for each in verdict.rows]
    body["decisions"] = [each and each.outcome for each in verdict.decisions]
    return {name: member for name, member in body.items() if member != []}


def _in_words(verdict: Verdict) -> str:
    head, figures = verdict.checkpoint, verdict.figures
    if head is None:
        where = "" if verdict.at is None else f" in item {verdict.at}"
        return f"failed{where}: {verdict.reason}\n{CLASSES.get(verdict.cls or '') or REASONS[str(verdict.reason)]}"
    lines = ["ok", *(_row_in_words(each) for each in verdict.rows)]
    lines += [f"proved: {each.outcome}" for each in verdict.decisions if each and each.outcome != "price"]
    lines += [f"release {each['release_id']}" for each in verdict.releases]
    if figures:
        sample = " (sample data)" if figures["data_class"] == "sample" else ""
        release = figures["release_id"] or "no release yet"
        lines.append(f"figures of {release}, recorded {figures['recorded_at']}{sample}")
    elif verdict.recorded_at:
        lines.append(f"as of {verdict.recorded_at}")
    lines.append(f"{head.origin}, {head.size} entries, cosigned by {len(head.cosigners)} witnesses of the policy")
    return "\n".join(lines)


def _row_in_words(proved: ProvedRow) -> str:
    row, manifest = proved.row, proved.manifest
    price = row.get("price", {})
    said = price.get("amount") or "-".join(price[end] for end in ("low", "high") if end in price) or row.get("reason")
    sample = " (sample data)" if manifest["data_class"] == "sample" else ""
    names = ("code", "region", "npi", "basis", "modifier", "setting", "class", "zip", "plus_four")
    words = " ".join(row[name] for name in names if row.get(name))
    return f"{words}: {said or row.get('region')}, {manifest['release_id']}{sample}"
