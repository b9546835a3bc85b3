"""Build backend (PEP 517): builds a pure Python wheel and a source archive with only the standard library."""
from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
#: One timestamp for all files makes the build reproducible.
EPOCH = (1980, 1, 1, 0, 0, 0)


def _project() -> Dict[str, Any]:
    """Reads the table `[project]`. Its values are strings and lists of strings, which have the same syntax in TOML and Python."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    table = text.partition("[project]\n")[2].partition("\n[")[0]
    found = re.findall(r"^([a-z-]+) = (\"[^\n]*\"|\[(?!\{)[^\]]*\])$", table, re.M)
    return {name: ast.literal_eval(value) for name, value in found}


def _metadata() -> str:
    project = _project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        "Author: The Placar authors",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text("utf-8")


def _name() -> str:
    project = _project()
    return f"{project['name']}-{project['version']}"


def _modules() -> List[Tuple[str, bytes]]:
    source = ROOT / "src"
    files = sorted(file for file in source.rglob("*") if file.suffix == ".py" or file.name == "py.typed")
    return [(file.relative_to(source).as_posix(), file.read_bytes()) for file in files]


def _digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(
    wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    info = f"{_name()}.dist-info"
    files = [
        *_modules(),
        (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()),
        (f"{info}/METADATA", _metadata().encode()),
        (f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: placar\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ]
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in files) + f"{info}/RECORD,,\n"
    wheel = f"{_name()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in [*files, (f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    names = ["pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"]
    folders = [file for folder in ("backend", "src", "tests") for file in sorted((ROOT / folder).rglob("*"))]
    kept = [file for file in folders if file.suffix == ".py" or file.name == "py.typed"]
    archive = f"{_name()}.tar.gz"
    with open(Path(sdist_directory) / archive, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path, data in [
                ("PKG-INFO", _metadata().encode()),
                *((file.relative_to(ROOT).as_posix(), file.read_bytes()) for file in [*(ROOT / n for n in names), *kept]),
            ]:
                entry = tarfile.TarInfo(f"{_name()}/{path}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return archive
