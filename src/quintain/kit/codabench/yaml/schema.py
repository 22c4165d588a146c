"""Schema: check before the upload whether CodaBench would accept a bundle.

These are the rules of ``competition.yaml``, version 2, in CodaBench 1.25. :func:`check_bundle`
finds everything that it would refuse, with the line.
:mod:`quintain.kit.codabench.cautions` finds what it accepts but misinterprets.

Nobody can know before an upload whether a queue, a task or a data set with some UUID exists on the
server. A queue is refused here; choose it in the site's editor.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from uuid import UUID

from quintain.errors import Fault
from quintain.kit.codabench.yaml.document import Document, Path, read_document
from quintain.kit.codabench.yaml.tables import CompetitionTable, stored_moment

IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF", b"BM")
FACTS = {"key", "type", "title", "selection", "is_required", "is_on_leaderboard"}
DATASETS = ("scoring_program", "reference_data", "input_data", "ingestion_program")


def check_bundle(files: Mapping[str, bytes]) -> list[Fault]:
    """Every reason why CodaBench would refuse a bundle; an empty list if it would accept it.

    Parameters
    ----------
    files : the contents of the zip, by path.
    """
    document = read_document(files)
    if document.data is not None:
        document.check(CompetitionTable)
        _check_files(document, files)
        _check_tasks(document)
        _check_phases(document)
        _check_columns(document)
        _check_facts(document)
    return document.faults


def _check_files(document: Document, files: Mapping[str, bytes]) -> None:
    """Check that every file that a key names exists and is of the right kind."""
    for path, content in _named_files(document, files, ("image",)):
        if not content.startswith(IMAGES):
            document.add("is not a readable image", path)
    texts = [("terms",), *(("pages", i, "file") for i, _ in document.tables("pages"))]
    for where in texts:
        for path, content in _named_files(document, files, where):
            if not content:
                document.add("the file is empty", path)
    for kind, keys in (
        ("tasks", DATASETS),
        ("solutions", ("path",)),
        ("phases", ("public_data", "starting_kit")),
    ):
        for i, table in document.tables(kind):
            for key in keys if "key" not in table else ():
                value = table.get(key)
                if isinstance(value, str) and not _is_uuid(value) and not _exists(value, files):
                    document.add("this file or folder does not exist", (kind, i, key), value)


def _named_files(
    document: Document, files: Mapping[str, bytes], path: Path
) -> list[tuple[Path, bytes]]:
    """The content of the file that a key names; an absolute path is on the server."""
    value = document.at(path)
    if not isinstance(value, str) or not value or value.startswith("/"):
        return []
    name = posixpath.normpath(value)
    if name not in files:
        document.add("this file does not exist", path, value)
        return []
    return [(path, files[name])]


def _exists(value: str, files: Mapping[str, bytes]) -> bool:
    name = posixpath.normpath(value)
    return name in files or any(path.startswith(f"{name}/") for path in files)


def _is_uuid(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False


def _check_tasks(document: Document) -> None:
    """Check that each task has a name, a program and a unique index, and that references exist."""
    known = document.unique("tasks", "index")
    for i, task in document.tables("tasks"):
        for key in ("name", "scoring_program") if "key" not in task else ():
            if task.get(key) is None:
                document.add("is missing", ("tasks", i, key))
    for i, solution in document.tables("solutions"):
        if "key" not in solution and solution.get("path") is None:
            document.add("is missing", ("solutions", i, "path"))
    for kind in ("solutions", "phases"):
        for i, table in document.tables(kind):
            used = table.get("tasks")
            for j, index in enumerate(used if isinstance(used, list) else []):
                if index not in known:
                    document.add("no task has this index", (kind, i, "tasks", j), index)


def _check_phases(document: Document) -> None:
    """Check that phases follow one another, in the order of their indexes."""
    phases = list(document.tables("phases"))
    if all(isinstance(phase.get("index", 0), int) for _, phase in phases):
        phases.sort(key=lambda item: item[1].get("index", 0))
    if phases and phases[0][1].get("auto_migrate_to_this_phase") is True:
        at: Path = ("phases", phases[0][0], "auto_migrate_to_this_phase")
        document.add("there is no phase before the first one to migrate from", at)
    for n in range(1, len(phases)):
        (before, earlier), (i, later) = phases[n - 1], phases[n]
        if earlier.get("end") is None:
            document.add("only the last phase may have no end", ("phases", before, "end"))
            continue
        try:
            start, end = stored_moment(later.get("start")), stored_moment(earlier["end"])
        except ValueError:
            continue  # the table of the phase has noted it
        if start <= end:
            message = f"must start after the phase before it ends, at {end:%Y-%m-%d %H:%M:%S}"
            document.add(message, ("phases", i, "start"), later.get("start"))


def _check_columns(document: Document) -> None:
    """Check that columns have unique keys and indexes, and are computed from other columns."""
    for b, _ in document.tables("leaderboards"):
        place: Path = ("leaderboards", b, "columns")
        document.unique(place, "key")
        known = document.unique(place, "index")
        for c, column in document.tables(place):
            given = column.get("computation_indexes")
            if column.get("computation") and (given is None or given == []):
                message = "a computed column needs a list of the columns it is computed from"
                document.add(message, (*place, c, "computation_indexes"))
            for j, index in enumerate(given if isinstance(given, list) else []):
                if index == column.get("index"):
                    message = "a column cannot be computed from itself"
                    document.add(message, (*place, c, "computation_indexes", j))
                elif index not in known:
                    message = "no column has this index"
                    document.add(message, (*place, c, "computation_indexes", j), index)


def _check_facts(document: Document) -> None:
    """Check that each question about a submission has exactly six keys."""
    facts = document.at(("fact_sheet",))
    for name, fact in facts.items() if isinstance(facts, dict) else ():
        if not isinstance(fact, dict):
            continue
        for key in sorted(FACTS ^ set(map(str, fact))):
            known = ", ".join(sorted(FACTS))
            message = "is missing" if key in FACTS else f"unknown key; available: {known}"
            document.add(message, ("fact_sheet", name, key))
        if fact.get("type") not in ("checkbox", "text", "select"):
            document.add("must be checkbox, text or select", ("fact_sheet", name, "type"))
        if fact.get("key") != name:
            document.add(f"must be {name}, like the table", ("fact_sheet", name, "key"))
