"""`atr-verify`, as a shell sees it."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from agent_trust_registry.cli import main
from agent_trust_registry.forms import from_base64

from .scripted_service import Answer, ScriptedService
from .test_answers import ANSWERS, DAY, policy_of, text_of
from .test_vectors import vectors


class Shell(unittest.TestCase):
    """Runs the command on files of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_bytes(text.encode())
        return str(self.folder / name)

    def run_with(self, *args: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = main(args)
            except SystemExit as stop:
                code = int(stop.code or 0)
        return code, said.getvalue()


class Commands(Shell):
    def test_an_answer_about_figures_is_checked(self) -> None:
        good, old = vectors("figures")[0], next(v for v in vectors("figures") if v["name"].endswith("with w=0.49"))
        policy = ("--policy", self.file("policy", good["policy"]))
        code, said = self.run_with(self.file("good", good["body"]), *policy)
        figures = "figures of 2026-10-06.1, recorded 2026-10-06T00:00:01Z"
        self.assertEqual((code, said.split("\n")[:2]), (0, ["ok", figures]))
        code, said = self.run_with(self.file("bad", old["body"]), *policy)
        self.assertEqual((code, said.split("\n")[0]), (1, "failed: body_contradicts_proof"))
        code, said = self.run_with(self.file("good", good["body"]), *policy, "--json")
        verdict = json.loads(said)
        self.assertEqual((verdict["ok"], verdict["class"], verdict["checkpoint"]["size"]), (True, None, 9))
        code, said = self.run_with(self.file("good", good["body"]), *policy, "--max-age", "1s", "--json")
        self.assertEqual((code, json.loads(said)["class"]), (1, "stale"))

    def test_an_answer_about_prices_is_checked_for_what_was_asked(self) -> None:
        policy = ("--policy", self.file("policy", policy_of("a price")))
        day = ("--as-of", DAY)
        price, bill = self.file("price", text_of("a price")), self.file("bill", text_of("a bill"))
        lines = ["ok", "99213 national medicare_pfs non_facility: 95.19, cms-pfs:SAMPLE26D:1 (sample data)"]
        for asked in (
            ("--cpt", "99213", *day),
            ("--asked", f"/reference?cpt=99213&as_of={DAY}&proof=full"),
            ("--any",),
        ):
            code, said = self.run_with(price, *policy, *asked)
            self.assertEqual((code, said.split("\n")[:2]), (0, lines), asked)
        code, said = self.run_with(price, *policy, "--cpt", "99213", "--setting", "facility", *day, "--json")
        self.assertEqual((code, json.loads(said)["class"]), (1, "not_the_answer"))
        sent = json.dumps({"lines": ANSWERS["a bill"]["asked"]["questions"]})
        self.assertEqual(self.run_with(bill, *policy, "--asked", sent)[0], 0)
        code, said = self.run_with(bill, *policy, "--asked", sent.replace("99999", "99213"))
        self.assertEqual((code, said.split("\n")[0]), (1, "failed in item 2: answers_another_question"))
        sheet = (self.file("sheet", text_of("a sheet")), *policy, "--asked")
        self.assertEqual(self.run_with(*sheet, f"/reference/sheet?cpt=99213&region=94102&as_of={DAY}")[0], 0)
        self.assertEqual(self.run_with(*sheet, f"/reference/sheet?cpt=99213&region=94103&as_of={DAY}")[0], 1)

    def test_an_address_is_its_own_question(self) -> None:
        bodies = [Answer(body=json.loads(text_of("a price"))), Answer(404, json.loads(text_of("not on a schedule")))]
        policy = ("--policy", self.file("policy", policy_of("a price")))
        with ScriptedService([*bodies, bodies[0]]) as service:
            for code, expected in (("99213", 0), ("99999", 0), ("99214", 1)):
                address = f"{service.url}/reference?cpt={code}&as_of={DAY}"
                self.assertEqual(self.run_with(address, *policy)[0], expected, code)

    def test_wrong_use_and_what_cannot_be_checked_have_codes_of_their_own(self) -> None:
        policy = ("--policy", self.file("policy", vectors("figures")[0]["policy"]))
        self.assertEqual(self.run_with("none", "--policy", "none")[0], 2)
        self.assertEqual(self.run_with(self.file("x", "{}"), "--policy", self.file("bad", "log"))[0], 2)
        self.assertEqual(self.run_with(self.file("x", "{}"), *policy, "--max-age", "72")[0], 2)
        self.assertEqual(self.run_with("http://127.0.0.1:9/api/figures?", *policy, "--max-age")[0], 2)
        code, said = self.run_with(self.file("price", "{}"), *policy)
        self.assertEqual((code, "say what was asked" in said), (2, True))
        self.assertEqual(self.run_with(self.file("price", "{}"), *policy, "--cpt", "99213", "--any")[0], 2)
        self.assertEqual(self.run_with(self.file("price", "{}"), *policy, "--asked", "/api/integrity")[0], 2)
        (self.folder / "bytes").write_bytes(b"\xff")
        self.assertEqual(self.run_with(str(self.folder / "bytes"), *policy)[0], 1)

    def test_the_pin_moves_only_to_what_continues_it(self) -> None:
        grown = next(v for v in vectors("growth") if v["name"] == "from three to seven")
        forked = next(v for v in vectors("growth") if v["name"] == "a fork before the older size")
        pin = self.folder / "pin"
        tiles = [from_base64(tile) for vector in (grown, forked) for tile in vector["tiles"].values()]
        gone = Answer(404, {"code": "route_not_found"})
        with ScriptedService([gone, *(Answer(body=tile) for tile in tiles)]) as service:
            policy = grown["policy"].replace("D29c\n", f"D29c {service.url}/log/registry\n")
            rest = ("--policy", self.file("policy", policy), "--pin", str(pin))
            older, newer = self.file("older", grown["older"]), self.file("newer", grown["newer"])
            self.assertEqual(self.run_with(older, *rest)[0], 0)
            said = "ok\nvectors.example/log/registry, 7 entries, cosigned by 0 witnesses of the policy\n"
            self.assertEqual(self.run_with(newer, *rest), (0, said))
            self.assertEqual(pin.read_text("utf-8"), grown["newer"])
            asked = [request.path for request in service.requests]
            self.assertEqual(asked, ["/log/registry/tile/0/000.p/7", "/log/registry/tile/0/000"])
            code, said = self.run_with(older, *rest)
            self.assertEqual((code, said.split("\n")[0]), (1, "failed: log_rolled_back"))
            pin.write_text(forked["older"], "utf-8")
            code, said = self.run_with(self.file("newer", forked["newer"]), *rest)
            self.assertEqual((code, said.split("\n")[0]), (1, "failed: log_forked"))
            self.assertEqual(pin.read_text("utf-8"), forked["older"])


if __name__ == "__main__":
    unittest.main()
