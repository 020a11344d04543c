"""The cited files: whether they have what the proved rows say, and hide nothing (docs/spec/sources.md). Reads CSV."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from .verdict import Failure, ProvedRow, Verdict

_MOST_IN_A_CELL = 1 << 24
_NOT_OF_LINES = frozenset({"work_gpci_column", "conversion_factor_kind", "rule"})
"""Inputs that name a choice, and stand in no line."""
_CODES = re.compile(r"(HCPCS|CPT)(CODE)?S?|CODE\|[0-9]+", re.ASCII)
_BETWEEN = re.compile(r"[|,;/\s]+")

REASONS = {
    "source_missing": "It needs a cited file that was not given.",
    "source_hash_mismatch": "A file has the name of a cited one, and other bytes.",
    "source_unreadable": "A cited file is none that can be read here: only CSV is, also packed as .gz.",
    "line_not_found": "The cited line is not there, or is about another code.",
    "inputs_not_at_line": "The cited lines do not have an input that the row states.",
    "code_in_source": "A cited file has the code, and the release is shown to have no row of it.",
}


def check_sources(verdict: Verdict, paths: Sequence[str]) -> int:
    """Returns how many proved rows and absences the files bear out. Raises Failure, or OSError of a path."""
    files = {file.digest: file for file in map(CitedFile, paths)}
    for proved in verdict.rows:
        for place in proved.row["locator"]:
            _cited(proved.manifest, place["citation"], files).wanted.add(place["line"])
    # Without a price every schedule that was searched must be seen to have none.
    is_refusal = all(each is None or each.outcome != "price" for each in verdict.decisions)
    for manifest, code in verdict.without_code:
        for number, citation in enumerate(manifest["citations"]):
            if is_refusal or citation["sha256"] in files:
                _cited(manifest, number, files).absent.add(code)
    borne_out = 0
    for file in files.values():
        file.read()
        borne_out += len(file.absent)
    for proved in verdict.rows:
        _check_row(proved, files)
    return borne_out + len(verdict.rows)


def _cited(manifest: dict[str, Any], number: int, files: dict[str, CitedFile]) -> CitedFile:
    citation = manifest["citations"][number]
    file = files.get(citation["sha256"])
    if file is None:
        is_altered = any(each.name == citation["file"] for each in files.values())
        raise Failure("source_hash_mismatch" if is_altered else "source_missing")
    return file


def _check_row(proved: ProvedRow, files: dict[str, CitedFile]) -> None:
    row, cells = proved.row, list[str]()
    for place in row["locator"]:
        file = _cited(proved.manifest, place["citation"], files)
        record = file.found.get(place["line"])
        if record is None or not file.is_about(record, row.get("code")):
            raise Failure("line_not_found")
        cells += record
    for name, stated in row.get("derivation", {}).get("inputs", {}).items():
        is_one = row["region"] == "national" and name.endswith("_gpci")
        if name not in _NOT_OF_LINES and not is_one and not any(_is_same(cell, stated) for cell in cells):
            raise Failure("inputs_not_at_line")


def _is_same(cell: str, stated: str) -> bool:
    """True if a cell says what an input states: as a text, or as a number."""
    if stated in ("blank", "NA"):
        return cell.upper() in (("", ".", "-") if stated == "blank" else ("NA", "N/A"))
    try:
        return cell == stated or Decimal(cell.replace("$", "").replace(",", "")) == Decimal(stated)
    except InvalidOperation:
        return False


@dataclass
class CitedFile:
    """A file that may be a cited one. It is read once, record by record, whatever its size."""

    path: str
    name: str = ""
    digest: str = ""
    wanted: set[int] = field(default_factory=set)
    """Lines whose records are wanted."""
    absent: set[str] = field(default_factory=set)
    """Codes that no record may have."""
    found: dict[int, list[str]] = field(default_factory=dict)
    columns: list[int] = field(default_factory=list)
    """The columns of codes, by the first record that names one; none in a list of places or of factors."""

    def __post_init__(self) -> None:
        hashed = sha256()
        with open(self.path, "rb") as file:
            while chunk := file.read(1 << 20):
                hashed.update(chunk)
        self.name, self.digest = Path(self.path).name, hashed.hexdigest()

    def read(self) -> None:
        if not self.wanted and not self.absent:
            return
        if any(re.match("[A-Z]+-", code) for code in self.absent):
            # Which kind of code a column has is not looked at, and `470` may be of any.
            raise Failure("source_unreadable")
        try:
            self._read("utf-8-sig")
        except UnicodeDecodeError:
            self._read("cp1252")

    def _read(self, encoding: str) -> None:
        self.found, self.columns = {}, []
        for line, cells in self._records(encoding):
            self.columns = self.columns or [
                at for at, cell in enumerate(cells) if _CODES.fullmatch(re.sub(r"[^A-Z0-9|]", "", cell.upper()))
            ]
            if line in self.wanted:
                self.found[line] = cells
            if self.absent and not self.absent.isdisjoint(self._codes(cells)):
                raise Failure("code_in_source")

    def _records(self, encoding: str) -> Iterator[tuple[int, list[str]]]:
        """The records, with the line on which each begins. Of a workbook, an archive or JSON nothing can be read."""
        csv.field_size_limit(_MOST_IN_A_CELL)
        try:
            with open(self.path, "rb") as file, closing(_text_of(file, encoding)) as text:
                reader, line = csv.reader(text), 1
                for cells in reader:
                    if line == 1 and cells and cells[0][:1] in ("{", "["):
                        raise Failure("source_unreadable")
                    yield line, [cell.strip() for cell in cells]
                    line = reader.line_num + 1
        except (csv.Error, EOFError, gzip.BadGzipFile, zlib.error):
            raise Failure("source_unreadable") from None

    def _codes(self, cells: list[str]) -> set[str]:
        in_columns: Iterable[str] = (cells[at] for at in self.columns if at < len(cells))
        return {part.strip("=\"'").upper() for cell in in_columns for part in (*_BETWEEN.split(cell), cell)}

    def is_about(self, cells: list[str], code: str | None) -> bool:
        """True if a record is about a code, or the file names no codes."""
        if code is None or not self.columns:
            return True
        plain = code.rpartition("-")[2]
        return not self._codes(cells).isdisjoint({plain, plain.lstrip("0")})


def _text_of(file: BinaryIO, encoding: str) -> TextIOWrapper:
    magic = file.read(4)
    file.seek(0)
    if magic == b"PK\x03\x04":
        raise Failure("source_unreadable")
    content: Any = gzip.GzipFile(fileobj=file) if magic[:2] == b"\x1f\x8b" else file
    return TextIOWrapper(content, encoding, errors="replace" if encoding == "cp1252" else "strict", newline="")
