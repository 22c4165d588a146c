"""Personas: a contest in the middle, and one browser for each kind of person that may visit it."""

import csv
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from quintain_host.accounts.sessions import visitor_with_cookie
from quintain_host.database.people import SignIn
from quintain_host.database.work import Upload
from quintain_host.intake.intake import take
from quintain_host.notices.inbox import notices_of
from quintain_host.site import Site
from quintain_host.teams.registration import make_team_link
from quintain_host.web.app import make_app
from quintain_host.web.security.rate_limits import Buckets, Limit
from tests.host import contest_on_site as contest
from tests.host.security.people import browser

EDITION, HIDDEN, OTHER = "rounds", "unseen", "small"

PEOPLE = {
    "anonymous": "",
    "stranger": "sam",
    "other team": "blue",
    "member": "mia",
    "captain": "red",
    "other organiser": "otto",
    "organiser": "olga",
    "operator": "opal",
}
"""Each kind of visitor, and the name of the account."""

ALLOWED = {
    "public": set(PEOPLE),
    "person": set(PEOPLE) - {"anonymous"},
    "team": {"other team", "member", "captain"},
    "captain": {"other team", "captain"},
    "red": {"member", "captain"},
    "red-captain": {"captain"},
    "owner": {"captain"},
    "organiser": {"organiser"},
    "manager": {"organiser", "operator"},
    "operator": {"operator"},
    "worker": set(),
    "local": set(),
}
"""Which kinds of visitors a class of routes lets through."""


@dataclass
class Stage:
    """A contest after its hand-over, with everybody who may look at it."""

    site: Site
    app: FastAPI
    clients: dict[str, TestClient]
    tokens: dict[str, str]
    values: dict[str, str] = field(default_factory=dict)

    def send(self, person: str, method: str, path: str, *, forged: bool = False, **body):
        """A request of a person, from a page of the site unless it is forged."""
        headers = {} if forged else {"X-CSRF-Token": self.tokens[person]}
        return self.clients[person].request(method, path, headers=headers, **body)

    def sign_in_without_second_factor(self, person: str) -> None:
        """Give somebody a further browser, called ``person!``, in which only the password came."""
        number = contest.account_of(self.site, PEOPLE[person])
        secret = contest.cookie(self.site, number, second_factor=False)
        client = self.clients[f"{person}!"] = browser(self.site, self.app)
        client.cookies["quintain"] = secret
        self.tokens[f"{person}!"] = visitor_with_cookie(self.site, secret).csrf


def staged(site) -> Stage:
    """Two teams have released and attack each other; red has a member beside its captain."""
    contest.account(site, "opal", operator=True)
    contest.account(site, "sam")
    edition = contest.prepared(site)
    red = contest.team(site, edition, "red", members=("mia",))
    blue = contest.team(site, edition, "blue")
    for visitor in (red, blue):
        team = visitor.team_in(edition)
        upload = take(site, visitor, edition, contest.release(site, edition, team)).upload
    contest.drain(site)
    site.clock.set(contest.at(11))
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    upload = take(site, red, edition, contest.guess(site, edition, "red")).upload
    for team in ("red", "blue"):
        contest.request(site, edition, "scoring", "kit", team=team)
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 3
    contest.edition(site, contest.TINY, organiser="otto")
    contest.edition(
        site, contest.ROUNDS.replace('"rounds"', '"unseen"', 1), organiser="olga", visible=False
    )
    return _stage(site, red, upload)


def _stage(site, red, upload) -> Stage:
    app = make_app(site)
    for name in ("requests", "changes", "sign_ins", "guesses", "accounts", "resets"):
        setattr(app.state.limits, name, Buckets(Limit(10**6, 10**6)))
    clients, tokens = {}, {}
    for person, name in PEOPLE.items():
        client = clients[person] = browser(site, app)
        tokens[person] = ""
        if name:
            secret = contest.cookie(site, contest.account_of(site, name))
            client.cookies["quintain"] = secret
            tokens[person] = visitor_with_cookie(site, secret).csrf
    stage = Stage(site, app, clients, tokens)
    answer = stage.send(
        "captain", "POST", "/api/account/tokens", json={"label": "x", "scopes": ["read"]}
    )
    stage.values = {
        "edition": EDITION,
        "track": "main",
        "team": "red",
        "page": "rules",
        "upload": str(upload),
        "link": str(make_team_link(site, red, EDITION).number),
        "member": str(contest.account_of(site, "mia")),
        "token": str(answer.json()["id"]),
        "notice": str(notices_of(site, red)[0].notice.id),
    }
    return stage


def secrets_before_the_end(site) -> dict[str, set[bytes]]:
    """Texts that nobody may see while the contest runs, by the team that may; "" is nobody."""
    root = site.edition_root(EDITION)
    nobody = {_text(root / "secret/signing.key"), *_long_values(root / "secret/seeds.json")}
    nobody |= {_rows(path) for path in root.glob("secret/**/truth.csv")}
    secrets = {"": nobody}
    with site.database.reading() as session:
        uploads = session.scalars(select(Upload)).all()
        sign_ins = session.scalars(select(SignIn)).all()
    for team, people in {"red": ("red", "mia"), "blue": ("blue",)}.items():
        private = _rows(root / "teams" / team / "main/private.csv", first=22)
        digests = {
            str(one).encode() for up in uploads if up.team == team for one in up.files.values()
        }
        emails = {f"{name}@example.org".encode() for name in people}
        secrets[team] = {private, *digests, *emails}
    secrets[""] |= {one.hash.hex().encode() for one in sign_ins}
    secrets[""] |= {b"sam@example.org", b"olga@example.org", b"opal@example.org"}
    return {team: texts - {b""} for team, texts in secrets.items()}


def _text(path: Path) -> bytes:
    return path.read_bytes().strip()


def _long_values(path: Path) -> set[bytes]:
    queue, values = [json.loads(path.read_text())], set()
    while queue:
        one = queue.pop()
        if isinstance(one, dict | list):
            queue += one.values() if isinstance(one, dict) else one
        elif len(str(one)) >= 16:
            values.add(str(one).encode())
    return values


def _rows(path: Path, first: int = 1, count: int = 5) -> bytes:
    """Some rows in the order in which they are secret."""
    rows = list(csv.reader(io.StringIO(path.read_text())))[first : first + count]
    return "\n".join(",".join(row) for row in rows).encode()


def contents(answer) -> bytes:
    """What an answer says, with the files of an archive."""
    body = answer.content
    if body[:2] != b"PK":
        return body.replace(b"\r\n", b"\n")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return b"\n".join(archive.read(name) for name in archive.namelist())
