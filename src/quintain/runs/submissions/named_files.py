"""Named files: the data of a round under the names that its rules give them, when they are needed.

Teams need their samples before they release anything, attackers need the population and the
releases after the hand-over, and the answers stay with the organisers.
"""

from __future__ import annotations

from quintain.contests import Track
from quintain.data.files.apart import read_apart
from quintain.errors import Refused
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.task import Task
from quintain.runs.submissions.checking import release_file
from quintain.runs.submissions.counting.answers import all_answers
from quintain.runs.submissions.counting.releases import counting_releases
from quintain.runs.submissions.submitted import submissions

TEST = "test.csv"
"""The file with the records that test utility."""


def round_files(folder: Folder, track: Track) -> dict[str, bytes]:
    """Every file that a round has by now, secret files too."""
    if track.id not in folder.state().prepared:
        raise Refused(
            f"track {track.id} is not prepared yet: run quintain prepare --track {track.id}"
        )
    names, header = track.files, track.files.header
    files = {names.base.format(track=track.id): csv_bytes(folder.base(track.id), header=header)}
    files |= _test_file(folder, track)
    for team in folder.state().roster.ids:
        files |= _samples(folder, track, team)
    for entry in counting_releases(folder, track, _counted(folder, track)):
        task = Task(track.id, entry.id)
        sample = sample_name(track, entry.team, entry.sample)
        if sample not in files:  # a team that submits programs gets none
            files[sample] = csv_bytes(folder.private(track, task), header=header)
        if folder.at(paths.truth(task)).is_file():
            answer = names.truth.format(track=track.id, team=entry.team)
            files[answer] = csv_bytes(folder.truth(track, task).table, header=header)
        schema, limits = folder.release_schema(track), folder.edition().limits
        release = read_apart(folder.at(entry.data), schema, header=header, limits=limits)
        files[release_file(track, entry.team, entry.sample)] = csv_bytes(release, header=header)
    for answers in all_answers(folder, folder.read(track), submissions(folder)).values():
        files |= {name: folder.at(last.path).read_bytes() for name, (*_, last) in answers.items()}
    return files


def team_files(folder: Folder, track: Track, team: str | None) -> dict[str, bytes]:
    """What a team may see of a round by now; nothing if the rules name no files."""
    header = track.files.header
    if track.files.release is None:
        return {}
    files = {} if team is None else _samples(folder, track, team)
    if not track.tests_in_secret:
        files |= _test_file(folder, track)
    if folder.at(paths.base(track.id)).is_file():
        name = track.files.base.format(track=track.id)
        files[name] = csv_bytes(folder.base(track.id), header=header)
    for task in folder.tasks(track):
        release = csv_bytes(folder.release(track, task).data, header=header)
        files[release_file(track, task.entry)] = release
    return files


def sample_name(track: Track, team: str, number: int | None = None) -> str:
    """The name of a team's private sample; the number is that of one of several."""
    name = track.files.private.format(track=track.id, team=team)
    stem, _, ending = name.rpartition(".")
    return name if number is None else f"{stem}.{number}.{ending}"


def _samples(folder: Folder, track: Track, team: str) -> dict[str, bytes]:
    at = {number: folder.at(paths.team_sample(team, track.id, number)) for number in track.choices}
    return {
        sample_name(track, team, number): path.read_bytes()
        for number, path in at.items()
        if path.is_file()
    }


def _test_file(folder: Folder, track: Track) -> dict[str, bytes]:
    test = folder.test_data(track.id)
    return {} if test is None else {TEST: csv_bytes(test, header=track.files.header)}


def _counted(folder: Folder, track: Track) -> int:
    """How many events decide which releases count: those before the hand-over, or all so far."""
    handed = folder.state().handed_over.get(track.id)
    return folder.journal().size() if handed is None else handed.size
