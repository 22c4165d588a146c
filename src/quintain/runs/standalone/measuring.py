"""Measuring: the measures of an edition on single files, without an edition folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from quintain.contests import Track
from quintain.contests.track_goal import TrackGoal
from quintain.data import Data, as_table
from quintain.data.readable import Readable
from quintain.errors import Faults, Rejected
from quintain.guesses import Goal
from quintain.measures import Case, Reading
from quintain.runs.scores.cells import measure_guesses, measure_release
from quintain.runs.standalone.reading import cells_of, track_schema
from quintain.runs.submissions.admission import choose_aim


def measure_files(
    track: Track,
    *,
    original: Path | None = None,
    release: Path | None = None,
    test: Path | None = None,
    truth: Path | None = None,
    guess: Path | None = None,
    goal: str | None = None,
) -> dict[str, Reading]:
    """Every reading that the files allow, by the edition's names; raises with every fault.

    ``goal`` is the id of the goal that the guess answers, if the track has several.
    """
    aim = track.aims[0] if goal is None and guess is None else choose_aim(track, goal)
    schema = track_schema(track)
    attributes = schema.private
    faults = Faults()
    cells = {
        name: cells_of(path, wanted, track, faults)
        for name, path, wanted in (
            ("original", original, attributes),
            ("release", release, attributes),
            ("test", test, attributes),
            ("truth", truth, aim.goal.truth_schema(schema)),
            ("guess", guess, aim.goal.guess_schema(schema)),
        )
        if path is not None
    }
    for first, other in (("original", "release"), ("truth", "guess")):
        if (first in cells) != (other in cells):
            faults.add(f"--{first} and --{other} belong together: give both or neither")
    if not cells:
        faults.add("give --original and --release, or --truth and --guess")
    readable = {name: read for name, read in cells.items() if read is not None}
    _check_release(track, readable, release, faults)
    _check_guess(track, aim.goal, readable, guess, faults)
    faults.raise_if_any(Rejected)
    return _readings(track, aim, {name: read.data() for name, read in readable.items()})


def _check_release(
    track: Track, readable: dict[str, Readable], path: Path | None, faults: Faults
) -> None:
    """Note every reason why a release cannot be measured beside its original."""
    original, release = readable.get("original"), readable.get("release")
    if path is None or original is None or release is None:
        return
    file_faults = Faults(path.name)
    for rule in track.rule:
        if rule.essential:
            release.check(partial(rule.check, original.data(), release.data()), file_faults)
    faults.extend(file_faults)


def _check_guess(
    track: Track, goal: Goal, readable: dict[str, Readable], path: Path | None, faults: Faults
) -> None:
    """Note every fault of a guess about the targets of the truth, in the cells that can be read."""
    truth, answer = readable.get("truth"), readable.get("guess")
    if path is None or truth is None or answer is None or truth.refused:
        return
    file_faults = Faults(path.name)
    known = goal.truth(as_table(truth.data()))
    question = goal.question_behind(known, track.dataset.data_schema())
    if question is not None:
        guess = goal.guess(as_table(answer.data()))
        answer.check(lambda more: goal.check(guess, question, more), file_faults)
    faults.extend(file_faults)


def _readings(track: Track, aim: TrackGoal, data: dict[str, Data]) -> dict[str, Reading]:
    out: dict[str, Reading] = {}
    if "release" in data:
        out |= measure_release(track, data["original"], data["release"], data.get("test"))
    if "guess" in data:
        goal = aim.goal
        case = Case(goal.truth(as_table(data["truth"])), goal.guess(as_table(data["guess"])))
        out |= measure_guesses(track.measures_for(aim.id), [case])
    return out
