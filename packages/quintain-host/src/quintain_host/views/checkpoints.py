"""Checkpoints: those that were signed when phases closed, and the head of the audit log."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from quintain import __version__
from quintain.errors import MissingExtra, NotVerified
from quintain.jobs.files import FileCache
from quintain.journal.events import read_time
from quintain.journal.timestamp import Timestamp
from quintain.runs.folder import paths
from quintain.runs.folder.closings import Closing, closing_paths
from quintain.wording.languages import say
from quintain_host.audit_log import head_of_log
from quintain_host.database.notices import TeamQuestion
from quintain_host.editions.closings import head_in
from quintain_host.notices.questions import public_answers
from quintain_host.notices.words import answer_for_all
from quintain_host.site import Site
from quintain_host.views.contest import Contest, NewsView, news
from quintain_host.views.trust import EventView, events


class LogHead(BaseModel):
    """The end of the audit log of a site; it says nothing about the lines.

    Parameters
    ----------
    lines : how many lines the log has.
    hash : the hash of the last line, which depends on all lines before.
    """

    lines: int
    hash: str


class ClosingView(BaseModel):
    """A checkpoint that was signed when a phase closed, or when everything was revealed.

    Parameters
    ----------
    track, phase : what closed; both are empty at the reveal.
    closed, signed : when it closed, and when the checkpoint was signed.
    size, root : how many events the journal had, and the root of the tree over them.
    text : the signed note; keep it, because nobody can take it back.
    path : where the file is, below ``/contests/EDITION/files/``.
    audit_log : the end of the audit log of the site then.
    timestamp : where the timestamp of an outside clock is; empty if there is none.
    seen, authority : when the outside clock saw the checkpoint, and what it is called. Nothing is
        checked here; ``quintain verify --tsa-certificate`` does.
    """

    number: int
    track: str
    phase: str
    closed: datetime
    signed: datetime
    size: int
    root: str
    text: str
    path: str
    audit_log: LogHead | None
    timestamp: str = ""
    seen: datetime | None = None
    authority: str = ""

    @property
    def title(self) -> str:
        """What closed, in a few words."""
        if not self.phase:
            return say("Everything was revealed")
        return say(
            "Phase %(phase)s of track %(track)s has closed", phase=self.phase, track=self.track
        )


def log_head(site: Site) -> LogHead:
    """The end of the audit log now."""
    head = head_of_log(site)
    return LogHead(lines=head.lines, hash=head.hash)


def closings(site: Site, contest: Contest) -> list[ClosingView]:
    """The checkpoints of what has closed, the newest first.

    A damaged one is left out: the pages of a contest stay, and ``serve --check`` names it.
    """
    if contest.rules is None:
        return []
    folder, views = site.folder(contest.id), []
    for path in reversed(closing_paths(folder.root)):
        with suppress(NotVerified):
            views.append(_view(folder.root, folder.closing(path)))
    return views


def _view(root: Path, closing: Closing) -> ClosingView:
    head, stamp = head_in(closing), paths.timestamp(closing.path)
    seen, authority = _stamps(root / stamp) if (root / stamp).is_file() else (None, "")
    return ClosingView(
        number=closing.number,
        track=closing.occasion.track,
        phase=closing.occasion.phase,
        closed=closing.occasion.time,
        signed=closing.time,
        size=closing.checkpoint.size,
        root=closing.checkpoint.root.hex(),
        text=closing.text,
        path=closing.path,
        audit_log=None if head is None else LogHead(lines=head.lines, hash=head.hash),
        timestamp=stamp if (root / stamp).is_file() else "",
        seen=seen,
        authority=authority,
    )


def _read_timestamp(path: Path) -> tuple[datetime | None, str]:
    """What a timestamp says; nothing where it cannot be read."""
    try:
        stamp = Timestamp.from_bytes(path.read_bytes())
    except (MissingExtra, NotVerified):
        return None, ""
    return stamp.time, stamp.authority


_stamps: FileCache[tuple[datetime | None, str]] = FileCache(_read_timestamp, 64)


class FeedEntry(BaseModel):
    """Something new in a contest, for the programs of people who follow it; plain text."""

    id: str
    link: str
    time: datetime
    title: str
    text: str


_MOST_ENTRIES = 50
"""How many entries a feed has; older news is on the pages."""


def feed(site: Site, contest: Contest) -> list[FeedEntry]:
    """News, events, answers to everybody and checkpoints of a contest, the newest first."""
    place = f"{site.settings.url}/contests/{contest.id}"
    entries = [_news_entry(place, row) for row in news(site, contest.id, _MOST_ENTRIES)]
    entries += [_closing_entry(place, closing) for closing in closings(site, contest)]
    if contest.rules is not None:
        entries += [_event_entry(place, event) for event in events(site, contest) if _is_new(event)]
    entries += [_answer_entry(place, row) for row in public_answers(site, contest.id)]
    return sorted(entries, key=lambda entry: entry.time, reverse=True)[:_MOST_ENTRIES]


_NEW = {"rules", "handed-over", "amended", "deadline", "decided", "frozen"}
"""The public events that people who follow a contest want to know of, and no checkpoint tells."""


def _is_new(event: EventView) -> bool:
    return event.event in _NEW


def _event_entry(place: str, event: EventView) -> FeedEntry:
    link = f"{place}/trust#event-{event.number}"
    time = read_time(event.time)
    return FeedEntry(id=link, link=link, time=time, title=event.sentence, text=event.sentence)


def _answer_entry(place: str, row: TeamQuestion) -> FeedEntry:
    link, message = f"{place}/questions#question-{row.id}", answer_for_all(row.text, row.answer)
    time = row.answered or row.time
    return FeedEntry(id=link, link=link, time=time, title=message.title, text=message.text)


def _news_entry(place: str, row: NewsView) -> FeedEntry:
    link = f"{place}/news#news-{row.id}"
    return FeedEntry(id=link, link=link, time=row.time, title=row.title, text=row.text)


def _closing_entry(place: str, closing: ClosingView) -> FeedEntry:
    link = f"{place}/checkpoints#checkpoint-{closing.number}"
    advice = say(
        "Keep this checkpoint. With it, nobody can change the first %(size)s events of the "
        "contest unseen.",
        size=closing.size,
    )
    text = f"{advice}\n\n{closing.text}"
    return FeedEntry(id=link, link=link, time=closing.signed, title=closing.title, text=text)


def commands(site: Site, contest: Contest, newest: ClosingView) -> list[str]:
    """What to type to keep a checkpoint now, and to verify the contest with it later."""
    files = f"{site.settings.url}/contests/{contest.id}/files"
    name = newest.path.rpartition("/")[2]
    lines = [f"curl -O {files}/{newest.path}"]
    if newest.timestamp:
        lines.append(f"curl -O {files}/{newest.timestamp}")
    lines += [
        "# after the reveal:",
        f"pip install quintain-{__version__}-py3-none-any.whl",
        f"curl -O {files}/archive.zip",
        f"quintain verify archive.zip --checkpoint {name}",
    ]
    return lines
