"""Trust: commitments, checkpoints and events that everybody can keep, and how to verify all."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from quintain import __version__
from quintain.jobs.files import FileCache
from quintain.journal.events import Rules, read_event
from quintain.runs.folder import paths
from quintain.runs.folder.folder import parse_file
from quintain.runs.folder.record import roots
from quintain.runs.folder.rules import read_rules
from quintain.runs.story import passages
from quintain.wording.languages import say
from quintain_host.site import Site
from quintain_host.views.contest import Contest
from quintain_host.views.published import CHECKPOINTS, place


class CommitmentView(BaseModel):
    """A commitment of the organisers: its stage and the root over its files."""

    stage: str
    about: str
    root: str


class CheckpointView(BaseModel):
    """The journal at one moment, signed by the organisers.

    Parameters
    ----------
    size : how many events the journal had.
    root : the root of the tree over these events.
    text : the signed note; keep it, because nobody can take it back.
    """

    time: str = ""
    size: int
    root: str
    text: str


class EventView(BaseModel):
    """Something that happened in a contest and that everybody may know."""

    number: int
    time: str
    event: str
    sentence: str
    hash: str


class TrustView(BaseModel):
    """Everything that binds the organisers."""

    key: str
    beacon: str
    announced: str
    commitments: list[CommitmentView]
    checkpoints: list[CheckpointView]
    checkpoint: str
    commands: list[str]


def trust(site: Site, contest: Contest) -> TrustView:
    """What visitors can keep now, and use to verify the contest later."""
    rules, folder = contest.fixed, site.edition_root(contest.id)
    checkpoint = folder / paths.CHECKPOINT
    return TrustView(
        key=contest.state.key,
        beacon=contest.state.beacon,
        announced=rules.commitment.beacon,
        commitments=[
            CommitmentView(stage=stage, about=_about(stage), root=root)
            for stage, root in roots(contest.state).items()
        ],
        checkpoints=_signed_checkpoints(place(site, contest.id) / CHECKPOINTS),
        checkpoint=checkpoint.read_text() if checkpoint.is_file() else "",
        commands=_commands(site, contest),
    )


def events(site: Site, contest: Contest) -> list[EventView]:
    """The public events of a contest as sentences, in their order; submissions are not public."""
    path = site.edition_root(contest.id) / paths.EVENTS
    return _events(path) if path.is_file() else []


def _read_events(path: Path) -> list[EventView]:
    happened = [read_event(line) for line in path.read_bytes().splitlines()]
    root = path.parent.parent
    versions = {
        event.version: parse_file(root / paths.rules(event.version), read_rules)
        for event in happened
        if isinstance(event, Rules)
    }
    return [
        EventView(
            number=event.number,
            time=event.time,
            event=event.event,
            sentence=passage.sentence,
            hash=event.hash,
        )
        for event, passage in zip(happened, passages(happened, versions), strict=True)
    ]


_events: FileCache[list[EventView]] = FileCache(_read_events, 8)


def _read_checkpoints(path: Path) -> list[CheckpointView]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    views = [
        CheckpointView(
            time=line["time"], size=line["size"], root=line["root"], text=line["checkpoint"]
        )
        for line in lines
    ]
    return views[::-1]


_checkpoints: FileCache[list[CheckpointView]] = FileCache(_read_checkpoints, 8)


def _signed_checkpoints(path: Path) -> list[CheckpointView]:
    return _checkpoints(path) if path.is_file() else []


def _about(stage: str) -> str:
    """What a commitment covers, in words."""
    kind, _, name = stage.partition("-")
    return {
        "rules": say("version %(name)s of the rules, and the secret keys", name=name),
        "prepare": say("the hidden data of track %(name)s", name=name),
        "join": say("the private data of team %(name)s", name=name),
        "handover": say("the releases of track %(name)s, and what is asked about them", name=name),
    }.get(kind, stage)


def _commands(site: Site, contest: Contest) -> list[str]:
    """What to type to verify the contest; the archive is there after the reveal."""
    files = f"{site.settings.url}/contests/{contest.id}/files"
    return [
        f"pip install quintain-{__version__}-py3-none-any.whl",
        f"curl -O {files}/archive.zip",
        f"curl -O {files}/{paths.CHECKPOINT}",
        "quintain verify archive.zip --checkpoint checkpoint.txt",
    ]
