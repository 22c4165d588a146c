"""Draft reader: reads an edition file and its data files in a process apart, and lists all faults.

The web process starts it and never reads such a file itself; see
:mod:`quintain.jobs.subprocess_reader`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from quintain.contests import Edition, builtin_names, load
from quintain.data.files.toml_lines import key_lines
from quintain.data.own_files.folder import unpacked_before
from quintain.errors import EditionError, Fault, Rejected
from quintain.runs.folder import paths
from quintain.runs.folder.organiser_data import disclosures
from quintain_host.organising.draft_sizes import absurd_sizes, large_grids, walk

_FILE_KEYS = ("path", "test", "schema")
"""The keys that name a file beside the edition file."""
_FILE_NAME = re.compile(r"[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,199}")


def read_draft(arguments: Mapping[str, Any], _content: BinaryIO) -> Iterator[Mapping[str, Any]]:
    """The id, the title and the disclosures of the edition in a folder, or every fault of it.

    This process may write nothing, so its caller has unpacked the archives among the data files.
    """
    unpacked = {Path(name): Path(place) for name, place in arguments["unpacked"].items()}
    with unpacked_before(unpacked):
        yield _read(Path(arguments["folder"]))


def _read(folder: Path) -> dict[str, Any]:
    path = folder / paths.EDITION
    text = path.read_text("utf-8")
    try:
        table = _read_table(text)
        faults = outside_files(table, text) or large_grids(table, text)
        if not faults:
            edition = load(path)
            faults = absurd_sizes(edition, table, text) or _own_faults(edition)
    except Rejected as problem:
        faults = list(problem.faults)
    if faults:
        return {"faults": [plain_fault(fault) for fault in faults]}
    facts = {"disclosures": disclosures(edition), "teams_release": edition.teams_release}
    return {"faults": [], "id": edition.id, "title": edition.title, **facts}


def plain_fault(fault: Fault) -> dict[str, Any]:
    """A fault as plain values; where files lie on this machine is left out."""
    message = re.sub(r"in /\S+", "among the files of the draft", fault.message)
    return {
        "message": re.sub(r" \(/[^)]*\)", "", message),
        "file": Path(fault.file).name,
        "line": fault.line,
        "column": fault.column,
        "got": fault.got,
        "character": fault.character,
    }


def _read_table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}  # the loader gives this fault its line
    except RecursionError:
        deep = "brackets are nested too deeply"
        raise EditionError([Fault(deep, paths.EDITION)]) from None


def outside_files(table: Mapping[str, Any], text: str) -> list[Fault]:
    """A fault for every key that would read a file which is not a part of the draft."""
    lines, faults = key_lines(text), []
    for at, value in walk(table):
        if not (isinstance(value, str) and _is_outside(at[-1], value)):
            continue
        line = lines.get(at) or lines.get(at[:-1])
        name = ".".join(map(str, at))
        known = ", ".join(builtin_names())
        message = (
            f"on this site, an edition includes a built-in one: {known}"
            if at[-1] == "include"
            else "name a file of the draft, without a folder"
        )
        faults.append(Fault(message, paths.EDITION, line, name, value))
    return faults


def _is_outside(key: str | int, value: str) -> bool:
    if key == "include":
        return value not in builtin_names()
    return key in _FILE_KEYS and not _FILE_NAME.fullmatch(value)


def _own_faults(edition: Edition) -> list[Fault]:
    """Every wrong value in the organisers' own data files."""
    sources = dict.fromkeys(t.dataset for t in edition.track if t.dataset.own_files())
    return [fault for source in sources for fault in source.own_faults()]
