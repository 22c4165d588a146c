"""How the command line shows progress, numbers and boards."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from quintain.cli.terminal import cell, console
from quintain.jobs.progress import shown_by

if TYPE_CHECKING:
    from quintain.runs.folder.folder import Folder
    from quintain.runs.folder.layout import FolderLayout


_NAMES = (
    "team",
    "release",
    "release of",
    "risk",
    "reading",
    "attacker",
    "name",
    "competing",
    "joined",
    "own limits",
    "status",
)
MOST_RELEASES = 12
"""The most releases that are shown with their strongest attack."""

WIDTH_OF_FILES = 1000
"""A file has no width: tables in it fold no names."""

EVERY_SECONDS = 30
"""How often a running stage prints a line if there is no terminal."""


@contextmanager
def progress() -> Iterator[None]:
    """Show progress: a bar on a terminal, plain lines elsewhere; both on standard error."""
    with _bars() if sys.stderr.isatty() else _lines():
        yield


@contextmanager
def _bars() -> Iterator[None]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:>22}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
    )
    with Progress(*columns, TimeElapsedColumn(), console=console(stderr=True)) as bars:
        known: dict[str, Any] = {}

        def sink(label: str, done: int, total: int) -> None:
            if label not in known:
                known[label] = bars.add_task(cell(label), total=total)
            elif done == 0:
                bars.reset(known[label], total=total)
            bars.update(known[label], completed=done, total=total)

        with shown_by(sink, _say):
            yield


def _say(sentence: str) -> None:
    click.echo(cell(sentence), err=True)


@contextmanager
def _lines() -> Iterator[None]:
    """One line per stage when it is done, and one every half minute while it runs.

    Work inside a stage, such as the training of one release, gets no lines. A stage whose steps
    take longer than half a minute has lines, too, so that a reader sees that work goes on.
    """
    stage: dict[str, _Stage] = {}
    over = threading.Event()

    def sink(label: str, done: int, total: int) -> None:
        now = time.monotonic()
        if label not in stage and stage:
            return
        own = stage.setdefault(label, _Stage(now, now))
        own.done, own.total = done, total
        if total and (done == total or now - own.shown > EVERY_SECONDS):
            own.shown = now
            click.echo(f"{label}: {done} of {total}", err=True)
        if done == total:
            del stage[label]

    def beat() -> None:
        while not over.wait(EVERY_SECONDS / 3):
            now = time.monotonic()
            for label, bar in list(stage.items()):
                if bar.total and now - bar.shown > EVERY_SECONDS:
                    bar.shown = now
                    seconds = round(now - bar.began)
                    click.echo(f"{label}: {bar.done} of {bar.total} after {seconds} s", err=True)

    beating = threading.Thread(target=beat, daemon=True)
    beating.start()
    try:
        with shown_by(sink, _say):
            yield
    finally:
        over.set()
        beating.join()


@dataclass(slots=True)
class _Stage:
    """A stage that runs: when it began, and what was last said of it."""

    began: float
    shown: float
    done: int = 0
    total: int = 0


def default_workers() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def print_failures(folder: Folder, *, public_data: bool = False) -> None:
    """Print which programs made nothing, or not everything, and why; in detail on public data."""
    from quintain.runs.folder import paths
    from quintain.runs.play import reasons

    for team, reason in reasons(folder, public_data=public_data).items():
        click.echo(f"for {team}, a program failed on:")
        for line in reason.splitlines():
            click.echo(f"  {line}")
    for path in paths.tracebacks(folder.root)[:1]:
        readers = "" if public_data else ", for organisers only"
        click.echo(f"a traceback{readers}: {path}")


def print_boards(folder: FolderLayout) -> None:
    """Print every board of a folder's standings as a table; tracks in the order of the edition."""
    from quintain.runs.folder import paths

    standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    several = len(standings["tracks"]) > 1
    boards = [
        (f"{track['title'] or name}: {board['title']}" if several else board["title"], board)
        for name, track in in_order(folder, standings["tracks"])
        for board in track["boards"]
    ]
    for title, board in [*boards, *((board["title"], board) for board in standings["overall"])]:
        if board["places"]:
            print_table(title, board)
        else:
            click.echo(f"{title}: nobody is ranked yet")
    for award in standings["awards"]:
        click.echo(f"{award['title']}: {', '.join(award['winners']) or 'nobody'}")


_PAIRS = 5
"""How many pairs of attacker and release are printed at least, if there are so many."""


def print_collusion(folder: FolderLayout) -> None:
    """Print which attackers knew releases of other teams too well; nothing if no team releases."""
    from quintain.rankings.collusion import CHANCE
    from quintain.runs.folder import paths

    path = folder.at(paths.COLLUSION)
    if not path.is_file():
        return
    tracks = in_order(folder, json.loads(path.read_bytes())["tracks"])
    tables = [(name, table) for name, of_track in tracks for table in of_track]
    for name, table in tables:
        pairs = [p for i, p in enumerate(table["pairs"]) if i < _PAIRS or p["stands_out"]]
        if not pairs:
            continue
        where = ", ".join(filter(None, [name if len(tracks) > 1 else "", table["goal"]]))
        columns = {
            "team": [pair["attacker"] for pair in pairs],
            "release of": [pair["owner"] for pair in pairs],
            table["measure"]: [number(pair["value"]) for pair in pairs],
            "expected": [number(pair["expected"]) for pair in pairs],
            "chance": ["-" if p["chance"] is None else probability(p["chance"]) for p in pairs],
            "stands out": ["yes" if pair["stands_out"] else "" for pair in pairs],
        }
        title = "More than expected" + (f": {where}" if where else "")
        print_columns(title, columns, caption="for organisers only")
    pairs = [pair for _, table in tables for pair in table["pairs"]]
    for pair in pairs:
        if pair["stands_out"]:
            click.echo(
                f"{pair['attacker']} learned {number(pair['value'])} from the release of "
                f"{pair['owner']}, and {number(pair['expected'])} was expected; no other attacker "
                f"is so far off. Without an agreement, a contest has such a pair with a chance of "
                f"at most {probability(CHANCE)}; ask both teams how they did it"
            )
    if pairs and all(pair["chance"] is None for pair in pairs):
        click.echo("chance -: too few attacks by others to tell an agreement from skill")


def print_feedback(folder: FolderLayout, board: dict[str, Any]) -> None:
    """Print the feedback policy of each track, and the scores of a team if the board has them."""
    for track, attackers in in_order(folder, board["tracks"]):
        show = board["feedback"][track]["show"]
        hidden = ": no score is shown before the end" if show == "none" else ""
        click.echo(f"track {track}: feedback is {show!r}{hidden}")
        if show != "none" and "spent" not in board:
            click.echo("  each team sees its own scores: use --team")
        for attacker, entries in attackers.items():
            _print_scores(attacker, entries, board["feedback"][track], board["spent"][track])


def _print_scores(
    attacker: str, entries: dict[str, Any], policy: dict[str, Any], spent: dict[str, float]
) -> None:
    """Print what a team sees of its scores on each entry, and what that cost."""
    from quintain.contests import Feedback  # importing the rules takes longer than all the rest

    rule = Feedback.model_validate(policy)
    for entry, readings in entries.items():
        shown = ", ".join(f"{name} {value:g}" for name, value in readings.items())
        budget = f" ({spent[entry]:.1f} of {rule.budget:g} bits spent)" if rule.capped else ""
        click.echo(f"  {attacker} on {entry}: {shown or 'nothing yet'}{budget}")


def print_strongest(folder: Folder) -> None:
    """Print who found out most about each release, by the first measure of each goal."""
    from quintain.runs.scores.scores import strongest_attacks

    edition = folder.edition()
    for track, aim in [(each, aim) for each in edition.track for aim in each.attack_aims]:
        attacks = strongest_attacks(folder, track, aim.id)
        if not attacks:
            continue
        of = f" of {track.title or track.id}" if len(edition.track) > 1 else ""
        measure = next(iter(track.measures_for(aim.id)[0].reads)).replace("_", " ")
        shown = attacks[:MOST_RELEASES]
        columns = {
            "release": [attack.entry for attack in shown],
            "attacker": [attack.attacker for attack in shown],
            measure: [number(attack.value) for attack in shown],
            "95 % interval": [
                ""
                if attack.low == attack.high
                else f"{number(attack.low)} to {number(attack.high)}"
                for attack in shown
            ],
        }
        print_columns(f"The strongest attack on each release{of}", columns, caption=None)
        if len(attacks) > len(shown):
            click.echo(f"and {len(attacks) - len(shown)} more releases, in the report")


def print_refusals(folder: Folder) -> bool:
    """Print what parts refused to do, and why; returns whether they refused anything."""
    from quintain.runs.folder import paths
    from quintain.runs.scores.scores import refusal_sentences

    standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    sentences = list(refusal_sentences(in_order(folder, standings["tracks"])))
    for sentence in sentences:
        click.echo(f"refused: {sentence}")
    return bool(sentences)


def print_table(title: str, board: dict[str, Any]) -> None:
    """Print one board as a table, without empty columns."""
    columns = {
        "rank": [_rank(place["rank"]) for place in board["places"]],
        "team": [place["team"] for place in board["places"]],
        "score": [number(place["score"]["value"]) for place in board["places"]],
        "95 % interval": [interval(place["score"]) for place in board["places"]],
        "luck": [
            "" if place["p"] is None else probability(place["p"]) for place in board["places"]
        ],
    }
    shown = {head: cells for head, cells in columns.items() if any(cells) or head == "score"}
    print_columns(title, shown, caption=board["unit"])
    for place in board["places"]:
        if place["rank"] is None and place["note"]:
            click.echo(f"{place['team']}: {place['note']}")
    if any(
        p["rank"] is None and not p["note"] and number(p["score"]["value"]) != "-"
        for p in board["places"]
    ):
        click.echo("rank -: without a rank, such as baselines and teams that do not compete")
    if "luck" in shown:
        click.echo("luck: how likely attackers who guess blindly reach this score or a further one")
    if board["floor"] is not None:
        click.echo(f"noise floor {number(board['floor'])}: {board['floor_says']}")


def print_columns(title: str, columns: dict[str, list[str]], *, caption: str | None) -> None:
    """Print a table from its columns, each with its head."""
    from rich.table import Table

    table = Table(title=cell(title), caption=None if caption is None else cell(caption))
    for head in columns:
        justify: Literal["left", "right"] = "left" if head in _NAMES else "right"
        table.add_column(cell(head), justify=justify, overflow="fold")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*map(cell, row))
    width = None if sys.stdout.isatty() else WIDTH_OF_FILES
    console(width=width).print(table)


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def in_order(folder: FolderLayout, tracks: dict[str, Any]) -> list[tuple[str, Any]]:
    """What a file says about each track, in the order of the edition; the file sorts by name."""
    return [(name, tracks[name]) for name in folder.track_ids() if name in tracks]


def number(value: float | None) -> str:
    """A number for people, in plain ASCII, because programs read terminals, too."""
    from quintain.figures import format

    if value is None or math.isnan(value):
        return "-"
    return format.number(value).replace("−", "-").replace("∞", "inf")


def probability(value: float) -> str:
    """A probability for people: below 0.001 nobody needs more digits."""
    from quintain.figures import format

    return format.probability(value)


def interval(score: Any) -> str:
    """An interval for people; empty if there is none."""
    if number(score["value"]) == "-" or score["low"] == score["high"]:
        return ""
    return f"{number(score['low'])} to {number(score['high'])}"
