"""Tools: what an agent may ask for, each with its arguments and its price.

A call is a name and a JSON object. It comes from a program that nobody trusts, so every argument is
checked, and every fault is a sentence for the agent. Nothing here knows a secret of the contest.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quintain.data.files import to_bytes
from quintain.errors import QuintainError, Refused
from quintain.guesses import Guess
from quintain.measures import Reading
from quintain.registry import fault_of
from quintain.runs.submissions.checking import guess_file
from quintain.wording.suggestion import suggestion
from quintain_agent.games import Games, KitGame, leak


class Tool(BaseModel, ABC):
    """One thing that an agent may ask for; its fields are the arguments.

    Attributes
    ----------
    name : what the agent calls it.
    price : how many queries of the budget a call takes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: ClassVar[str]
    price: ClassVar[int] = 1

    @abstractmethod
    def use(self, box: Toolbox) -> dict[str, Any]:
        """What the agent gets; raises a quintain error that says why it gets nothing."""


class ListTasks(Tool):
    """List the tasks: for each its goal, its files, the attacks that can answer, and its answer."""

    name = "tasks"
    price = 0

    def use(self, box: Toolbox) -> dict[str, Any]:
        """Every task of the kit that waits for an answer."""
        return {"tasks": [box.describe(name) for name in box.games.tasks]}


class Practise(Tool):
    """Make a practice game like a task, with fresh people; its name goes where a task's goes."""

    name = "practise"

    task: str = Field(description="The name of a task of the kit.")
    seed: int = Field(default=0, description="Another seed draws another game.")
    files: bool = Field(default=False, description="Also return release and question as CSV.")

    def use(self, box: Toolbox) -> dict[str, Any]:
        """The name of the game, and its files if they are wanted."""
        game = box.games.practise(self.task, self.seed)
        out: dict[str, Any] = {"task": game.name}
        if self.files:
            out["release"] = to_bytes(game.situation.release.data, ".csv").decode()
            out["question"] = to_bytes(game.situation.question.table, ".csv").decode()
        return out


class RunAttack(Tool):
    """Run a built-in attack on a task or a practice game; for practice, its score comes along."""

    name = "attack"

    task: str = Field(description="The name of a task, or of a practice game.")
    use_: str = Field(alias="use", description="The attack, such as nearest.")
    parameters: dict[str, Any] = Field(
        default_factory=dict, alias="set", description="Parameters of the attack."
    )
    seed: int = Field(default=0, description="The seed of the attack.")

    def use(self, box: Toolbox) -> dict[str, Any]:
        """The guess of the attack in the format of the contest."""
        game = box.games.game(self.task)
        guess = box.games.attack(game, {**self.parameters, "use": self.use_}, self.seed)
        measured = {} if game.situation.truth is None else box.measure(game, guess)
        return {"guess": box.games.write(guess), **measured}


class ScoreGuess(Tool):
    """Measure a guess at a practice game as the contest does; the larger the score, the better."""

    name = "score"

    task: str = Field(description="The name of a practice game.")
    guess: str = Field(description="The guess as CSV, in the format of the contest.")

    def use(self, box: Toolbox) -> dict[str, Any]:
        """The score and all readings."""
        game = box.games.game(self.task)
        return box.measure(game, box.games.read(game, self.guess))


class HandIn(Tool):
    """Hand a guess in; the last valid one for a task counts."""

    name = "guess"
    price = 0

    task: str = Field(description="The name of a task of the kit.")
    guess: str = Field(description="The guess as CSV, in the format of the contest.")

    def use(self, box: Toolbox) -> dict[str, Any]:
        """The name of the file that holds the guess."""
        if self.task not in box.games.tasks:
            raise Refused(f"unknown task {self.task!r}{suggestion(self.task, box.games.tasks)}")
        game = box.games.game(self.task)
        try:
            guess = box.games.read(game, self.guess)
        except QuintainError as error:
            box.faults[self.task] = str(error)
            raise
        box.guesses[self.task] = guess
        box.faults.pop(self.task, None)
        return {"file": guess_file(box.games.track, game.task, box.games.team)}


TOOLS: Mapping[str, type[Tool]] = {
    tool.name: tool for tool in (ListTasks, Practise, RunAttack, ScoreGuess, HandIn)
}
"""Every tool by its name."""


class Toolbox:
    """The tools of one session, with what was handed in and what is left of the budget.

    Parameters
    ----------
    queries : how many queries the agent has; see :attr:`Tool.price`.

    Attributes
    ----------
    guesses : the last valid guess for each task.
    faults : why the last guess was refused, for each task where it was.
    """

    def __init__(self, games: Games, queries: int) -> None:
        self.games, self.queries, self.used = games, queries, 0
        self.guesses: dict[str, Guess] = {}
        self.faults: dict[str, str] = {}

    def call(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Use a tool; raises a quintain error that says why the agent gets nothing."""
        if tool not in TOOLS:
            raise Refused(f"unknown tool {tool!r}{suggestion(tool, TOOLS)}")
        kind = TOOLS[tool]
        try:
            wanted = kind.model_validate(dict(given))
        except ValidationError as error:
            names = [field.alias or name for name, field in kind.model_fields.items()]
            faults = [fault_of(item, names, "argument") for item in error.errors()]
            raise Refused("; ".join(map(str, faults))) from None
        if self.used + kind.price > self.queries:
            free = " and ".join(name for name, tool in TOOLS.items() if not tool.price)
            raise Refused(f"all {self.queries:,} queries are used up; {free} are free")
        self.used += kind.price
        return wanted.use(self)

    def measure(self, game: KitGame, guess: Guess) -> dict[str, Any]:
        """The score and the readings of a guess at a practice game, as plain data."""
        readings = self.games.score(game, guess)
        score = leak(readings)
        return {"score": None if math.isnan(score) else score, "readings": plain(readings)}

    def describe(self, name: str) -> dict[str, Any]:
        """What an agent reads about a task."""
        game, track = self.games.game(name), self.games.track
        release, card, question = self.games.folder.attacker_files(track, game.task)
        root = self.games.folder.root
        return {
            "task": name,
            "goal": game.situation.goal.name(),
            "release": release.relative_to(root).as_posix(),
            "card": card.relative_to(root).as_posix(),
            "question": question.relative_to(root).as_posix(),
            "attacks": self.games.attacks_for(game),
            "answer": guess_file(track, game.task, self.games.team),
        }


def plain(readings: Mapping[str, Reading]) -> dict[str, Any]:
    """Readings as JSON: without a value, there is a note that says why."""
    return {
        name: {
            "value": reading.value if reading.measured else None,
            "low": reading.low if reading.measured else None,
            "high": reading.high if reading.measured else None,
            "n": reading.n,
            "better": reading.better,
            "note": reading.note,
        }
        for name, reading in readings.items()
    }


def tool_specs() -> list[dict[str, Any]]:
    """Every tool as name, description and JSON schema of its arguments, for agents with a model."""
    return [
        {
            "name": name,
            "description": (tool.__doc__ or "").strip(),
            "parameters": json.loads(json.dumps(tool.model_json_schema())),
        }
        for name, tool in TOOLS.items()
    ]
