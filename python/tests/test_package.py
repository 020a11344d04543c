"""The examples of the README, and what the package says of itself."""

import doctest
import json
import os
import re
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import build_backend

from .scripted_service import Answer, ScriptedService
from .test_answers import DAY, policy_of, text_of

HERE = Path(__file__).parents[1]
ANSWERS = [
    Answer(body=json.loads(text_of("a price at a ZIP code"))),
    Answer(404, json.loads(text_of("not on a schedule"))),
]


class Package(unittest.TestCase):
    def test_the_examples_of_the_readme_are_true(self) -> None:
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(HERE)
        with ScriptedService(ANSWERS) as service:
            given = {"url": service.url, "policy": policy_of("a price"), "day": DAY}
            found = doctest.testfile(str(HERE / "README.md"), module_relative=False, globs=given)
        self.assertGreater(found.attempted, 10)
        self.assertEqual(found.failed, 0)

    def test_the_wheel_says_what_the_project_says_and_has_every_file(self) -> None:
        project = (HERE / "pyproject.toml").read_text("utf-8")
        for value in (build_backend.VERSION, "agent-trust-registry", ">=3.10", "agent_trust_registry.cli:main"):
            self.assertIn(f'"{value}"', project)
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(Path(folder) / build_backend.build_wheel(folder)) as wheel:
                names = set(wheel.namelist())
                self.assertEqual(len(wheel.read(f"{build_backend.INFO}/RECORD").splitlines()), len(names))
        modules = {f"agent_trust_registry/{path.name}" for path in (HERE / "agent_trust_registry").glob("*.py")}
        self.assertLessEqual({*modules, "agent_trust_registry/py.typed"}, names)

    def test_nothing_but_the_standard_library_is_imported(self) -> None:
        for path in (HERE / "agent_trust_registry").glob("*.py"):
            found = re.findall(r"^\s*(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
            self.assertLessEqual(set(found), {*sys.stdlib_module_names, "cryptography"}, path.name)


if __name__ == "__main__":
    unittest.main()
