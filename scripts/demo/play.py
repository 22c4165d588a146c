"""Play the contests of the demonstration on a site: ``python -m scripts.demo.play demo/site``.

Everything goes through the services of the host, as on a site that people use: accounts, teams,
uploads, jobs. Only the clock is special, because a contest takes weeks.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from scripts.demo import editions, people
from scripts.demo.people import Person
from sqlalchemy import select

from quintain.errors import QuintainError
from quintain.runs.taking_part import answer, release
from quintain_host.database.upgrade import upgrade
from quintain_host.database.work import QueuedJob
from quintain_host.intake.intake import take
from quintain_host.notices import questions
from quintain_host.organising import settings, steps
from quintain_host.organising.custom_pages import add_page
from quintain_host.organising.drafts import create
from quintain_host.organising.guide.path import SentTable, start
from quintain_host.organising.settings import change_settings
from quintain_host.site import Site
from quintain_host.teams.history import describe
from quintain_host.teams.registration import register
from quintain_host.work.handler import every_handler
from quintain_host.work.worker import Worker

SETTINGS = """\
title = "Quintain demo"
url = "{url}"
second_factor = false  # so that you can look around; a real site leaves this out
"""

Spec = Mapping[str, Any]

TEAMS: dict[str, tuple[str, str, Spec, Spec]] = {
    "Mirror Makers": (
        "Ada Mirror",
        "University of Reflections",
        {"use": "moments"},
        {"use": "nearest", "distance": "manhattan"},
    ),
    "Grey Noise": (
        "Ben Noise",
        "Noise Ltd",
        {"use": "rrp", "keep": 0.6},
        {"use": "record-linkage"},
    ),
    "Coin Tossers": (
        "Chie Coin",
        "",
        {"use": "rr", "keep": 0.45, "draw": "occurring"},
        {"use": "nearest", "distance": "euclidean"},
    ),
}
"""The teams: captain, affiliation, sanitizer and attack."""

LATE = ("Last Minute", "Dara Late", {"use": "rrp", "keep": 0.75}, {"use": "forest-ratio"})


class DemoClock:
    """A clock that goes on from the moment that was set."""

    def __init__(self) -> None:
        self.set(datetime.now(UTC))

    def set(self, moment: datetime) -> None:
        """Go to another time."""
        self._moment, self._since = moment, monotonic()

    def now(self) -> datetime:
        """The time that was set, and what has passed since."""
        return self._moment + timedelta(seconds=monotonic() - self._since)


class Demo:
    """A site on which contests are played.

    Parameters
    ----------
    root : the folder of the site; it must not have one yet.
    """

    def __init__(self, root: Path, url: str) -> None:
        root.mkdir(parents=True)
        (root / "site.toml").write_text(SETTINGS.format(url=url))
        self.clock = DemoClock()
        self.today = self.clock.now()
        self.site = Site(root, clock=self.clock)
        upgrade(self.site.database)
        every_handler()
        self._worker = Worker(self.site, "demo")
        self.people: list[Person] = []
        self.captains: dict[str, Person] = {}

    def play(self) -> None:
        """Play everything: one contest is over, one goes on, and one is a draft of the guide."""
        self.clock.set(self.today - timedelta(days=75))
        self.olga = self._new(people.operator(self.site, "Olga Organiser"))
        for team, (captain, *_) in TEAMS.items():
            self.captains[team] = self._new(
                people.visitor(self.site, captain, f"captain of {team}")
            )
        self._play_amic()
        self._open_contest()
        self._talk()
        self._begin_draft()
        self.site.close()

    def _new(self, person: Person) -> Person:
        self.people.append(person)
        return person

    def _drain(self) -> None:
        """Do all jobs; a demonstration in which one of them fails shows nothing."""
        while any(self._worker.work_once(lane) for lane in self._worker.lanes):
            pass
        with self.site.database.reading() as session:
            failed = select(QueuedJob).where(QueuedJob.state == "failed")
            job = session.scalars(failed.order_by(QueuedJob.id)).first()
        if job is not None:
            raise QuintainError(f"the demonstration stops: {job.kind} failed: {job.reason}")

    def _announce(self, text: str, call: str) -> str:
        organiser = self.olga.visitor()
        edition = create(self.site, organiser, text)
        organiser = self.olga.visitor()
        steps.prepare(self.site, organiser, edition)
        self._drain()
        change_settings(self.site, organiser, edition, visible=True, registration="open", call=call)
        return edition

    def _join(self, edition: str, team: str, captain: Person, affiliation: str = "") -> None:
        register(self.site, captain.visitor(), edition, team, affiliation=affiliation)
        self._drain()

    def _play_amic(self) -> None:
        start = (self.today - timedelta(days=70)).replace(hour=9, minute=0, second=0, microsecond=0)
        text, dates = editions.played_text(start)
        edition = self._announce(text, editions.CALL)
        for team, (_, affiliation, *_) in TEAMS.items():
            self._join(edition, team, self.captains[team], affiliation)
        settings.publish_news(
            self.site, self.olga.visitor(), edition, "Welcome", "The contest begins. Good luck!"
        )
        self._round(edition, "pre", dates[:4])
        self.clock.set(dates[3] + timedelta(days=1))
        late, captain, *_ = LATE
        self.captains[late] = self._new(people.visitor(self.site, captain, f"captain of {late}"))
        self._join(edition, late, self.captains[late])
        self._round(edition, "main", dates[4:])
        for team, captain in self.captains.items():
            describe(self.site, captain.visitor(), edition, **_described(team))
        self.clock.set(dates[-1] + timedelta(days=2))
        steps.reveal(self.site, self.olga.visitor(), edition, edition)
        self._drain()
        settings.publish_news(
            self.site, self.olga.visitor(), edition, "Results", "All secrets are published."
        )

    def _round(self, edition: str, track: str, dates: list[datetime]) -> None:
        opens, closes, attack, end = dates
        teams = {team: spec for team, (_, _, *spec) in TEAMS.items()}
        if LATE[0] in self.captains:
            teams[LATE[0]] = [LATE[2], LATE[3]]
        self.clock.set(opens + timedelta(minutes=5))
        if track == "main":
            steps.prepare(self.site, self.olga.visitor(), edition)
            self._drain()
        self.clock.set(opens + timedelta(days=3))
        for team, (sanitizer, _) in teams.items():
            self._send(edition, team, track, "release", sanitizer)
        if track == "main":
            closes += timedelta(hours=12)
            reason = "A power failure kept two teams from their machines."
            steps.extend(
                self.site,
                self.olga.visitor(),
                edition,
                track,
                "anonymization",
                closes,
                reason,
            )
            self._drain()
            settings.publish_news(
                self.site,
                self.olga.visitor(),
                edition,
                "Half a day more",
                f"The final anonymization phase is extended. {reason}",
            )
        self.clock.set(closes + timedelta(hours=1))
        steps.hand_over(self.site, self.olga.visitor(), edition, track)
        self._drain()
        self.clock.set(attack + timedelta(days=1))
        for team, (_, attacker) in teams.items():
            self._send(edition, team, track, "guess", attacker)
        self.clock.set(end + timedelta(hours=1))

    def _send(self, edition: str, team: str, track: str, kind: str, spec: Spec) -> None:
        folder = self.site.folder(edition)
        rules = folder.edition()
        visitor = self.captains[team].visitor()
        name = visitor.teams[edition].team
        make = release if kind == "release" else answer
        files = make(folder, rules.track_by_id(track), spec, team=name, seed=len(team))
        take(self.site, visitor, edition, _zipped(files), track=track, kind=kind)
        self._drain()

    def _open_contest(self) -> None:
        self.clock.set(self.today - timedelta(days=5))
        edition = self._announce(editions.open_text(self.today), editions.OPEN_CALL)
        for team in list(TEAMS)[:2]:
            self._join(edition, team, self.captains[team])
        for days, spec in ((2, {"use": "random"}), (1, {"use": "nearest"})):
            self.clock.set(self.today - timedelta(days=days))
            for team in list(TEAMS)[:2]:
                self._send(edition, team, "main", "guess", spec)

    def _talk(self) -> None:
        """Two questions of teams, one of them answered, a page of the organisers, a wrong file."""
        ada, ben = (self.captains[team].visitor() for team in list(TEAMS)[:2])
        asked = questions.ask(
            self.site, ada, editions.OPEN, "May we use other public data in our attack, too?"
        )
        questions.answer(
            self.site,
            self.olga.visitor(),
            editions.OPEN,
            asked,
            "Yes, if everybody can get them. Name them in your description.",
            to_all=True,
        )
        questions.ask(self.site, ben, editions.OPEN, "When do we learn the final ranks?")
        add_page(self.site, self.olga.visitor(), editions.OPEN, "Prizes", editions.PRIZES)
        take(self.site, ada, editions.OPEN, {"guess.csv": b"person,score\n1,high\n"}, kind="guess")
        self._drain()

    def _begin_draft(self) -> None:
        """Begin a contest on a table in the guide, and let built-in teams play it."""
        table = SentTable("students.csv", editions.register_table())
        edition = start(self.site, self.olga.visitor(), editions.DRAFT_FIELDS, table)
        for ask in (steps.try_gates, steps.rehearse):
            ask(self.site, self.olga.visitor(), edition)
            self._drain()


def _described(team: str) -> dict[str, str]:
    """What a team says about its method."""
    sanitizer, attack = (LATE[2], LATE[3]) if team == LATE[0] else (TEAMS[team][2], TEAMS[team][3])
    text = (
        f"We sanitized with {sanitizer['use']} and attacked with {attack['use']}.\n\n"
        "Both are built into quintain, so everybody can repeat what we did."
    )
    return {"text": text, "code": "https://example.org/our-code", "licence": "Apache-2.0"}


def _zipped(files: Mapping[str, bytes]) -> dict[str, bytes]:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return {"submission.zip": content.getvalue()}


def main(folder: str, url: str = "http://127.0.0.1:8000") -> None:
    """Play, and write who can sign in to ``people.txt`` beside the site."""
    demo = Demo(Path(folder), url)
    began = monotonic()
    try:
        demo.play()
    except QuintainError as problem:
        sys.exit(str(problem))
    lines = [f"  {one.email:<22} {one.password:<14} {one.name}, {one.role}" for one in demo.people]
    (Path(folder).parent / "people.txt").write_text("\n".join(lines) + "\n")
    sys.stdout.write(f"played the contests in {monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
