"""The vectors of the specification. They compare `ok` and the class; a reason is a hint."""

import json
import unittest
from pathlib import Path
from typing import Any

from agent_trust_registry import replay, verify, verify_derivation, verify_growth
from agent_trust_registry.canonical_json import MalformedJson, canonical, read_json
from agent_trust_registry.checkpoint import open_checkpoint
from agent_trust_registry.forms import from_base64, to_base64
from agent_trust_registry.policy import PolicyMalformed, read_policy
from agent_trust_registry.verdict import Failure, Verdict, failed

VECTORS = Path(__file__).parents[2] / "docs/spec/vectors"
Vector = dict[str, Any]


def vectors(name: str) -> list[Vector]:
    found: list[Vector] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["vectors"]
    return found


def expected(vector: Vector) -> Vector:
    return {name: value for name, value in vector["expect"].items() if name != "reason"}


def outcome(verdict: Verdict) -> Vector:
    return {"ok": True} if verdict.ok else {"ok": False, "class": verdict.cls}


def of_json(vector: Vector) -> Vector:
    try:
        return {"ok": True, "canonical": canonical(read_json(vector["text"]))}
    except MalformedJson:
        return outcome(failed(Failure("json_malformed")))


def of_policy(vector: Vector) -> Vector:
    try:
        policy = read_policy(vector["policy"])
    except PolicyMalformed:
        return {"ok": False, "class": "malformed"}
    retired = [{"name": each.key.name, "size": each.size} for each in policy.retired]
    logs = [key.name for key in policy.logs]
    return {"ok": True, "logs": logs, "retired": retired, "witnesses": list(policy.witnesses), "quorum": policy.quorum}


def of_checkpoint(vector: Vector) -> Vector:
    head = open_checkpoint(vector["note"], read_policy(vector["policy"]))
    cosigners = [{"name": name, "seconds": seconds} for name, seconds in head.cosigners]
    root = to_base64(head.root)
    return {"ok": True, "head": {"origin": head.origin, "size": head.size, "root": root}, "cosigners": cosigners}


def of_growth(vector: Vector) -> Vector:
    tiles = {path: from_base64(hashes) for path, hashes in vector.get("tiles", {}).items()}
    return outcome(verify_growth(vector["older"], vector["newer"], vector["policy"], tiles.get, vector.get("path")))


def of_derivation(vector: Vector) -> Vector:
    return outcome(verify_derivation(read_json(vector["row"])))


def of_replay(vector: Vector) -> Vector:
    return {"ok": True, "faults": replay([read_json(entry) for entry in vector["entries"]])}


class Vectors(unittest.TestCase):
    def judge(self, name: str, said: Any, at_least: int) -> None:
        found = vectors(name)
        self.assertGreaterEqual(len(found), at_least)
        for vector in found:
            with self.subTest(vector["name"]):
                try:
                    self.assertEqual(said(vector), expected(vector))
                except Failure as failure:
                    self.assertEqual(outcome(failed(failure)), expected(vector))

    def test_policies(self) -> None:
        self.judge("policy", of_policy, 100)

    def test_checkpoints(self) -> None:
        self.judge("checkpoint", of_checkpoint, 90)

    def test_growth(self) -> None:
        self.judge("growth", of_growth, 30)

    def test_derivations(self) -> None:
        self.judge("derivation", of_derivation, 200)

    def test_bodies(self) -> None:
        bodies = [vector for path in VECTORS.glob("*.json") for vector in vectors(path.stem) if vector["kind"] == "body"]
        self.assertGreater(len(bodies), 600)
        for vector in bodies:
            with self.subTest(vector["name"]):
                ages = {name: vector.get(name) for name in ("not_before", "not_after")}
                verdict = verify(vector["body"], vector["policy"], vector.get("asked"), **ages)
                self.assertEqual((verdict.ok, verdict.cls), (vector["expect"]["ok"], vector["expect"].get("class")))

    def test_replays_of_figures(self) -> None:
        self.judge("replay", of_replay, 50)

    def test_json(self) -> None:
        self.judge("json", of_json, 30)

    def test_a_checkpoint_verifies_by_itself_and_has_an_age_only_by_its_witnesses(self) -> None:
        for vector in vectors("checkpoint"):
            if vector["name"] not in ("a checkpoint", "a quorum of one of two, by both"):
                continue
            verdict = verify(vector["note"], vector["policy"])
            self.assertTrue(verdict.ok and verdict.checkpoint and verdict.checkpoint.size == 7)
            aged = verify(vector["note"], vector["policy"], not_before="2026-10-06T00:00:00Z")
            self.assertEqual((aged.ok, aged.cls), (True, None) if vector["expect"]["cosigners"] else (False, "stale"))

    def test_a_row_of_any_other_form_is_refused(self) -> None:
        row = read_json(vectors("derivation")[0]["row"])
        for name in ("kind", "basis", "region", "flags", "indicators", "derivation", "price"):
            values: tuple[Any, ...] = (None, 1, [{}], "x")
            for value in values:
                self.assertFalse(verify_derivation({**row, name: value}).ok)


class Texts(unittest.TestCase):
    def test_each_refusal_has_its_word(self) -> None:
        for text, word in {
            '{"a":1,"\\u0061":2}': "duplicate_member",
            "[" * 33 + "]" * 33: "too_deep",
            '["\\ud800"]': "bad_string",
            '["\ud800"]': "bad_string",
            "[1e999]": "bad_number",
            "[9007199254740992]": "bad_number",
            "[9007199254740993.0]": "bad_number",
            "[1" + "0" * 5000 + "]": "bad_number",
            "1 2": "trailing_data",
            "\ufeff1": "syntax",
            "[-Infinity]": "syntax",
            '"' + '\\"' * 100_000: "syntax",
        }.items():
            with self.subTest(text[:30]), self.assertRaises(MalformedJson) as caught:
                read_json(text)
            self.assertEqual(caught.exception.word, word)


if __name__ == "__main__":
    unittest.main()
