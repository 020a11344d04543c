"""The cited files bear out what is proved, or show that it was made up."""

import gzip
import tempfile
import unittest
from hashlib import sha256
from pathlib import Path
from typing import Any

from agent_trust_registry.choose import Decision
from agent_trust_registry.cli import main
from agent_trust_registry.source import check_sources
from agent_trust_registry.verdict import Failure, ProvedRow, Verdict

from .test_answers import DAY, policy_of, text_of
from .test_cli import Shell

SAMPLE = Path(__file__).parents[2] / "sample"
LIST = 'INVENTED,,\n"HCPCS Code","Long\nname",Payment Limit\nJ0001,a,00006.497\nJ0002,b,\n'


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, content: bytes, name: str = "list.csv") -> str:
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def manifest(self, content: bytes) -> dict[str, Any]:
        return {"chart": "cms-asp", "citations": [{"file": "list.csv", "sha256": sha256(content).hexdigest()}]}

    def said(self, verdict: Verdict, *paths: str) -> Any:
        try:
            return check_sources(verdict, paths)
        except Failure as failure:
            return failure.reason

    def row(self, content: bytes, line: int = 4, code: str = "J0001", **inputs: str) -> Verdict:
        derivation = {"method": "verbatim/1", "inputs": inputs or {"rate": "6.497"}}
        row = {"code": code, "region": "national", "derivation": derivation, "locator": [{"citation": 0, "line": line}]}
        return Verdict(ok=True, rows=(ProvedRow(row, self.manifest(content), 0),))

    def test_a_row_is_looked_up_on_its_line(self) -> None:
        content = LIST.encode()
        path = self.file(content)
        self.assertEqual(self.said(self.row(content), path), 1)
        self.assertEqual(self.said(self.row(content, 5, "J0002", rate="blank"), path), 1)
        for verdict, reason in (
            (self.row(content, 5), "line_not_found"),  # another code's line
            (self.row(content, 3), "line_not_found"),  # in the middle of a record
            (self.row(content, 9), "line_not_found"),
            (self.row(content, rate="6.498"), "inputs_not_at_line"),
            (self.row(content, rate="blank"), "inputs_not_at_line"),
            (self.row(content + b"\n"), "source_hash_mismatch"),
        ):
            self.assertEqual(self.said(verdict, path), reason)
        self.assertEqual(self.said(self.row(b"other"), self.file(content, "other.csv")), "source_missing")

    def test_a_code_that_is_said_to_have_no_row_is_not_in_the_file(self) -> None:
        content = LIST.encode()
        path, refusal = self.file(content), (Decision("not_on_schedule", "R10"),)
        for code, expected in (("J0003", 1), ("J0002", "code_in_source"), ("DRG-470", "source_unreadable")):
            absent = Verdict(ok=True, decisions=refusal, without_code=((self.manifest(content), code),))
            self.assertEqual(self.said(absent, path), expected)
            self.assertEqual(self.said(absent, self.file(b"", "other.csv")), "source_missing")
            priced = Verdict(ok=True, decisions=(Decision("price"),), without_code=absent.without_code)
            self.assertEqual(self.said(priced, self.file(b"", "other.csv")), 0)

    def test_files_come_packed_in_other_encodings_and_as_what_they_are_not(self) -> None:
        for content, expected in (
            (gzip.compress(LIST.encode()), 1),
            (b"\xef\xbb\xbf" + LIST.encode(), 1),
            (LIST.replace("INVENTED", "Prothèse").encode("cp1252"), 1),
            (gzip.compress(LIST.encode())[:-9], "source_unreadable"),
            (b"PK\x03\x04" + LIST.encode(), "source_unreadable"),
            (b'{"code": "J0001"}', "source_unreadable"),
        ):
            self.assertEqual(self.said(self.row(content), self.file(content)), expected)


class Sample(Shell):
    def test_the_command_checks_answers_against_the_files_they_cite(self) -> None:
        files = ["PPRRVU-SAMPLE26D.csv", "GPCI-SAMPLE26.csv", "CLFS-SAMPLE26Q4.csv", "ASP-SAMPLE26Q4.csv"]
        files += ["DMEPOS-SAMPLE26Q4.csv", "1234567893_sample-hospital_standardcharges.csv"]
        sources = [part for name in files for part in ("--source", str(SAMPLE / name))]
        day, policy = ("--as-of", DAY), ("--policy", self.file("policy", policy_of("a price")))
        for name, asked in (
            ("a price", ["--cpt", "99213"]),
            ("a price of a hospital", ["--cpt", "99213", "--npi", "1234567893"]),
            ("not on a schedule", ["--cpt", "99999"]),
        ):
            given = (self.file("answer", text_of(name)), *policy, *asked, *day)
            code, said = self.run_with(*given, *sources)
            self.assertEqual((code, said.splitlines()[-1][:10]), (0, "borne out "), (name, said))
            code, said = self.run_with(*given, "--source", str(SAMPLE / "README.md"))
            self.assertEqual((code, said.splitlines()[0]), (1, "failed: source_missing"), name)
        self.assertEqual(main([given[0], *policy, "--any", "--source", "/nowhere"]), 2)
