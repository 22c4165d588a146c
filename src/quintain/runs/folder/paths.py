"""Paths: the layout of an edition folder. Every path is written here and nowhere else.

::

    edition.toml            what the organisers wrote
    .gitignore              keeps private files out of a repository
    journal.jsonl           everything that happened since the rules were fixed
    public/                 what everybody may see
        edition.json            the rules, every default spelled out, as far as they are public
        rules/VERSION.json      the same for every version of the rules
        events.jsonl            the journal without the submissions
        checkpoint.txt          the size and the root of the journal, signed
        checkpoints/NUMBER.txt  the same when a phase closed, and at the reveal; NUMBER.tsr beside
                                it is the time that an outside clock saw it
        beacon.txt              the public value that was mixed into the keys, if there is one
        signing.pub             the public key of all signatures
        commitments/            one file per stage that the organisers committed to
        TRACK/schema.json       the columns of the data
        TRACK/base.parquet      the population, if attackers get it
        TRACK/test.parquet      further records, if the source has them
        TRACK/entries.json      the names of the entries, if what made them is not public
        TRACK/handover.json     the teams behind the releases that attackers have
        TRACK/tasks/TASK/       release.csv, card.json, question.csv (or .parquet), artefacts/
                                (a model is release.safetensors); with several goals,
                                question.GOAL.csv for each; weights.safetensors is the model that
                                the records were drawn from, if attackers get it
        TRACK/refused/TASK.txt  why there is no such task: a part refused to make it
        board.json              what everybody may know of the feedback
    secret/                 what only the organisers see until the end
        seeds.json              the keys of all randomness
        signing.key             the key of all signatures; it is never revealed
        rules/VERSION.json      the rules in full, if not all of them are public
        data/VERSION/TRACK/     the organisers' own data files
        withheld.json           only in an archive without data: the nonces of what it has
        feedback.json           what each team was shown of its scores, and the bits it cost
        TRACK/base.parquet      the population, where teams release before attackers get it
        TRACK/test.parquet      further records, if the edition keeps them secret
        TRACK/tasks/TASK/       private.parquet, release.parquet, card.json, truth.csv; with
                                several goals, truth.GOAL.csv for each; also question.csv where
                                every attacker has a question of its own
        TRACK/attackers/ATTACKER/TASK/  truth.csv: the answer to the attacker's own question
    teams/TEAM/             what only that team gets: TRACK/private.csv (private.1.csv ... where
                            it chooses among several samples); TRACK/tasks/TASK/question.csv, its
                            own question, if it has one; board.json, its scores; in a kit, also
                            TRACK/tasks/TASK/answers.safetensors: the answers to its queries
    submissions/            files/AB/HASH.csv, by content; reasons/NUMBER.txt for programs
    results/                cells.parquet, matrix.csv, standings.json, report.html; recipes.json
                            is the log of recipes, if teams submit some; collusion.json is for
                            organisers alone: which attacker knew whose release too well
    .cache/                 work in progress; may be deleted at any time

All paths are text below the root of the folder, with forward slashes: jobs, commitments and
receipts name files this way. :meth:`Folder.at` turns them into paths on this machine.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from quintain.contests.file_names import CARD_FILE, FROZEN_FILE, WRITTEN_FILE
from quintain.jobs.files import make_folder, write_file

PUBLIC = "public"
SECRET = "secret"  # noqa: S105 -- the name of a folder
TEAMS = "teams"
SUBMISSIONS = "submissions"
RESULTS = "results"
CACHE = ".cache"

EDITION = WRITTEN_FILE
RULES = FROZEN_FILE
CARD = CARD_FILE
GITIGNORE = ".gitignore"
JOURNAL = "journal.jsonl"
EVENTS = f"{PUBLIC}/events.jsonl"
CHECKPOINT = f"{PUBLIC}/checkpoint.txt"
CHECKPOINTS = f"{PUBLIC}/checkpoints"
BEACON = f"{PUBLIC}/beacon.txt"
SEEDS = f"{SECRET}/seeds.json"
SIGNING_KEY = f"{SECRET}/signing.key"
PUBLIC_KEY = f"{PUBLIC}/signing.pub"
COMMITMENTS = f"{PUBLIC}/commitments"
BOARD = f"{PUBLIC}/board.json"
FEEDBACK = f"{SECRET}/feedback.json"
OWN_DATA = f"{SECRET}/data"
WITHHELD = f"{SECRET}/withheld.json"
CELLS = f"{RESULTS}/cells.parquet"
MATRIX = f"{RESULTS}/matrix.csv"
STANDINGS = f"{RESULTS}/standings.json"
REPORT = f"{RESULTS}/report.html"
RECIPE_RUNS = f"{RESULTS}/recipes.json"
COLLUSION = f"{RESULTS}/collusion.json"
SCORES = (CELLS, MATRIX, STANDINGS, REPORT, RECIPE_RUNS, COLLUSION)
"""The files that scoring makes, and that can be made again."""
STAMPS = f"{CACHE}/stamps"
TREE = f"{CACHE}/tree.json"

PRIVATE = (SECRET, TEAMS, SUBMISSIONS, RESULTS, CACHE, EDITION, JOURNAL)
"""The folders and files that only the organisers may read."""

SCORED = (PUBLIC, SECRET, TEAMS, SUBMISSIONS, EDITION, JOURNAL)
"""The folders and files that determine the results."""

REHEARSAL = "REHEARSAL.md"
"""The file in an archive that warns of public seeds."""

ENDINGS = (".csv", ".parquet", ".json", ".zip", ".safetensors", ".onnx")
"""The endings that stored files keep, because they say how to read a file."""

RECIPE_LOG = "recipe-log.json"
"""The file beside a release that says what each step of a recipe did."""

REASON = "reason.txt"
"""The file beside a program that says why the program made nothing."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO

TRACEBACK = "traceback.txt"
"""The file with the full traceback of a program that failed; only the organisers see it."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question of a track: an entry, the number of its repetition, and the goal.

    Where a track has several goals, a task without a goal stands for the release itself, about
    which there is one question per goal.

    Parameters
    ----------
    attacker : whose question it is; None if all attackers answer the same one.
    """

    track: str
    entry: str
    repeat: int = 0
    repeats: int = 1
    goal: str = ""
    attacker: str | None = None

    @property
    def args(self) -> tuple[str | int | None, ...]:
        """The task as plain arguments of a job."""
        return self.track, self.entry, self.repeat, self.repeats, self.goal, self.attacker

    def of(self, attacker: str) -> Task:
        """The same task with the attacker's own question."""
        return replace(self, attacker=attacker)

    @property
    def name(self) -> str:
        """The name of its files.

        >>> Task("main", "identity").name, Task("main", "identity", 2, 5).name
        ('identity', 'identity.002')
        >>> Task("main", "red", goal="member").name
        'red.member'
        """
        return f"{self.release_name}{_goal_name(self.goal)}"

    @property
    def release_name(self) -> str:
        """The name of the folder with its release, which the tasks of all goals share."""
        return self.entry if self.repeats == 1 else f"{self.entry}.{self.repeat:03d}"

    @property
    def stream(self) -> tuple[str, ...]:
        """The ids of its random streams; the repetition comes last of all."""
        return (self.entry, self.goal) if self.goal else (self.entry,)

    def about(self, goal: str) -> Task:
        """The question of a goal about the same release."""
        return replace(self, goal=goal)


def _goal_name(goal: str) -> str:
    return f".{goal}" if goal else ""


def is_public(path: str) -> bool:
    """Whether every user of the machine may read a file.

    >>> is_public("public/board.json"), is_public("secret/seeds.json"), is_public("edition.toml")
    (True, False, False)
    """
    return path.startswith(f"{PUBLIC}/")


def rules(version: int, place: str = PUBLIC) -> str:
    """A version of the rules, as far as they are public, or in full."""
    return f"{place}/rules/{version}.json"


def data_file(version: int, track: str, name: str) -> str:
    """The copy of a data file of the organisers, for a version of the rules."""
    return f"{OWN_DATA}/{version}/{track}/{name}"


def commitment(stage: str) -> str:
    """The commitment of a stage, such as ``rules-1`` or ``handover-main``."""
    return f"{COMMITMENTS}/{stage}.json"


def closing(number: int) -> str:
    """The checkpoint that was signed when a phase closed, by its number from 1."""
    return f"{CHECKPOINTS}/{number:03d}.txt"


def timestamp(closing: str) -> str:
    """The timestamp of a checkpoint, by the path of the checkpoint.

    >>> timestamp(closing(1))
    'public/checkpoints/001.tsr'
    """
    return f"{closing.removesuffix('.txt')}.tsr"


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
    below = f"{task.track}/tasks/{task.release_name}"
    return f"{PUBLIC}/{below}", f"{SECRET}/{below}"


def private(task: Task, sample: int | None = None) -> str:
    """The private sample behind a task, or one of those from which a team chooses."""
    return f"{task_places(task)[1]}/private{_sample_name(sample)}.parquet"


def _sample_name(sample: int | None) -> str:
    return "" if sample is None else f".{sample}"


def artefact(task: Task, name: str) -> str:
    """A further file that attackers get with a release."""
    return f"{task_places(task)[0]}/artefacts/{name}"


def full_release(task: Task) -> str:
    """The release of a task before publication, each row beside its original."""
    return f"{task_places(task)[1]}/release.parquet"


def full_card(task: Task) -> str:
    """The full card of a release, with what attackers do not get."""
    return f"{task_places(task)[1]}/{CARD}"


def truth(task: Task) -> str:
    """The answer of a task."""
    name = f"truth{_goal_name(task.goal)}.csv"
    if task.attacker is None:
        return f"{task_places(task)[1]}/{name}"
    return f"{SECRET}/{task.track}/attackers/{task.attacker}/{task.release_name}/{name}"


def whole_question(task: Task, data: str) -> str:
    """The question about all targets, of which every attacker gets a part; ``data`` as below."""
    return f"{task_places(task)[1]}/{_question(task, data)}"


def _question(task: Task, data: str) -> str:
    return f"question{_goal_name(task.goal)}.{data}"


def is_truth(name: str) -> bool:
    """Whether a path is that of the answer of some task."""
    return re.fullmatch(rf"{SECRET}/(.*/)?truth(\.\w+)?\.csv", name) is not None


def is_whole_question(name: str) -> bool:
    """Whether a path is that of a question about all targets."""
    return name.startswith(f"{SECRET}/") and name.rpartition("/")[2].startswith("question.")


_PEOPLE = re.compile(
    rf"{SECRET}/[^/]+/(base|test)\.[a-z]+"
    rf"|{SECRET}/[^/]+/tasks/[^/]+/private[^/]*"
    rf"|{TEAMS}/[^/]+/[^/]+/private[^/]*"
)
"""The population, further records and private samples."""


def is_withheld(name: str) -> bool:
    """Whether an archive without data leaves a file out: rows, their checksums, or keys.

    >>> is_withheld("secret/main/tasks/red/private.parquet"), is_withheld("teams/a/m/private.csv")
    (True, True)
    >>> is_withheld("secret/main/tasks/red/truth.csv"), is_withheld("public/main/base.parquet")
    (False, False)
    """
    tops = (f"{OWN_DATA}/", f"{SECRET}/rules/", SEEDS)  # the rules in full have checksums
    return name.startswith(tops) or _PEOPLE.fullmatch(name) is not None


def refusals(track: str) -> str:
    """The folder with a file for each task that a part refused to make."""
    return f"{PUBLIC}/{track}/refused"


def refusal(task: Task) -> str:
    """Why there is no such task."""
    return f"{refusals(task.track)}/{task.release_name}.txt"


def attacker_files(task: Task, release: str, question: str) -> tuple[str, str, str]:
    """What attackers get for a task: release, card and question, the first and last by format."""
    place = task_places(task)[0]
    own = f"{TEAMS}/{task.attacker}/{task.track}/tasks/{task.release_name}"
    asks = place if task.attacker is None else own
    return f"{place}/release.{release}", f"{place}/{CARD}", f"{asks}/{_question(task, question)}"


def own_answers(task: Task, team: str) -> str:
    """What a model answered to a team's own queries, all together; only kits have it."""
    return f"{TEAMS}/{team}/{task.track}/tasks/{task.release_name}/answers.safetensors"


def weights(task: Task) -> str:
    """The model that a release carries, if attackers get it."""
    return f"{task_places(task)[0]}/weights.safetensors"


def team_folder(team: str) -> str:
    """The folder with what only this team gets."""
    return f"{TEAMS}/{team}"


def team_board(team: str) -> str:
    """What a team may see of its scores."""
    return f"{TEAMS}/{team}/board.json"


def team_sample(team: str, track: str, sample: int | None = None) -> str:
    """The private sample that a team is to release, or one of those from which it chooses."""
    return f"{TEAMS}/{team}/{track}/private{_sample_name(sample)}.csv"


def submitted_file(digest: str, name: str) -> str:
    """A submitted file by the SHA-256 of its content; of its name only a known ending is used."""
    ending = next((known for known in ENDINGS if name.endswith(known)), "")
    return f"{SUBMISSIONS}/files/{digest[:2]}/{digest}{ending}"


def reason(number: int, place: str = SUBMISSIONS) -> str:
    """Why the program of a submission made nothing, or not everything; in detail in the cache."""
    return f"{place}/reasons/{number:05d}.txt"


def files_below(root: Path, *tops: str) -> Iterator[str]:
    """Every file below some folders, in order, without hidden files."""
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root)
            if path.is_file() and not any(step.startswith(".") for step in name.parts):
                yield name.as_posix()


# --- the cache, which may be deleted at any time --------------------------------------------------


def baseline_guess(attacker: str, task: Task) -> str:
    """A baseline's answer to a task."""
    return f"{CACHE}/guesses/{task.track}/{attacker}/{task.name}.csv"


def refused_guesses(track: str, attacker: str) -> str:
    """The folder with a file for each task that a baseline refused to answer."""
    return f"{CACHE}/refused/{track}/{attacker}"


def refused_guess(attacker: str, task: Task) -> str:
    """Why a baseline does not answer a task."""
    return f"{refused_guesses(task.track, attacker)}/{task.name}.txt"


def refused_release(track: str, team: str) -> str:
    """Why a baseline makes no release in a rehearsal."""
    return f"{CACHE}/releases/{track}/{team}/refused.txt"


def baseline_release(track: str, team: str) -> tuple[str, str]:
    """A baseline's release in a rehearsal, and its card."""
    place = f"{CACHE}/releases/{track}/{team}"
    return f"{place}/release.csv", f"{place}/{CARD}"


def program_output(number: int, task: Task, name: str) -> str:
    """A file that a program made for a task; ``number`` is the program's submission."""
    return f"{CACHE}/programs/{task.track}/{number:05d}/{task.name}/{name}"


def tracebacks(root: Path) -> list[Path]:
    """The tracebacks of programs that failed, without empty files."""
    files = root.glob(f"{CACHE}/programs/*/*/*/{TRACEBACK}")
    return sorted(path for path in files if path.stat().st_size)


def cached_utility(task: Task) -> str:
    """The utility readings of a release."""
    return f"{CACHE}/utility/{task.track}/{task.name}.json"


def cached_cell(track: str, entry: str, attacker: str) -> str:
    """The privacy readings of an attacker on an entry."""
    return f"{CACHE}/cells/{track}/{entry}/{attacker}.json"


def cached_shown_cell(track: str, entry: str, attacker: str) -> str:
    """The readings on the targets that shown scores are about, if the ranking uses others."""
    return f"{CACHE}/shown/{track}/{entry}/{attacker}.json"


def cached_finds(track: str, entry: str, attacker: str, goal: str = "") -> str:
    """Which records an attacker found in an entry, if a board needs to know."""
    return f"{CACHE}/finds/{track}/{entry}/{attacker}{_goal_name(goal)}.bin"


def stored_readings(track: str) -> str:
    """The stored readings of all cells of a track, with their keys."""
    return f"{CACHE}/readings/{track}.bin"


def fresh_readings(track: str) -> str:
    """The utility readings of fresh samples."""
    return f"{CACHE}/fresh/{track}.json"


# --- who may read what ----------------------------------------------------------------------------
#
# Everything is private unless its path is public. Other users may pass through the folder itself,
# so that a web server can serve ``public/``, but they cannot list it.


def make_root(root: Path) -> None:
    """Make the root of an edition folder; a folder that exists keeps its permissions."""
    if not root.exists():
        make_folder(root, durable=True)
        root.chmod(0o711)


def write(root: Path, path: str, content: bytes, *, durable: bool = False) -> None:
    """Write a file of an edition folder; its path decides who may read it."""
    write_file(root / path, content, public=is_public(path), durable=durable)


def list_exposed(root: Path) -> Iterator[str]:
    """The private files and folders that other users of this machine can read."""
    for name in PRIVATE:
        path = root / name
        # A closed folder protects what is in it, so the permissions below it do not matter.
        if path.exists() and path.stat().st_mode & _OTHERS:
            yield name
