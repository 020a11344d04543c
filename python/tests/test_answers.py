"""Answers about prices: those of a service verify, and whatever is changed in one is noticed.

`answers.json` has bodies of two services with sample data, each with the policy and with what was asked.
"""

import copy
import json
import random
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_trust_registry import Verdict, verify
from agent_trust_registry.known import Known
from agent_trust_registry.question import read_question
from agent_trust_registry.tables import DIGEST
from agent_trust_registry.verdict import CLASSES, Failure

HERE = Path(__file__).parents[1]
STORED = json.loads((HERE / "tests/answers.json").read_text("utf-8"))
ANSWERS = STORED["answers"]
DAY = "2026-11-19"


def text_of(name: str) -> str:
    text: str = ANSWERS[name]["body"]
    return text


def policy_of(name: str) -> str:
    policy: str = STORED["policies"][ANSWERS[name]["policy"]]
    return policy


def check(name: str, asked: Any = ..., body: Any = None, **ages: str) -> Verdict:
    text = text_of(name) if body is None else json.dumps(body)
    return verify(text, policy_of(name), ANSWERS[name]["asked"] if asked is ... else asked, **ages)


def proved(verdict: Verdict) -> Any:
    decisions = [each and (each.outcome, each.rule, each.row, each.ignored, each.charts) for each in verdict.decisions]
    return verdict.rows, decisions, verdict.releases


def body_of(name: str) -> Any:
    return json.loads(text_of(name))


def question(**parts: str) -> dict[str, Any]:
    return {"question": {"cpt": "99213", "as_of": DAY, **parts}}


class Honest(unittest.TestCase):
    def test_every_answer_verifies_for_its_question_and_as_published(self) -> None:
        for name in ANSWERS:
            with self.subTest(name):
                verdict = check(name)
                self.assertEqual((verdict.ok, verdict.cls, verdict.reason), (True, None, None))
                self.assertTrue(check(name, None).ok)

    def test_what_was_proved_is_told(self) -> None:
        price = check("a price at a ZIP code")
        self.assertEqual([row.row["price"]["amount"] for row in price.rows], ["113.34"])
        self.assertEqual(price.rows[0].manifest["release_id"], "cms-pfs:SAMPLE26D:1")
        self.assertEqual([each and each.outcome for each in price.decisions], ["price"])
        bill = check("a bill")
        self.assertEqual(
            [each and each.outcome for each in bill.decisions], ["price", "not_on_schedule", None, "price"]
        )
        self.assertEqual([each["chart"] for each in check("coverage").releases], ["cms-pfs"])

    def test_members_in_about_say_nothing(self) -> None:
        for name in ANSWERS:
            body = body_of(name)
            body["about"] = {"anything": ["at all"]}
            self.assertTrue(check(name, body=body).ok, name)
            body["about"]["checkpoint"] = "another"
            self.assertEqual(check(name, body=body).cls, "malformed", name)


class Refused(unittest.TestCase):
    def refuses(self, cls: str, verdict: Verdict) -> None:
        self.assertEqual((verdict.ok, verdict.cls, verdict.rows), (False, cls, ()))

    def test_an_answer_to_another_question(self) -> None:
        for asked, cls in (
            (question(setting="facility"), "not_the_answer"),
            (question(modifier="25"), "not_the_answer"),
            (question(cpt="99214"), "incomplete"),
            (question(as_of="2026-09-30"), "incomplete"),
            (question(region="94102"), "incomplete"),
            (question(surprise="x"), "not_the_answer"),
            ({"question": {"cpt": "99213"}}, "not_the_answer"),
            ({"sheet": {"cpt": "99213", "as_of": DAY}}, "not_the_answer"),
            ({"figures": True}, "malformed"),
            ({}, "not_the_answer"),
        ):
            with self.subTest(asked):
                self.refuses(cls, check("a price", asked))

    def test_an_answer_with_something_changed(self) -> None:
        def changed(name: str, *path: Any, to: Any) -> Verdict:
            body = member = body_of(name)
            for step in path[:-1]:
                member = member[step]
            member[path[-1]] = to
            return check(name, body=body)

        self.refuses("not_in_release", changed("a price", "price", "amount", to="0.01"))
        self.refuses("malformed", changed("a price", "price", "amount", to="1"))
        self.refuses("not_in_release", changed("a price", "row", "index", to=988))
        self.refuses("malformed", changed("a price", "row", "release", to=1))
        self.refuses("not_the_answer", changed("a price", "prolonged", to={"publisher_until": "2026-12-31"}))
        self.refuses("not_the_answer", changed("a price with an adjusting modifier", "adjustment", "amount", to="1.00"))
        self.refuses("not_the_answer", changed("a price with an adjusting modifier", "modifiers_ignored", to=["25"]))
        self.refuses("not_the_answer", changed("no edition", "charts", 0, "held", to=[]))
        self.refuses("not_the_answer", changed("not on a schedule", "code", to="region_ambiguous"))
        self.refuses("not_the_answer", changed("not on a schedule", "rule", to="R9"))
        self.refuses("arithmetic", changed("a bill", "results", 3, "extended", "amount", to="7.92"))
        self.refuses("arithmetic", changed("a bill", "summary", "priced", to=3))
        self.refuses("not_the_answer", changed("a sheet", "not_held", to=["cms-asc"]))
        self.refuses("not_in_log", changed("releases", "proof", "entries", "hashes", 0, to="A" * 43 + "="))
        self.refuses("not_in_log", changed("a price", "proof", "state", "tables", to="0" * 64))
        self.refuses("not_in_force", changed("a price", "proof", "timeline", "leaves", 0, 1, "to", to="2099-12-30"))

    def test_an_answer_with_something_left_out(self) -> None:
        def without(name: str, *path: Any) -> Verdict:
            body = member = body_of(name)
            for step in path[:-1]:
                member = member[step]
            del member[path[-1]]
            return check(name, body=body)

        self.refuses("nothing_proved", without("a price", "proof"))
        self.refuses("nothing_proved", without("a price", "row"))
        self.refuses("not_in_force", without("a price", "proof", "timeline"))
        self.refuses("not_in_release", without("a price", "proof", "releases", 0, "rows", "leaves", 0))
        self.refuses("not_in_release", without("a price at a ZIP code", "place"))
        self.refuses("not_in_release", without("a sheet", "data", 0))
        self.refuses("not_the_answer", without("a price with an adjusting modifier", "modifiers_ignored"))
        self.refuses("malformed", without("a history", "data", 0, "answer", "problem", "code"))
        self.refuses("incomplete", without("releases", "data", 1))

    def test_a_row_that_is_proved_and_not_shown(self) -> None:
        for name, cls in (("a page", "incomplete"), ("a sheet", "not_the_answer")):
            body = body_of(name)
            row = body["data"].pop(-2)
            pointer = row.pop("proof")
            leaves = body["proof"]["releases"][pointer["release"]].setdefault("rows", {}).setdefault("leaves", [])
            leaves.append([pointer["index"], row])
            leaves.sort(key=lambda leaf: leaf[0])
            self.refuses(cls, check(name, body=body))
            self.assertTrue(check(name, None, body).ok)

    def test_a_view_that_is_too_old(self) -> None:
        self.refuses("stale", check("a price", not_before="2026-11-20T00:00:00Z"))
        self.refuses("stale", check("a price", not_after="2026-11-18T00:00:00Z"))
        self.refuses("stale", check("a price", not_after="tomorrow"))
        self.assertTrue(check("a price", not_before="2026-11-19T00:00:00Z", not_after="2026-11-20T00:00:00Z").ok)

    def test_an_answer_of_another_registry(self) -> None:
        self.refuses("wrong_key", verify(text_of("a price"), STORED["policies"]["gaps"], ANSWERS["a price"]["asked"]))

    def test_no_change_anywhere_makes_a_lie_true(self) -> None:
        """Every change either is noticed, or leaves all that was proved as it was."""
        dice = random.Random(5)
        for name, stored in ANSWERS.items():
            honest, body = proved(check(name)), body_of(name)
            places = [path for path in _places(body) if not {"about", "detail", "agent_hint"} & set(path)]
            for path in dice.sample(places, min(40, len(places))):
                verdict = check(name, body=_changed(body, path, dice))
                if verdict.ok:
                    self.assertEqual(proved(verdict)[:2], honest[:2], (name, path))
                    # Lists of releases prove that none in force is missing; withdrawn ones may be left out.
                    self.assertTrue(all(each in honest[2] for each in verdict.releases), (name, path))
                else:
                    self.assertIn(verdict.cls, CLASSES)
            self.assertEqual(stored["body"], text_of(name))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _places(value[step], (*path, step))


def _changed(body: Any, path: tuple[Any, ...], dice: random.Random) -> Any:
    lie = member = copy.deepcopy(body)
    for step in path[:-1]:
        member = member[step]
    old = member[path[-1]]
    match dice.randrange(3):
        case 0:
            del member[path[-1]]
        case 1:
            member[path[-1]] = dice.choice([None, 0, 1, -1, "", "x", [], {}, True, [old], {"x": old}])
        case _:
            member[path[-1]] = f"{old}1" if isinstance(old, str) else old + 1 if type(old) is int else "2026-01-01"
    return lie


class Parts(unittest.TestCase):
    def test_the_package_carries_the_tables_of_the_specification(self) -> None:
        tables = HERE.parent / "docs/spec/tables"
        for path in (HERE / "agent_trust_registry/tables").iterdir():
            self.assertEqual(path.read_bytes(), (tables / path.name).read_bytes(), path.name)
        self.assertEqual(json.loads((tables / "digest.json").read_text("utf-8"))["rule"], DIGEST)

    def test_a_list_is_complete_if_its_neighbours_are_known(self) -> None:
        def known(*indexes: int) -> Known:
            return Known([(index, "abbbd"[index] + str(index)) for index in indexes], str, 5, "rows_contradict")

        self.assertEqual(known(0, 1, 2, 3, 4).under("b"), ["b1", "b2", "b3"])
        self.assertEqual(known(0, 1).under("a"), ["a0"])
        self.assertEqual((known(3, 4).under("c"), known(4).under("e"), known(0).under("A")), ([], [], []))
        self.assertEqual((known(2).any("b"), known(3, 4).any("c")), (True, False))
        self.assertEqual((known(0, 1).up_to("a9"), known(2).up_to("b2"), known(0).up_to("A")), ("a0", "b2", None))
        for indexes, prefix in (
            ((0, 1, 3, 4), "b"),
            ((1, 2, 3, 4), "b"),
            ((0, 1, 2, 3), "b"),
            ((0, 4), "c"),
            ((), "a"),
        ):
            self.assertRaises(Failure, known(*indexes).under, prefix)
        self.assertRaises(Failure, known(0, 2).up_to, "b0")
        self.assertRaises(Failure, known(1).up_to, "a")
        self.assertEqual((Known([], str, 0, "").under("x"), Known([], str, 0, "").up_to("x")), ([], None))

    def test_questions_have_one_meaning(self) -> None:
        read = read_question({"cpt": " g0101 ", "as_of": DAY, "region": "zip-60611-1234", "modifier": "rt-26-RT"})
        self.assertEqual((read.code, read.zip, read.digits, read.modifiers), ("G0101", "60611", "1234", ("26", "RT")))
        self.assertEqual(read_question({"cpt": "99213", "as_of": DAY, "npi": "1234567893"}).region, "national")
        for part, value in (
            ("cpt", "9921"), ("cpt", "９９２１３"), ("as_of", "2026-02-29"), ("region", "ZZ"), ("region", " IL"),
            ("npi", "1234567890"), ("modifier", "2"), ("setting", "Facility"),
            ("basis", "hospital_cash"), ("units", "1"), ("region", "uſ-il"),
        ):  # fmt: skip
            with self.subTest(part=part, value=value):
                self.assertRaises(Failure, read_question, {"cpt": "99213", "as_of": DAY, part: value})

    def test_lines_are_judged_one_by_one_whatever_they_are(self) -> None:
        good = {"text": text_of("a price"), "policy": policy_of("a price"), "asked": ANSWERS["a price"]["asked"]}
        lines = [
            good,
            {**good, "policy": "x"},
            {**good, "asked": [1]},
            {**good, "not_before": 5},
            {},
            [],
            {**good, "text": 1},
        ]
        sent = "\n".join([*map(json.dumps, lines), "junk", "[" * 100_000, json.dumps(good)]) + "\n"
        command = [sys.executable, "-m", "agent_trust_registry", "--stdin"]
        done = subprocess.run(command, input=sent.encode(), capture_output=True, cwd=HERE, check=True)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(said[0], {"ok": True, "class": None})
        classes = ["malformed", "not_the_answer", "stale", *["malformed"] * 5]
        self.assertEqual(said[1:-1], [{"ok": False, "class": cls} for cls in classes])
        self.assertEqual(said[-1], said[0])


if __name__ == "__main__":
    unittest.main()
