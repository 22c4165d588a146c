"""Shown: the editions that a visitor may see, with their public rules and what happened in them.

The web process reads no other rules.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from quintain.contests import Edition
from quintain.jobs.files import FileCache
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import parse_file
from quintain.runs.folder.rules import read_rules
from quintain.wording.languages import say
from quintain_host.access import NotThere, SecondFactorNeeded, Visitor
from quintain_host.database.contests import HostedEdition
from quintain_host.site import Site


def editions_for(site: Site, visitor: Visitor) -> list[HostedEdition]:
    """The visible editions, and those in which the visitor has a part; the newest first."""
    with site.database.reading() as session:
        every = session.scalars(select(HostedEdition).order_by(HostedEdition.created.desc()))
        return [edition for edition in every if _may_see(visitor, edition)]


def edition_for(site: Site, visitor: Visitor, edition: str) -> HostedEdition:
    """One edition; raises ``NotThere`` if there is none, or the visitor may not see it."""
    row = hosted_edition(site, edition)
    if not row.visible and edition in visitor.would_organise:
        raise SecondFactorNeeded
    if not _may_see(visitor, row):
        raise NotThere(say("there is no contest %(edition)r here", edition=edition))
    return row


def hosted_edition(site: Site, edition: str) -> HostedEdition:
    """One edition; the caller knows that the visitor may see it."""
    row = None
    if "\x00" not in edition:  # PostgreSQL has no such texts
        with site.database.reading() as session:
            row = session.get(HostedEdition, edition)
    if row is None:
        raise NotThere(say("there is no contest %(edition)r here", edition=edition))
    return row


def _may_see(visitor: Visitor, edition: HostedEdition) -> bool:
    """Whether everybody may see an edition, or the visitor organises it or is in a team of it."""
    part = visitor.organises_edition(edition.id) or edition.id in visitor.teams
    return edition.visible or part


def shown_rules(site: Site, edition: str) -> Edition:
    """The public rules with the teams that joined and the phases that were amended.

    Raises ``NotThere`` as long as the rules are not fixed.
    """
    folder = site.folder(edition)
    if not folder.prepared:
        raise NotThere(say("the rules of this contest are not fixed yet"))
    return folder.state().in_force(_rules(folder.at(paths.RULES)))


def has_attackers(site: Site, edition: str) -> bool:
    """Whether teams attack in some track; True as long as the rules are not fixed."""
    if not site.edition_root(edition).is_dir() or not site.folder(edition).prepared:
        return True
    return any(track.attack_aims for track in shown_rules(site, edition).track)


def round_name(site: Site, edition: str, track: str) -> str:
    """The name of a round for people; empty in a contest with one round that has no name."""
    rules = shown_rules(site, edition)
    title = rules.track_by_id(track).title
    return title or (track if len(rules.track) > 1 else "")


def _read(path: Path) -> Edition:
    return parse_file(path, read_rules)


_rules: FileCache[Edition] = FileCache(_read, 32)
"""The rules that were read last: every page of a contest needs them."""


def contest_state(site: Site, edition: str) -> State:
    """What happened in a contest so far; empty before its rules are fixed."""
    if not site.edition_root(edition).is_dir():
        return State()
    return site.folder(edition).state()
