"""The archive of a contest that is over: every file, so that anybody can verify the results."""

from __future__ import annotations

from collections.abc import Iterator

from quintain.commitment import Commitment
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parse_file
from quintain.runs.folder.record import DERIVED, committed_files, roots
from quintain.runs.folder.withheld import withheld_bytes
from quintain.runs.lint import rehearsal_note
from quintain.runs.submissions.checking import withheld_artefacts
from quintain.runs.submissions.counting import file_of, submissions
from quintain.runs.submissions.upload import zip_bytes


def archive_bytes(folder: Folder) -> bytes:
    """A zip of a contest, secrets too: publish it only after the contest.

    It has what the journal names, and nothing else: a command that was interrupted may have left
    files behind. The key that signs is never in it. Where the rules keep the data secret, neither
    the data nor the other keys are in it, nor the edition file, which may name checksums.
    """
    names = _names(folder)
    if folder.edition().reveal == "without-data":
        names = {name for name in names if not paths.is_withheld(name)} - {paths.EDITION}
    files = {name: folder.at(name).read_bytes() for name in sorted(names)}
    if folder.edition().reveal == "without-data":
        committed = names & set(committed_files(folder.root))
        files[paths.WITHHELD] = withheld_bytes(folder, committed)
    note = rehearsal_note(folder)
    if note:
        files[paths.REHEARSAL] = note.encode()
    return zip_bytes(files)


def _names(folder: Folder) -> set[str]:
    names = {name for name in _derived_files(folder) if folder.at(name).is_file()}
    for stage in roots(folder.state()):
        listed = paths.commitment(stage)
        leaves = parse_file(folder.at(listed), Commitment.model_validate_json).leaves
        names |= {listed, *leaves}
    return names | set(_submitted_files(folder))


def _submitted_files(folder: Folder) -> Iterator[str]:
    """The files of all submissions, without those of which the rules publish only the hash."""
    edition = folder.edition()
    for submission in submissions(folder):
        never = set(withheld_artefacts(edition, submission))
        yield from (file_of(submission, name) for name in submission.files if name not in never)


def _derived_files(folder: Folder) -> list[str]:
    """What no commitment covers: the journal, copies, checkpoints, results, boards, reasons."""
    boards = [paths.BOARD, paths.FEEDBACK, *map(paths.team_board, folder.state().roster.ids)]
    reasons = [
        paths.reason(submission.number)
        for submission in submissions(folder)
        if submission.made_by is None
    ]
    derived = [name for name in DERIVED if name != paths.SIGNING_KEY]
    results = paths.files_below(folder.root, paths.CHECKPOINTS, paths.RESULTS)
    further = [name for name in results if name != paths.COLLUSION]
    return [paths.EDITION, paths.JOURNAL, *derived, *boards, *reasons, *further]
