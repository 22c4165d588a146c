"""Bundle: the current phase of a contest as one zip that organisers upload to CodaBench.

::

    competition.yaml     title, pages, one task, phases, one leaderboard
    logo.png, pages/     what visitors see
    public_data/         from the participant's kit: schema, population, releases, questions
    starting_kit/        a checker and README.md; for guesses also examples and a baseline
    scoring_program/     score.py and its modules, plan.json, metadata.yaml
    reference_data/      for guesses: the truth, or one half of it
    ORGANISERS.md        what CodaBench has no setting for

If teams make releases, the bundle is the release phase until the hand-over, and the guess phase
after it. Each is a competition of its own on CodaBench, because a bundle cannot add tasks to one.

What participants can download is a part of their kit. The truth is in the reference data and
nowhere else. It is not among the solutions, because everybody sees those. With ``truth="worker"``
the bundle has no truth at all: the reference data are random bytes, and the worker's folder has the
truth masked with them. Reference data of CodaBench have leaked before, and any program that a
participant submits can read the worker's folder; either half alone is random.

A bundle of a release phase has no private data. CodaBench gives everybody the same files and does
not tell a scoring program who submitted, so it could not measure a release beside its original.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.data.files import foreign
from quintain.errors import Fault, FolderError, MissingExtra, QuintainError, Refused, Rejected
from quintain.guesses import Guess
from quintain.kit.codabench.competition import competition, release_competition, schedule
from quintain.kit.codabench.exported import EXPORTED, exported_goal
from quintain.kit.codabench.pages import (
    guess_note,
    guess_pages,
    guess_readme,
    release_note,
    release_pages,
    release_readme,
)
from quintain.kit.codabench.plan import SITE_TEAM, Where, guess_plan, release_plan
from quintain.kit.codabench.program import guesses as judge
from quintain.kit.codabench.program.faults import Faults as ProgramFaults
from quintain.kit.codabench.program.score import program_part
from quintain.kit.kit import example_files, public_files, stand_ins
from quintain.measures import Case
from quintain.randomness.seeds import SeedTree
from quintain.rankings import trimming
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.folder.record import roots
from quintain.runs.lint import rehearsal_note
from quintain.runs.submissions.admission import choose_aim, choose_track
from quintain.runs.submissions.upload import zip_bytes
from quintain.wording.languages import DEFAULT, speaking

CONFIG = "competition.yaml"
_PROGRAM = Path(__file__).parent / "program"
_IMPORT = re.compile(
    rb"^from quintain\.(?:kit\.codabench\.program|data\.files|rankings)\.", re.MULTILINE
)
_ELSEWHERE = {"foreign.py": Path(foreign.__file__), "trimming.py": Path(trimming.__file__)}
"""Files of the program that quintain uses, too."""
_SHARED = ("score.py", "artefacts.py", "faults.py", "cells.py", "table.py", "foreign.py")
_GUESSES = ("guesses.py", "targets.py", "sums.py", "trimming.py")
_RELEASES = ("releases.py", "kept_rows.py")
_NOTE = b"The truth is not here: one half is random bytes, the other is on the worker.\n"
_SIZE = 128
_PALETTE = bytes.fromhex("ffffff1f4e79c0392b")
_RINGS = ((0.02, 2), (0.08, 0), (0.16, 1), (0.20, 0), (0.24, 1))
"""The logo: squared radii, as shares of the squared width, each with the colour inside it."""


@speaking(DEFAULT)  # the same bytes for visitors of all languages
def bundle_bytes(
    folder: Folder,
    *,
    truth: Where = "bundle",
    track: str | None = None,
    goal: str | None = None,
) -> bytes:
    """The zip to upload; the same folder gives the same bytes.

    Parameters
    ----------
    truth : "bundle" puts the truth into the reference data; "worker" splits it, see
        :func:`worker_bytes`.
    track : the track, if the edition has several. CodaBench has one leaderboard and no parallel
        phases, so a bundle has one track.
    goal : for the guess phase of a track with several goals, one of them. For the same reason each
        goal is a competition of its own.
    """
    chosen = _exportable(folder, track, goal)
    if current_phase(folder, chosen) == "release":
        _require_truth_in_bundle(chosen, truth)
        site = release_site(folder, chosen)
    else:
        site = guess_site(folder, chosen, truth)
    return zip_bytes(site.files(public_files(folder, chosen), rehearsal_note(folder).encode()))


def worker_bytes(folder: Folder, *, track: str | None = None, goal: str | None = None) -> bytes:
    """The zip for the worker of a bundle made with ``truth="worker"``: the other half of the truth.

    Unpack it where the worker mounts ``/app/data``.
    """
    return zip_bytes(worker_files(folder, _exportable(folder, track, goal)))


def current_phase(folder: Folder, track: Track) -> Literal["release", "guess"]:
    """What teams submit now: releases until they are handed over, then guesses."""
    waiting = track.teams_release and track.id not in folder.state().handed_over
    return "release" if waiting else "guess"


def _exportable(folder: Folder, name: str | None, goal: str | None) -> Track:
    """The track, with one goal for guesses, if its current phase can run on CodaBench."""
    folder.require_prepared()
    track = choose_track(folder.edition(), name)
    if folder.edition().cohorts is not None:
        raise Rejected([Fault("the teams have cohorts, and CodaBench treats all teams alike")])
    submit = current_phase(folder, track)
    if submit == "guess":
        track = track.towards(choose_aim(track, goal).id)
    require_exportable(track, submit)
    return track


def _require_truth_in_bundle(track: Track, truth: Where) -> None:
    if truth == "worker":
        raise Refused(
            f"the releases of track {track.id} are not handed over, so there is no truth to split: "
            "leave --truth worker out"
        )


# --- the files of a guess phase -------------------------------------------------------------------


def guess_site(folder: Folder, track: Track, truth: Where) -> CodabenchSite:
    """What CodaBench gets for the guess phase of a track; raises if an entry cannot be scored."""
    tasks, edition = _tasks(folder, track), folder.edition()
    plan = guess_plan(folder, track, truth)
    faults = trial_faults(folder, track, plan)
    if faults:
        raise Rejected(faults)
    program = scripts([*_GUESSES, f"goals/{exported_goal(track).module}.py"])
    program["plan.json"] = canonical_json(plan)
    examples = {f"{task.name}.csv": content for task, content in example_files(folder, track)}
    return CodabenchSite(
        config=competition(edition, track, list(folder.read(track).by_entry)),
        program=program,
        starting_kit={
            **program,
            "baseline.py": scripts(["baseline.py"])["baseline.py"],
            "README.md": guess_readme(edition, tasks),
            **{f"example/{name}": content for name, content in examples.items()},
            **{f"example/{name}": content for name, content in _artefacts(track).items()},
        },
        pages=guess_pages(
            edition, track, tasks, roots(folder.state()), next(iter(examples.values()))
        ),
        note=guess_note(edition, track, tasks, truth),
        reference=_reference(folder, tasks, truth),
    )


def _artefacts(track: Track) -> dict[str, bytes]:
    """Stand-ins for the artefacts that a submission must have, under their names on the site."""
    phase = track.phase_for("guess")
    return {} if phase is None else stand_ins(track, phase, SITE_TEAM, b"")


def worker_files(folder: Folder, track: Track) -> dict[str, bytes]:
    """The other half of the truth, for the folder that the worker mounts as ``/app/data``."""
    place = f"{folder.edition().id}/truth/{track.id}"
    return {
        f"{place}/{task.name}.half": _mask_bytes(_truth(folder, task), _mask(folder, task))
        for task in _tasks(folder, track)
    }


def _tasks(folder: Folder, track: Track) -> list[Task]:
    tasks = folder.tasks(track)
    if not tasks:
        raise FolderError(f"track {track.id} has nothing to attack")
    return tasks


def _reference(folder: Folder, tasks: list[Task], truth: Where) -> dict[str, bytes]:
    if truth == "bundle":
        return {f"{task.name}.csv": _truth(folder, task) for task in tasks}
    halves = {f"{task.name}.half": _mask(folder, task) for task in tasks}
    return {"README.txt": _NOTE, **halves}


def _truth(folder: Folder, task: Task) -> bytes:
    return folder.at(paths.truth(task)).read_bytes()


def _mask(folder: Folder, task: Task) -> bytes:
    """Random bytes as long as the truth, from a secret key of the folder."""
    key = folder.secrets().seeds(task.track, "codabench", *task.stream).key(task.repeat)
    return hashlib.shake_256(key).digest(len(_truth(folder, task)))


def _mask_bytes(content: bytes, mask: bytes) -> bytes:
    return bytes(byte ^ other for byte, other in zip(content, mask, strict=True))


# --- the files of a release phase -----------------------------------------------------------------


def release_site(folder: Folder, track: Track) -> CodabenchSite:
    """What CodaBench gets for the release phase of a track."""
    edition = folder.edition()
    program = scripts(_RELEASES)
    program["plan.json"] = canonical_json(release_plan(folder, track))
    return CodabenchSite(
        config=release_competition(edition, track),
        program=program,
        starting_kit={**program, "README.md": release_readme(edition)},
        pages=release_pages(edition, track, roots(folder.state())),
        note=release_note(track),
    )


# --- why a track cannot be exported ---------------------------------------------------------------


def require_exportable(track: Track, submit: str) -> None:
    """Raise with every reason why the phases of this kind cannot run on CodaBench."""
    reasons = [*_in_any_phase(track, submit), *(_of_guesses(track) if submit == "guess" else ())]
    if reasons:
        raise Rejected([Fault(reason) for reason in reasons])


def _in_any_phase(track: Track, submit: str) -> Iterator[str]:
    if track.model is not None and submit == "release":
        yield (
            f"in track {track.id} teams submit models; the scoring program for CodaBench has the "
            "standard library alone and reads tables: let teams submit to a site of quintain, then "
            "export the phase of guesses"
        )
    phase = track.phase_for(submit)
    if phase is not None and phase.contract is not None:
        yield (
            f"in track {track.id} teams submit {phase.submits}s; the bundle for CodaBench takes "
            + ("answers" if submit == "guess" else "tables")
        )
    artefacts = {phase.artefact for phase in track.phase if phase.submit == submit}
    if len(artefacts) > 1:
        yield f"the phases of track {track.id} take different artefacts; a bundle has one list"
    try:
        schedule(track, submit)
    except QuintainError as error:
        yield str(error)


def _of_guesses(track: Track) -> Iterator[str]:
    if not track.attack_aims:
        yield f"nobody attacks in track {track.id}: there are no answers to score"
        return
    if track.feedback.shown_on is not None:
        yield (
            f"track {track.id} shows scores on some targets and ranks by others (shown_on); the "
            "bundle for CodaBench scores all targets at once"
        )
    if track.asks_each:
        yield (
            f"in track {track.id} every attacker has questions of its own; CodaBench gives the "
            "same files to everybody"
        )
    if track.model is not None and track.model.own_queries is not None:
        yield (
            f"in track {track.id} attackers put queries of their own to the models, and CodaBench "
            "cannot answer them: leave own_queries out"
        )
    if track.guess_measures[0].groups is not None:
        yield (
            f"track {track.id} is measured first on a subgroup, and the scoring program for "
            "CodaBench reads all targets; list a measure of everybody first"
        )
    wanted, measure = track.aims[0].goal, track.guess_measures[0].measure
    goal = EXPORTED.get(wanted.id)
    if goal is None:
        yield (
            f"track {track.id} has the goal {wanted.id}, which the scoring program for "
            f"CodaBench does not know; it knows {', '.join(EXPORTED)}"
        )
    elif measure.id not in goal.measures:
        yield (
            f"track {track.id} is measured first by {measure.id}, which the scoring program for "
            f"CodaBench cannot compute; list one of these first: {', '.join(goal.measures)}"
        )
    elif measure.parameters().get("interpolated"):
        yield (
            f"track {track.id} is measured first between the steps of the curve (interpolated), "
            "which the scoring program for CodaBench cannot do"
        )


# --- what CodaBench shows and runs, before it is packed -------------------------------------------


@dataclass(frozen=True, slots=True)
class CodabenchSite:
    """The files of a bundle, by their purpose.

    Parameters
    ----------
    config : the content of ``competition.yaml``.
    program : the scoring program.
    starting_kit : what participants start from.
    pages : what visitors read.
    note : what the organisers read, in ORGANISERS.md.
    reference : the truth, or one half of it; none for a release phase.
    """

    config: dict[str, Any]
    program: Mapping[str, bytes]
    starting_kit: Mapping[str, bytes]
    pages: Mapping[str, bytes]
    note: bytes
    reference: Mapping[str, bytes] = field(default_factory=dict)

    def files(self, public: Mapping[str, bytes], warning: bytes) -> dict[str, bytes]:
        """The files of the bundle; ``warning`` is the first thing that people read."""
        kit = dict(self.starting_kit)
        kit["README.md"] = warning + kit["README.md"]
        return {
            CONFIG: _yaml(self.config),
            "logo.png": logo_png(),
            "ORGANISERS.md": warning + self.note,
            "scoring_program/metadata.yaml": b"command: python3 score.py\n",
            **self.pages,
            **{f"public_data/{name}": content for name, content in public.items()},
            **{f"starting_kit/{name}": content for name, content in kit.items()},
            **{f"scoring_program/{name}": content for name, content in self.program.items()},
            **{f"reference_data/{name}": content for name, content in self.reference.items()},
        }


def require_yaml() -> Any:
    """PyYAML, or the line that installs it."""
    try:
        return import_module("yaml")
    except ImportError:
        raise MissingExtra("a CodaBench bundle", "pyyaml", "codabench") from None


def _yaml(config: object) -> bytes:
    """The competition file as YAML, with quotes around strings that look like times."""
    text: str = require_yaml().safe_dump(config, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()


# --- a trial: blind guesses, scored by the program and by ourselves -------------------------------


def trial_faults(folder: Folder, track: Track, plan: dict[str, Any]) -> list[Fault]:
    """The entries that cannot be scored, each with the reason.

    Raises if the program scores a blind guess differently from quintain, be it in the last bit.
    """
    faults = []
    for entry, releases in folder.read(track).by_entry.items():
        tasks = [release.about(track.aims[0].id) for release in releases]
        guesses = [_blind(folder, track, task) for task in tasks]
        cases = [Case(folder.truth(track, t), g) for t, g in zip(tasks, guesses, strict=True)]
        readings = track.guess_measures[0].of_guesses(cases)
        gaps = [(name, reading.note) for name, reading in readings.items() if not reading.measured]
        faults += [Fault(f"{entry} cannot be scored: {name}: {note}") for name, note in gaps]
        if not gaps:
            ours = [reading.value for reading in readings.values()]
            _compare(entry, ours, _program_scores(folder, track, tasks, guesses, plan))
    return faults


def _compare(entry: str, ours: list[float], scores: list[float]) -> None:
    if scores != ours:
        raise QuintainError(
            f"the scoring program gives {scores} for a blind guess at {entry}, but quintain gives "
            f"{ours}: please report this as a fault of quintain"
        )


def _blind(folder: Folder, track: Track, task: Task) -> Guess:
    rng = SeedTree.from_int(0).rng("codabench", task.name)
    return folder.question(track, task).blind(rng=rng)


def _program_scores(
    folder: Folder,
    track: Track,
    tasks: Sequence[Task],
    guesses: Sequence[Guess],
    plan: dict[str, Any],
) -> list[float]:
    """What the program makes of the same guesses, from their files."""
    cases, faults = [], ProgramFaults()
    for task, guess in zip(tasks, guesses, strict=True):
        content = csv_bytes(guess.table, header=track.files.header)
        rows = judge.read_guess(f"{task.name}.csv", content, task.name, plan, faults)
        truth = judge.read_truth(task.name, folder.at(paths.truth(task)).read_bytes(), plan)
        cases.append((truth, {} if rows is None else rows.values))
    if faults.total:
        raise QuintainError("\n".join(faults.first(20)))
    scores: list[float] = program_part(plan["goal"]).measure(cases, plan["measure"])
    return scores


# --- the scoring program, and a logo --------------------------------------------------------------


def scripts(names: Iterable[str]) -> dict[str, bytes]:
    """The files that every judge needs, and these; all of them need nothing but Python."""
    places = {name: _PROGRAM / name for name in (*_SHARED, *names)}
    places |= {name: _ELSEWHERE[name] for name in places.keys() & _ELSEWHERE}
    return {name: _IMPORT.sub(b"from ", place.read_bytes()) for name, place in places.items()}


@cache
def logo_png() -> bytes:
    """The logo of every contest, as the content of a PNG file: a round target.

    >>> logo_png()[:4]
    b'\\x89PNG'
    """
    rows = b"".join(b"\x00" + bytes(_colour(x, y) for x in range(_SIZE)) for y in range(_SIZE))
    header = struct.pack(">IIBBBBB", _SIZE, _SIZE, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", _PALETTE), (b"IDAT", zlib.compress(rows, 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in (*chunks, (b"IEND", b"")))


def _colour(x: int, y: int) -> int:
    share = ((x + 0.5 - _SIZE / 2) ** 2 + (y + 0.5 - _SIZE / 2) ** 2) / _SIZE**2
    return next((colour for edge, colour in _RINGS if share < edge), 0)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check
