"""Session: an agent plays a kit in the sandbox, from its first call to its guesses."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from quintain.commitment import canonical_json, sha256
from quintain.contests import Track
from quintain.errors import Faults, QuintainError, Refused, SubmissionError
from quintain.figures.format import listed
from quintain.guesses import Guess
from quintain.programs.contract import Program, check_module
from quintain.programs.failures import ProgramError
from quintain.programs.limits import MIB, CallLimits
from quintain.programs.runner import Arguments, call
from quintain.programs.sandbox.provider import Sandbox, scratch_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.checking import guess_file
from quintain.runs.taking_part import ANYBODY
from quintain_agent.games import Games
from quintain_agent.tools import Toolbox
from quintain_agent.transcript import TooLong, Transcript

MODULE, FUNCTION = "agent", "play"
KIT = "kit"
"""The folder beside the module of an agent that has the files of the kit."""


class AgentLimits(BaseModel):
    """What an agent may use in one session.

    Parameters
    ----------
    seconds : how long the session may take, tools included.
    memory_gib : how much memory the program may use, together with the processes that it starts.
    queries : how many calls of tools that have a price.
    transcript_mib : how long the transcript may become.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: Annotated[float, Field(gt=0)] = 3_600.0
    memory_gib: Annotated[float, Field(gt=0)] = 4.0
    queries: Annotated[int, Field(ge=0)] = 1_000
    transcript_mib: Annotated[float, Field(gt=0)] = 16.0

    @property
    def call(self) -> CallLimits:
        """The limits of the program."""
        return CallLimits(seconds=self.seconds, memory_gib=self.memory_gib)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """What came of a session.

    Parameters
    ----------
    guesses : the guess at each task that has one, all of them valid.
    files : the same as files, under the names that the rules ask for.
    problems : what went wrong, in sentences; empty if the agent ended by itself with a guess at
        every task.
    used : how many queries it used.
    transcript, log : what it asked and got, and what it printed or how it failed.
    """

    guesses: Mapping[str, Guess]
    files: Mapping[str, bytes]
    problems: tuple[str, ...]
    used: int
    seconds: float
    transcript: bytes
    log: bytes


def play_agent(
    folder: Folder,
    track: Track,
    program: Program,
    *,
    sandbox: Sandbox,
    limits: AgentLimits | None = None,
    team: str = ANYBODY,
    tasks: Collection[str] = (),
    seed: int = 0,
) -> Session:
    """Let an agent play the tasks of a kit; it never sees more than the kit has.

    Whatever the agent does, what it handed in before counts. Raises if the session cannot begin.
    """
    limits = limits or AgentLimits()
    box = Toolbox(Games(folder, track, team=team, tasks=tasks, seed=seed), limits.queries)
    files = _with_kit(folder, program, limits.call)
    transcript = Transcript(int(limits.transcript_mib * MIB))
    transcript.note(
        {
            "session": limits.model_dump(),
            "sandbox": sandbox.name,
            "program": sha256(canonical_json({k: sha256(v) for k, v in program.items()})),
            "tasks": list(box.games.tasks),
            "seed": seed,
        }
    )
    arguments: dict[str, Arguments] = {
        "kit": f"program/{KIT}",
        "queries": limits.queries,
        "seconds": int(limits.seconds),
        "seed": seed,
    }
    began, problem, log = time.monotonic(), "", b""
    listener = _Listener(box, transcript, began)
    try:
        call(files, MODULE, FUNCTION, arguments, limits.call, sandbox, listener)
    except ProgramError as error:
        problem, log = error.details, error.traceback
    except TooLong as error:
        problem = str(error)
    listener.over = True
    seconds = time.monotonic() - began
    problems = (*([f"the agent was stopped or failed: {problem}"] if problem else []), *_gaps(box))
    transcript.note({"end": list(problems), "at": round(seconds, 3), "used": box.used})
    answers = {
        guess_file(track, box.games.tasks[name], team): box.games.write(guess).encode()
        for name, guess in box.guesses.items()
    }
    return Session(box.guesses, answers, problems, box.used, seconds, transcript.to_bytes(), log)


def _with_kit(folder: Folder, program: Program, limits: CallLimits) -> dict[str, bytes]:
    """The files of a program and of the kit beside it; raises with every reason to refuse it."""
    faults = Faults("agent")
    check_module(program, MODULE, faults)
    if any(name == KIT or name.startswith(f"{KIT}/") for name in program):
        faults.add(f"has files in a folder {KIT}, where the files of the kit come")
    faults.raise_if_any(SubmissionError)
    kit = {name: folder.at(name).read_bytes() for name in paths.files_below(folder.root, "")}
    size, room = sum(map(len, kit.values())), scratch_bytes(limits)
    if 2 * size > room:
        raise Refused(
            f"the kit has {size / MIB:.0f} MiB, and programs have {room / MIB:.0f} MiB of room for "
            "files; allow more memory, which is 16 times the room"
        )
    return {**program, **{f"{KIT}/{name}": content for name, content in kit.items()}}


def _gaps(box: Toolbox) -> list[str]:
    """Tasks without a valid guess, in a sentence for each kind."""
    gaps = [
        f"its last guess at {name} was refused: {fault}"
        for name, fault in box.faults.items()
        if name not in box.guesses
    ]
    never = [name for name in box.games.tasks if name not in box.guesses | box.faults]
    if never:
        gaps.append(f"it handed in no guess at {listed(never)}")
    return gaps


class _Listener:
    """Hears what the agent asks, and writes down every call."""

    def __init__(self, box: Toolbox, transcript: Transcript, began: float) -> None:
        self._box, self._transcript, self._began = box, transcript, began
        self.over = False

    def __call__(self, question: bytes) -> bytes:
        start = time.monotonic()
        reply = json.dumps(self._use(question)).encode()
        if not self.over:  # else the session ended while a tool was at work
            now = time.monotonic()
            self._transcript.add(
                at=start - self._began, took=now - start, question=question, reply=reply
            )
        return reply

    def _use(self, question: bytes) -> dict[str, Any]:
        try:
            request = json.loads(question)
            tool, given = request["tool"], request["given"]
            if not isinstance(tool, str) or not isinstance(given, dict):
                raise TypeError("not a call")
        except (ValueError, KeyError, TypeError, RecursionError):
            return {"refused": "a call is a JSON object with a text, tool, and an object, given"}
        try:
            return {"answer": self._box.call(tool, given)}
        except QuintainError as error:
            return {"refused": str(error)}
