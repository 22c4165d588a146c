"""Artefacts: further files of a submission, such as a model or a report; nothing scores them."""

from __future__ import annotations

import json
from typing import Any

from quintain.kit.codabench.program.faults import Faults
from quintain.kit.codabench.program.table import read_table


def take_artefacts(
    files: dict[str, bytes], plan: dict[str, Any], faults: Faults
) -> dict[str, bytes]:
    """Check the artefacts among the files, and return the other files."""
    rest = dict(files)
    for artefact in plan["artefacts"]:
        content = rest.pop(artefact["file"], None)
        if content is not None:
            _check(artefact, content, plan, faults)
        elif artefact["required"]:
            name, file, words = (artefact[key] for key in ("name", "file", "words"))
            faults.add("", f"the {name} is missing: submit {file} ({words})")
    return rest


def _check(artefact: dict[str, Any], content: bytes, plan: dict[str, Any], faults: Faults) -> None:
    file, most = artefact["file"], artefact["max_bytes"]
    if len(content) > most:
        faults.add(file, f"{len(content)} bytes; the limit is {most}")
    elif artefact["kind"] == "text":
        _check_text(file, content, faults)
    elif artefact["kind"] == "pdf" and not content.startswith(b"%PDF-"):
        faults.add(file, "is not a PDF: it does not begin with %PDF-")
    elif artefact["kind"] == "json":
        try:
            json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError) as problem:
            faults.add(file, f"Invalid JSON: {problem}")
    elif artefact["kind"] == "table":
        read_table(file, content, plan["data"], plan["form"], faults)


def _check_text(file: str, content: bytes, faults: Faults) -> None:
    """Note a text that is not UTF-8, and the first line that cannot be shown."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        byte = content[problem.start]
        faults.add(file, f"is not UTF-8 text: byte {problem.start} is 0x{byte:02x}")
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.replace("\t", " ").isprintable():
            faults.add(file, "contains a character that cannot be shown", number)
            return
