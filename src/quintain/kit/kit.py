"""The participant's kit: data, releases, questions, a valid example answer, and how to go on."""

from __future__ import annotations

from quintain.contests import Edition, Track
from quintain.contests.roster import Roster
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.task import Task
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.packing import zip_bytes
from quintain.seeds import SeedTree


def kit_bytes(folder: Folder, team: str | None = None) -> bytes:
    """A zip with everything a team may see; with a team, also what only that team is given."""
    edition = folder.edition()
    files = {
        name: folder.at(name).read_bytes() for name in paths.files_below(folder.root, paths.PUBLIC)
    }
    if team is not None:
        Roster.of(edition).with_baselines(edition).entrant(team)
        files |= {name: folder.at(name).read_bytes() for name in own_files(folder, team)}
    for track in edition.track:
        files |= _examples(folder, track, team or "YOUR-TEAM")
    files["README.md"] = _readme(edition, team).encode()
    return zip_bytes(files)


def own_files(folder: Folder, team: str) -> list[str]:
    """What only this team is given; nothing, in a contest in which teams make no releases."""
    return list(paths.files_below(folder.root, paths.team_folder(team)))


def _examples(folder: Folder, track: Track, team: str) -> dict[str, bytes]:
    """Programs to start from; else a valid blind answer to every open task."""
    rng = SeedTree.from_int(0).rng("kit", track.id)
    out = {
        f"example/{track.id}/{phase.id}/{name}": content
        for phase in track.phase
        if phase.contract is not None
        for name, content in phase.contract.example(phase.submit).items()
    }
    for task in folder.tasks(track) if not track.takes_program("guess", team) else ():
        guess = folder.question(track, task).blind(rng=rng)
        content = csv_bytes(guess.table, header=track.files.header)
        out[f"example/{track.id}/{guess_file(track, task, team)}"] = content
    return out


def _readme(edition: Edition, team: str | None) -> str:
    who = team or "YOUR-TEAM"
    tracks = "\n".join(
        "\n".join([f"- `{track.id}`: {track.title or track.goal.summary()}", *_threat(track)])
        for track in edition.track
    )
    return f"""# {edition.title}

{edition.description.strip()}

Tracks:
{tracks}

What is here:
- `{paths.RULES}`: the rules, every default spelled out.
- `{paths.COMMITMENTS}/`: what the organisers bound themselves to. Keep a copy.
- `{paths.schema("TRACK")}`, `{paths.base("TRACK")}`: the data, where they are given.
- `{paths.task_places(Task("TRACK", "TASK"))[0]}/`: a release, the facts about it, and the question.
{_how_to_go_on(edition.track[0], who)}"""


def _threat(track: Track) -> list[str]:
    return [f"  - {aspect}: {sentence}" for aspect, sentence in track.threat.rows()]


def _how_to_go_on(track: Track, team: str) -> str:
    programs = [phase for phase in track.phase if phase.contract is not None]
    if not programs:
        return f"""- `example/TRACK/`: valid blind answers, one file per task. Improve them.

Answer every task with a built-in attack (`quintain parts attack` lists them), or with your own:

    quintain attack . --use nearest --out answers --track {track.id} --team {team}

Check your answers with the judge's own checker, then hand them in:

    quintain check . answers --track {track.id} --team {team}
    quintain submit FOLDER answers --track {track.id} --team {team}
"""
    phase = programs[0]
    example = f"example/{track.id}/{phase.id}"
    return f"""- `example/TRACK/PHASE/`: programs to start from; the organisers run them.

Play a small contest with a program of yours among the built-in players, check it, hand it in:

    quintain play . --out rehearsal --program {example}
    quintain check . {example} --team {team} --kind {phase.submit}
    quintain submit FOLDER {example} --team {team} --kind {phase.submit}
"""
