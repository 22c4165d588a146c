"""Played site: a contest with many teams, some of which have submitted already."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from quintain.jobs.files import write_file
from quintain.runs.submissions.upload import zip_bytes
from quintain_host.access import TeamMembership, Visitor
from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.database.contests import HostedEdition, Member, RegisteredTeam
from quintain_host.database.people import Account, SignIn, Token
from quintain_host.intake.intake import take
from quintain_host.queue import enqueue
from quintain_host.serving.opening import bring_up_to_date, open_site
from quintain_host.site import Site
from quintain_host.work.worker import Worker

EDITION = "crowd"

RULES = """\
include = "tiny"
id = "crowd"
title = "A crowd guesses who was in the data"
repeats = 2
dataset = { rows = 2000 }
sample = { targets = 50, background = 150 }
feedback = { show = "rounded", bits = 2000 }
"""


@dataclass(frozen=True, slots=True)
class Player:
    """A team with the secrets of its captain, for a browser and for a program."""

    team: str
    account: int
    cookie: str
    token: str

    def visitor(self) -> Visitor:
        """The captain as services see them."""
        return Visitor(account=self.account, teams={EDITION: TeamMembership(self.team, True)})


def make_site(root: Path, url: str, database: str, teams: int) -> tuple[Site, list[Player]]:
    """A site whose contest is prepared and whose teams have joined."""
    root.mkdir(0o700)
    (root / "site.toml").write_text(f'title = "A crowd"\nurl = "{url}"\nproxies = 1\n')
    site = open_site(root, database)
    bring_up_to_date(site.database)
    players = [_player(site, f"team-{number:03d}") for number in range(teams)]
    _make_edition(site)
    for player in players:
        _register(site, player)
    drain(site)
    return site, players


def submit_first(site: Site, players: list[Player]) -> None:
    """Let some teams submit, so that there is something to see."""
    for number, (player, upload) in enumerate(zip(players, guesses(site), strict=False)):
        take(site, player.visitor(), EDITION, {f"guesses-{number}.zip": upload})
    drain(site)


def guesses(site: Site) -> Iterator[bytes]:
    """Zips with random answers to every task, each different, without end."""
    folder, chance = site.folder(EDITION), random.Random(1)
    track = folder.edition().track[0]
    targets = {
        f"{task.name}.csv": folder.question(track, task).targets().tolist()
        for task in folder.tasks(track)
    }
    while True:
        yield zip_bytes({name: _answers(numbers, chance) for name, numbers in targets.items()})


def _answers(targets: list[int], chance: random.Random) -> bytes:
    rows = "".join(f"{target},{chance.random():.2f}\n" for target in targets)
    return f"target,probability\n{rows}".encode()


def drain(site: Site) -> None:
    """Do every job that waits."""
    worker = Worker(site, "set-up")
    while any(worker.work_once(lane) for lane in worker.lanes):
        pass


def _make_edition(site: Site) -> None:
    write_file(site.edition_root(EDITION) / "edition.toml", RULES.encode())
    with site.database.writing(EDITION) as session:
        row = HostedEdition(
            id=EDITION,
            title="A crowd",
            toml=RULES,
            state="live",
            visible=True,
            registration="open",
            created=site.clock.now(),
        )
        session.add(row)
        session.flush()
        enqueue(session, EDITION, "scoring", "prepare", now=site.clock.now(), arguments={"seed": 1})
    drain(site)


def _player(site: Site, team: str) -> Player:
    cookie, token, now = new_secret(), new_secret(), site.clock.now()
    later = now + timedelta(days=30)
    with site.database.writing("accounts") as session:
        account = Account(email=f"{team}@example.org", name=team, password="!", created=now)
        session.add(account)
        session.flush()
        number = account.id
        session.add(
            SignIn(
                hash=hash_secret(cookie),
                account=number,
                csrf=new_secret(),
                created=now,
                expires=later,
            )
        )
        session.add(
            Token(
                hash=hash_secret(token),
                account=number,
                label="load",
                scopes=["read", "submit"],
                created=now,
                expires=later,
            )
        )
    return Player(team, number, cookie, token)


def _register(site: Site, player: Player) -> None:
    now = site.clock.now()
    with site.database.writing(EDITION) as session:
        session.add(
            RegisteredTeam(
                edition=EDITION, id=player.team, name=player.team, state="joining", created=now
            )
        )
        session.flush()
        session.add(Member(edition=EDITION, account=player.account, team=player.team, captain=True))
        enqueue(session, EDITION, "intake", "join", now=now, team=player.team)
