"""Games: the tasks of a kit, and practice games like them, whose truth is known.

A practice game is a task that anybody can make from public data: a sample of the population, drawn
as the rules say, a release of it by the sanitizer of the task, and a question with its truth.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from quintain.attacks import Attack
from quintain.contests import Track
from quintain.contests.track_goal import split_targets
from quintain.errors import Faults, QuintainError, Refused, SubmissionError
from quintain.guesses import Guess
from quintain.jobs.job import explain_crash
from quintain.measures import Case, Reading
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.registry import build, parts
from quintain.releases import publication
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.scores.cells import asked_of_groups, measure_guesses
from quintain.runs.submissions.checking import guess_file, read_answer
from quintain.runs.taking_part import ANYBODY, Spec, open_tasks, require_team, situation_for
from quintain.sanitizers import sanitize
from quintain.sanitizers.sanitizer import Shadow
from quintain.wording.suggestion import suggestion

MOST_PRACTICE = 1_000
"""How many practice games are kept at most, because each is in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class KitGame:
    """A question about a release, and the task that it is, or is like; practice has a truth."""

    name: str
    task: Task
    situation: Situation


class Games:
    """The tasks of a kit that a team can answer, and the practice games made so far.

    Parameters
    ----------
    folder : a kit; nothing else is read.
    tasks : only these tasks, entries or goals.
    seed : the seed of practice games and attacks.
    """

    def __init__(
        self,
        folder: Folder,
        track: Track,
        *,
        team: str = ANYBODY,
        tasks: Collection[str] = (),
        seed: int = 0,
    ) -> None:
        require_team(track, team)
        self.folder, self.track, self.team = folder, track, team
        self.tasks = {task.name: task for task in open_tasks(folder, track, team, tasks)}
        self._seeds = SeedTree.from_int(seed)
        self._games: dict[str, KitGame] = {}
        self._practised = 0

    def game(self, name: str) -> KitGame:
        """A game by its name: that of a task, or of a practice game."""
        if name not in self._games:
            task = self._task(name)
            situation = situation_for(self.folder, self.track, task, self.team)
            self._games[name] = KitGame(name, task, situation)
        return self._games[name]

    def _task(self, name: str) -> Task:
        if name not in self.tasks:
            hint = suggestion(name, [*self.tasks, *self._games])
            raise Refused(f"unknown task {name!r}{hint}")
        return self.tasks[name]

    def practise(self, name: str, seed: int) -> KitGame:
        """A new game like a task; raises if the rules do not tell enough to make one."""
        task = self._task(name)
        if self._practised == MOST_PRACTICE:
            raise Refused(f"a session has {MOST_PRACTICE:,} practice games at most")
        rng = self._seeds.child("practise", task.name).rng(seed)
        with explain_crash(f"a practice game of {name}"):
            situation = practice(self.folder, self.track, task, rng=rng)
        self._practised += 1
        game = KitGame(f"{name}/practice-{self._practised}", task, situation)
        self._games[game.name] = game
        return game

    def attack(self, game: KitGame, spec: Spec, seed: int) -> Guess:
        """What a built-in attack says in a game; raises if it refuses."""
        part = cast(Attack, build("attack", spec))
        rng = self._seeds.child("attack", part.id, game.name).rng(seed)
        with explain_crash(f"{part.id} on {game.name}"):
            return play_or_raise(part, game.situation, rng=rng)

    def attacks_for(self, game: KitGame) -> list[str]:
        """The built-in attacks that can answer with what is known, without blind ones."""
        situation = game.situation
        kinds = (cast(type[Attack], kind) for kind in parts("attack"))
        able = (kind for kind in kinds if issubclass(type(situation.question), kind.answers))
        return [
            kind.name()
            for kind in able
            if not kind.blind and not kind.superseded_by and _can_play(kind, situation)
        ]

    def read(self, game: KitGame, text: str) -> Guess:
        """A guess in the format of the rules, checked as by the judge; raises with every fault."""
        faults = Faults(guess_file(self.track, game.task, self.team))
        situation = game.situation
        guess = read_answer(
            self.folder, self.track, situation.goal, situation.question, text.encode(), faults
        )
        faults.raise_if_any(SubmissionError)
        assert guess is not None  # no guess without a fault
        return guess

    def write(self, guess: Guess) -> str:
        """A guess in the format of the rules."""
        return csv_bytes(guess.table, header=self.track.files.header).decode()

    def score(self, game: KitGame, guess: Guess) -> dict[str, Reading]:
        """What the measures of the contest say about a guess at a practice game."""
        truth = game.situation.truth
        if truth is None:
            raise Refused(f"the truth about {game.name} is secret; practise, and score that")
        measures = self.track.measures_for(game.task.goal)
        return measure_guesses(measures, [Case(truth, guess, game.situation.question)])


def _can_play(kind: type[Attack], situation: Situation) -> bool:
    """Whether an attack without parameters has all facts that it needs."""
    try:
        attack = cast(Attack, build("attack", kind.name()))
        attack.require_facts(situation.knowledge, situation.release)
    except QuintainError:
        return False
    return True


def practice(folder: Folder, track: Track, task: Task, *, rng: np.random.Generator) -> Situation:
    """A game like a task, from the population and the sanitizer that attackers know."""
    aim = track.aim(task.goal)
    threat, sanitizer = aim.threat, track.entries.get(task.entry)
    if track.model is not None:
        raise Refused("there is no practice with models: train one yourself")
    if not threat.data.base:
        raise Refused("there is no practice without a population: the rules give attackers none")
    if sanitizer is None or not (threat.sanitizer.parameters or threat.sanitizer.code):
        raise Refused(f"there is no practice with {task.entry}: nobody says how it was made")
    base = folder.base(track.id)
    sample = track.sample.draw(base, rng=rng)
    made = sanitize(sanitizer, sample.private, rng=rng, noise=Noise.for_test(rng))
    published = publication(made.release.data, made.trace.origins, rng=rng)
    parts_of = {goal.id: part for goal, part in split_targets(track.aims, sample, rng=rng)}
    question, truth = aim.goal.ask_published(parts_of[aim.id], made.release, published, rng=rng)
    knowledge = threat.knowledge(
        question, base=base, parameters=sanitizer.spec(), code=Shadow(sanitizer)
    )
    release = replace(threat.show(made.release), data=published.data)
    return Situation(aim.goal, release, knowledge, truth)


def score_answers(
    folder: Folder, track: Track, answers: Mapping[str, Guess]
) -> dict[str, dict[str, Reading]]:
    """The readings of guesses at tasks of a contest whose truth is there, by task."""
    out: dict[str, dict[str, Reading]] = {}
    for task in folder.tasks(track):
        if task.name in answers:
            truth, question = folder.truth(track, task), asked_of_groups(folder, track, task)
            case = Case(truth, answers[task.name], question)
            out[task.name] = measure_guesses(track.measures_for(task.goal), [case])
    return out


def leak(readings: Mapping[str, Reading]) -> float:
    """What decides between guesses: the first reading, with the sign that attackers want larger."""
    first = next(iter(readings.values()))
    return first.value if first.better == "lower" else -first.value
