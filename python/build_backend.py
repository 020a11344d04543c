"""Builds the wheel (PEP 517) with the standard library alone.

setuptools would have to be fetched, or be new enough: before version 70 it needs the package wheel too. Then
`pip install ./python` would fail on a machine without network. This package has no compiled part, so a wheel is a zip
of its files with three files of metadata.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAME, VERSION = "agent_trust_registry", "0.3.0"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: agent-trust-registry
Version: {VERSION}
Summary: Asks an Agent Trust Registry, and checks what it answers without trusting it
License: Apache-2.0
Requires-Python: >=3.10
Provides-Extra: fast
Requires-Dist: cryptography; extra == "fast"
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
SCRIPTS = f"[console_scripts]\natr-verify = {NAME}.cli:main\n"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    sources = (path for path in sorted((HERE / NAME).rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sources}
    files[f"{INFO}/METADATA"] = METADATA.encode() + (HERE / "README.md").read_bytes()
    files[f"{INFO}/WHEEL"] = WHEEL.encode()
    files[f"{INFO}/entry_points.txt"] = SCRIPTS.encode()
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
