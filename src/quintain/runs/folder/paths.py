"""Paths: the layout of an edition folder. Every path is written here and nowhere else.

::

    edition.toml            what the organisers wrote
    .gitignore              keeps private files out of a repository
    public/                 what everybody may see
        edition.json            the rules, every default spelled out, as far as they are public
        commitments/            one file per stage that the organisers committed to
        TRACK/schema.json       the columns of the data
        TRACK/base.parquet      the population, if attackers get it
        TRACK/test.parquet      further records, if the source has them
        TRACK/entries.json      the names of the entries, if what made them is not public
        TRACK/handover.json     the teams behind the releases that attackers have
        TRACK/tasks/TASK/       release.csv, card.json, question.csv (or .parquet)
        board.json              what teams may see of the scores
    secret/                 what only the organisers see until the end
        seeds.json              the keys of all randomness
        edition.json            the rules in full, if not all of them are public
        TRACK/tasks/TASK/       private.parquet, release.parquet, card.json, truth.csv
    teams/TEAM/             what only that team gets
    submissions/            the ledger, and TEAM/NUMBER/ with the files of each submission
    results/                cells.parquet, matrix.csv, standings.json, report.html
    .cache/                 work in progress; may be deleted at any time

All paths are text below the root of the folder, with forward slashes: jobs, commitments and
receipts name files this way. :meth:`Folder.at` turns them into paths on this machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from quintain.contests.load import FROZEN_FILE, WRITTEN_FILE
from quintain.runs.folder.task import Task

PUBLIC = "public"
SECRET = "secret"  # noqa: S105 -- the name of a folder
TEAMS = "teams"
SUBMISSIONS = "submissions"
RESULTS = "results"
CACHE = ".cache"

EDITION = WRITTEN_FILE
RULES = FROZEN_FILE
GITIGNORE = ".gitignore"
FULL_RULES = f"{SECRET}/edition.json"
SEEDS = f"{SECRET}/seeds.json"
COMMITMENTS = f"{PUBLIC}/commitments"
BOARD = f"{PUBLIC}/board.json"
LEDGER = f"{SUBMISSIONS}/ledger.jsonl"
LEDGER_LOCK = f"{SUBMISSIONS}/.lock"
CUT_OFF = f"{SUBMISSIONS}/cut-off-lines.txt"
CELLS = f"{RESULTS}/cells.parquet"
MATRIX = f"{RESULTS}/matrix.csv"
STANDINGS = f"{RESULTS}/standings.json"
REPORT = f"{RESULTS}/report.html"
STAMPS = f"{CACHE}/stamps"

PRIVATE = (SECRET, TEAMS, SUBMISSIONS, RESULTS, CACHE, EDITION)
"""The folders and files that only the organisers may read."""

SCORED = (PUBLIC, SECRET, TEAMS, SUBMISSIONS, EDITION)
"""The folders and files that determine the results."""

REHEARSAL = "REHEARSAL.md"
"""The file in an archive that warns of public seeds."""

CARD = "card.json"
"""The file beside a release that states its methods and its claim."""

TRUTH = "truth.csv"
"""The file with the answer of a task."""

REASON = "reason.txt"
"""The file beside a program that says why the program made nothing."""

DETAILS = "details.txt"
"""The file that says in more words why a program failed; only the organisers see it."""

TRACEBACK = "traceback.txt"
"""The file with the full traceback of a program that failed; only the organisers see it."""


def is_public(path: str) -> bool:
    """Whether every user of the machine may read a file.

    >>> is_public("public/board.json"), is_public("secret/seeds.json"), is_public("edition.toml")
    (True, False, False)
    """
    return path.startswith(f"{PUBLIC}/")


def commitment(stage: str) -> str:
    """The commitment of a stage, ``prepare`` or ``handover``."""
    return f"{COMMITMENTS}/{stage}.json"


def checksums(stage: str) -> str:
    """The checksums of a stage without a salt, if an edition publishes them."""
    return f"{PUBLIC}/{stage}.sha512"


def places(track: str) -> tuple[str, str]:
    """The public and the secret folder of a track."""
    return f"{PUBLIC}/{track}", f"{SECRET}/{track}"


def schema(track: str) -> str:
    """The columns of a track's data."""
    return f"{PUBLIC}/{track}/schema.json"


def base(track: str, place: str = PUBLIC) -> str:
    """The population of a track, public or secret."""
    return f"{place}/{track}/base.parquet"


def test_records(track: str, place: str = PUBLIC) -> str:
    """Further records of the population, public or secret."""
    return f"{place}/{track}/test.parquet"


def entries(track: str) -> str:
    """The names of the organisers' entries, if the public rules leave them out."""
    return f"{PUBLIC}/{track}/entries.json"


def handover(track: str) -> str:
    """The teams behind the releases that were handed over to attackers."""
    return f"{PUBLIC}/{track}/handover.json"


def tasks(track: str) -> str:
    """The folder of a track's public tasks."""
    return f"{PUBLIC}/{track}/tasks"


def task_places(task: Task) -> tuple[str, str]:
    """The public and the secret folder of a task."""
    return f"{PUBLIC}/{task.track}/tasks/{task.name}", f"{SECRET}/{task.track}/tasks/{task.name}"


def private(task: Task) -> str:
    """The private sample behind a task."""
    return f"{task_places(task)[1]}/private.parquet"


def full_release(task: Task) -> str:
    """The release of a task before publication, each row beside its original."""
    return f"{task_places(task)[1]}/release.parquet"


def full_card(task: Task) -> str:
    """The full card of a release, with what attackers do not get."""
    return f"{task_places(task)[1]}/{CARD}"


def truth(task: Task) -> str:
    """The answer of a task."""
    return f"{task_places(task)[1]}/{TRUTH}"


def is_truth(name: str) -> bool:
    """Whether a path is that of the answer of some task."""
    return name.startswith(f"{SECRET}/") and name.endswith(f"/{TRUTH}")


def attacker_files(task: Task, data: str) -> tuple[str, str, str]:
    """What attackers get for a task: release, card and question; ``data`` is the format."""
    place = task_places(task)[0]
    return f"{place}/release.{data}", f"{place}/{CARD}", f"{place}/question.{data}"


def team_folder(team: str) -> str:
    """The folder with what only this team gets."""
    return f"{TEAMS}/{team}"


def team_sample(team: str, track: str) -> str:
    """The private sample that a team is to release."""
    return f"{TEAMS}/{team}/{track}/private.csv"


def submission_file(team: str, number: int, name: str) -> str:
    """A file of a submission."""
    return f"{SUBMISSIONS}/{team}/{number:05d}/{name}"


def baseline_guess(attacker: str, task: Task) -> str:
    """A baseline's answer to a task."""
    return f"{CACHE}/guesses/{task.track}/{attacker}/{task.name}.csv"


def baseline_release(track: str, team: str) -> tuple[str, str]:
    """A baseline's release in a rehearsal, and its card."""
    place = f"{CACHE}/releases/{track}/{team}"
    return f"{place}/release.csv", f"{place}/{CARD}"


def program_output(number: int, task: Task, name: str) -> str:
    """A file that a program made for a task; ``number`` is the program's submission."""
    return f"{CACHE}/programs/{task.track}/{number:05d}/{task.name}/{name}"


def program_details(track: str, number: int) -> str:
    """Why a program failed, in more words than its team may read after a run on private data."""
    return f"{CACHE}/programs/{track}/{number:05d}/{DETAILS}"


def tracebacks(root: Path) -> list[Path]:
    """The tracebacks of programs that failed, without empty files."""
    files = root.glob(f"{CACHE}/programs/*/*/*/{TRACEBACK}")
    return sorted(path for path in files if path.stat().st_size)


def utility(task: Task) -> str:
    """The utility readings of a release."""
    return f"{CACHE}/utility/{task.track}/{task.name}.json"


def cell(track: str, entry: str, attacker: str) -> str:
    """The privacy readings of an attacker on an entry."""
    return f"{CACHE}/cells/{track}/{entry}/{attacker}.json"


def stored_readings(track: str) -> str:
    """The stored readings of all cells of a track, with their keys."""
    return f"{CACHE}/readings/{track}.bin"


def fresh(track: str) -> str:
    """The utility readings of fresh samples."""
    return f"{CACHE}/fresh/{track}.json"


def files_below(root: Path, *tops: str) -> Iterator[str]:
    """Every file below some folders, in order, without hidden files."""
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root)
            if path.is_file() and not any(step.startswith(".") for step in name.parts):
                yield name.as_posix()


def committed_files(root: Path) -> list[str]:
    """Every file that commitments cover: secret/, teams/, and public/ without the board."""
    files = files_below(root, PUBLIC, SECRET, TEAMS)
    return sorted(
        name for name in files if name != BOARD and not name.startswith(f"{COMMITMENTS}/")
    )
