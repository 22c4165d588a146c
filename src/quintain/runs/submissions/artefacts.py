"""Artefacts: further files of a submission, which the judge stores and opens only if it must."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

from quintain.contests import Edition
from quintain.contests.submitting.artefact import Artefact
from quintain.data.files.apart import cells_apart, json_apart
from quintain.errors import Faults
from quintain.journal.events import Submitted
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.guards.free_text import check_free_text


def check_artefacts(
    folder: Folder,
    admission: Admission,
    files: Mapping[str, bytes],
    faults: Faults,
    absent: Collection[str] = (),
) -> None:
    """Note every fault of the artefacts among the files of a submission.

    ``absent`` are files that were submitted and that nobody has any more, because the rules never
    publish them. Built-in players have nothing but their release and their guesses.
    """
    for name, artefact in admission.artefacts.items():
        if name in files:
            file_faults = Faults(name)
            _check(folder, admission, artefact, files[name], file_faults)
            faults.extend(file_faults)
        elif artefact.required and name not in absent and not admission.entrant.built_in:
            faults.add(f"the {artefact.name} is missing: submit {name} ({artefact.words()})")


def _check(
    folder: Folder, admission: Admission, artefact: Artefact, content: bytes, faults: Faults
) -> None:
    if len(content) > artefact.max_bytes:
        faults.add(f"{len(content)} bytes; the limit is {artefact.max_bytes}")
    elif artefact.kind == "text":
        _check_text(content, faults)
    elif artefact.kind == "json":
        json_apart(content, faults)
    elif artefact.kind == "table":
        track, limits = admission.track, folder.edition().limits
        form, schema = track.files, folder.private_schema(track)
        read = partial(cells_apart, header=form.header, strict=form.strict, limits=limits)
        cells = read(content, faults.file, schema, faults=faults)
        if cells is not None:
            cells.check(partial(check_free_text, cells.rows), faults)


def _check_text(content: bytes, faults: Faults) -> None:
    """Note a text that is not UTF-8, and the first line that cannot be shown."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        faults.add(f"is not UTF-8 text: byte {problem.start} is 0x{content[problem.start]:02x}")
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.replace("\t", " ").isprintable():
            faults.add("contains a character that cannot be shown", line=number)
            return


def withheld_artefacts(edition: Edition, event: Submitted) -> Iterator[str]:
    """The files of a submission that the rules never publish."""
    for track in edition.track:
        for phase in track.phase:
            if (track.id, phase.id) == (event.track, event.phase):
                artefacts = phase.artefacts(track.id, event.team)
                never = {name for name, one in artefacts.items() if one.published == "never"}
                yield from sorted(never & set(event.files))
