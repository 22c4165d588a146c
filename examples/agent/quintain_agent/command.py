"""The command ``quintain-agent``: a program plays a kit with tools, within a budget."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import click

from quintain.cli import options, outputs
from quintain.cli.groups import examples
from quintain.cli.one_part import say_what_is_next
from quintain.cli.terminal import guard
from quintain.commitment import canonical_json
from quintain.errors import QuintainError
from quintain.figures.format import count, printable, reading_text
from quintain.jobs.scratch import ScratchFolder
from quintain.kit.kit import kit_bytes
from quintain.measures import Reading
from quintain.programs.choice import Containment, sandbox_of
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.zipped import open_packed
from quintain.runs.submissions.admission import choose_track
from quintain.runs.submissions.upload import read_program
from quintain.runs.taking_part import ANYBODY
from quintain_agent.games import score_answers
from quintain_agent.session import AgentLimits, play_agent
from quintain_agent.tools import plain

ANSWERS = "answers"


@click.command(
    epilog=examples(
        "quintain-agent kit agent.py --out session",
        "quintain-agent kit.zip my-agent/ --queries 200 --seconds 600 --team red --out session",
        "quintain-agent run agent.py --trust-programs --out session",
    )
)
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.argument("program", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    type=outputs.NewFolder(),
    required=True,
    help="An empty or new folder for answers, transcript and outcome.",
)
@outputs.replace
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=3600.0,
    show_default=True,
    help="How long the session may take, tools included.",
)
@click.option(
    "--memory",
    type=click.FloatRange(0, min_open=True),
    default=4.0,
    show_default=True,
    help="How many GiB of memory the program may use.",
)
@click.option(
    "--queries",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="How many practice games, attacks and scores it may ask for, all together.",
)
@click.option("--team", help="Your team, if the names of answers contain it.")
@options.track
@click.option("--task", "tasks", multiple=True, help="Only this task; may be repeated.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all tools.")
@options.trust_programs
@options.as_json
def agent(
    source: Path,
    program: Path,
    out: Path,
    seconds: float,
    memory: float,
    queries: int,
    team: str | None,
    track: str | None,
    tasks: tuple[str, ...],
    seed: int,
    containment: Containment,
    as_json: bool,
) -> None:
    """Let a program play a kit in the sandbox, with tools and a budget.

    SOURCE is a kit, unpacked or as a zip; PROGRAM is a file agent.py, or a folder or a zip with
    such a file. It has a function play, which gets a dictionary: kit is the folder with the files
    of the kit, and ask calls a tool. The answers that it hands in are checked as the judge does. A
    transcript says what it asked, when, and what it got.

    SOURCE may also be a contest with its secrets, such as a rehearsal. Then the program gets the
    kit of that contest, and its answers are scored.
    """
    with _open_kit(source, team) as (kit, contest):
        edition = kit.edition()
        session = play_agent(
            kit,
            choose_track(edition, track),
            read_program(program, edition.limits),
            sandbox=sandbox_of(containment.ticket(), team or ANYBODY),
            limits=AgentLimits(seconds=seconds, memory_gib=memory, queries=queries),
            team=team or ANYBODY,
            tasks=tasks,
            seed=seed,
        )
        outcome: dict[str, Any] = {
            "problems": list(session.problems),
            "queries": session.used,
            "seconds": round(session.seconds, 3),
            "answers": sorted(session.files),
        }
        scores: Mapping[str, Mapping[str, Reading]] = {}
        if contest is not None:
            rules = choose_track(contest.edition(), track)
            scores = score_answers(contest, rules, session.guesses)
            outcome["scores"] = {task: plain(readings) for task, readings in scores.items()}
    outputs.write_folder(
        out,
        {
            "transcript.jsonl": session.transcript,
            "log.txt": session.log,
            "session.json": canonical_json(outcome),
            **{f"{ANSWERS}/{name}": content for name, content in session.files.items()},
        },
    )
    if as_json:
        click.echo(json.dumps(outcome))
    else:
        _print(outcome, scores, out)
        if session.files and contest is None:
            say_what_is_next(source, out / ANSWERS, team, track, "--kind guess")
    if not session.files:
        raise SystemExit(1)


@contextmanager
def _open_kit(source: Path, team: str | None) -> Iterator[tuple[Folder, Folder | None]]:
    """The kit for the agent, and the contest if the source has its secrets."""
    with open_packed(source) as folder:
        folder.require_prepared()
        if folder.is_kit:
            yield folder, None
            return
        with ScratchFolder() as place:
            with ZipFile(io.BytesIO(kit_bytes(folder, team))) as archive:
                archive.extractall(place)
            yield Folder(place), folder


def _print(outcome: dict[str, Any], scores: Mapping[str, Mapping[str, Reading]], out: Path) -> None:
    for sentence in outcome["problems"]:
        click.echo(f"warning: {printable(sentence)}", err=True)
    for task, readings in scores.items():
        for name, reading in readings.items():
            click.echo(f"{task:>24}  {name} {reading_text(reading)}, {reading.better} is better")
    used = count(outcome["queries"], "query", "queries")
    answers = count(len(outcome["answers"]), "answer")
    click.echo(f"{out}: {answers} after {used} and {outcome['seconds']:.0f} s")


def main(arguments: list[str] | None = None) -> None:
    """Run the command; print an error that the user can mend as a sentence."""
    given = sys.argv[1:] if arguments is None else arguments
    with guard(given):
        try:
            agent.main(given, prog_name="quintain-agent")
        except QuintainError as error:
            click.echo(f"quintain-agent: {error}", err=True)
            sys.exit(1)
