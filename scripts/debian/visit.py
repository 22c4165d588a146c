"""Use a new site over https as people would: ``visit.py https://SITE CONTEST LINK``.

The operator opens the link of ``quintain host account add`` for CONTEST@example.org, turns on the
second factor and opens a contest of that name; a team signs up, downloads its kit, attacks and
submits; then it sees its scores.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pyotp

QUINTAIN = Path(sys.executable).with_name("quintain")
PASSWORD = "a sentence that only this trial knows"  # noqa: S105 -- of a site that lives for minutes
_PATIENCE = 300.0
_SECONDS = 60.0

RULES = """\
include = "tiny"
id = "{0}"
title = "A trial: {0}"
repeats = 1
dataset = {{ rows = 400 }}
sample = {{ targets = 20, background = 60 }}
feedback = {{ show = "rounded" }}
"""


def say(text: str) -> None:
    """Tell what happened."""
    sys.stdout.write(f"visit: {text}\n")
    sys.stdout.flush()


def wait_for(question: Callable[[], Any], name: str) -> Any:
    """Ask again and again until the answer is yes; returns it."""
    until = time.monotonic() + _PATIENCE
    while not (answer := question()):
        if time.monotonic() > until:
            raise SystemExit(f"visit: {name} took more than {_PATIENCE:.0f} s")
        time.sleep(0.5)
    return answer


def look(server: str) -> None:
    """Check what strangers get: pages, HEAD, no metrics, https for http."""
    with httpx2.Client(base_url=server, timeout=_SECONDS) as stranger:
        for path in ("/", "/sign-in", "/readyz"):
            got, head = stranger.get(path), stranger.head(path)
            say(f"{path}: GET {got.status_code}, HEAD {head.status_code}, {got.http_version}")
            got.raise_for_status()
        assert stranger.get("/metrics").status_code == 404, "the proxy shows the metrics"
        plain = stranger.get(server.replace("https://", "http://") + "/sign-in")
        assert plain.status_code in (301, 308), plain
        assert plain.headers["location"] == f"{server}/sign-in", plain.headers["location"]
    say("metrics are hidden, and http leads to https")


def become_operator(server: str, email: str, link: str) -> httpx2.Client:
    """Set the password and the second factor of the operator; returns a client for the API."""
    assert link.startswith(server), f"{link} does not lead to {server}"
    with httpx2.Client(base_url=server, timeout=_SECONDS, follow_redirects=True) as browser:
        browser.get(link).raise_for_status()
        browser.post(link, data={"password": PASSWORD}).raise_for_status()
        browser.post("/sign-in", data={"email": email, "password": PASSWORD}).raise_for_status()
        page = browser.get("/account/second-factor").text
        fields = {
            "csrf": re.findall(r'name="csrf" value="([^"]+)"', page)[0],
            "password": PASSWORD,
            "code": pyotp.TOTP(re.findall(r"<code>([A-Z2-7]{32})</code>", page)[0]).now(),
        }
        codes = browser.post("/account/second-factor", data=fields)
        codes.raise_for_status()
        open_ones = [cookie.name for cookie in browser.cookies.jar if not cookie.secure]
        assert not open_ones, f"sent without TLS: {open_ones}"
    code = re.findall(r"<code>([a-z2-9-]{19})</code>", codes.text)[0]
    say("the operator has a password and a second factor")
    return sign_in(server, email, code, ["read", "organise"])


def sign_in(server: str, email: str, code: str, scopes: list[str]) -> httpx2.Client:
    """A client with a token of its own."""
    form = {"email": email, "password": PASSWORD, "code": code, "scopes": scopes}
    made = httpx2.post(f"{server}/api/sign-in", json=form, timeout=_SECONDS)
    made.raise_for_status()
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    return httpx2.Client(base_url=f"{server}/api/", headers=headers, timeout=_SECONDS)


def open_contest(operator: httpx2.Client, contest: str) -> None:
    """Make a contest that any team can join, and wait until a worker has drawn its data."""
    operator.post("editions", json={"toml": RULES.format(contest)}).raise_for_status()
    place = f"editions/{contest}/organise"
    operator.post(f"{place}/prepare", json={"seed": 7}).raise_for_status()
    shown = {"visible": True, "registration": "open"}
    wait_for(lambda: operator.get(f"{place}/overview").json()["state"] == "live", "preparing")
    operator.patch(f"{place}/settings", json=shown).raise_for_status()
    workers = operator.get(f"{place}/overview").json()["workers"]
    names = [f"{one['name']} ({', '.join(one['lanes'])})" for one in workers if one["alive"]]
    say(f"a contest is open; workers: {', '.join(sorted(names))}")
    for one in workers:
        if one["alive"] and "program" in one["lanes"]:
            assert one["able"], one["why"]
            say(f"{one['name']} contains programs of teams")


def take_part(server: str, contest: str) -> None:
    """Sign up, register a team, and submit what an attack guesses, with the commands of a team."""
    person = {"email": f"red-{contest}@example.org", "name": "Red", "password": PASSWORD}
    httpx2.post(f"{server}/api/sign-up", json=person, timeout=_SECONDS).raise_for_status()
    member = sign_in(server, person["email"], "", ["read", "submit"])
    place = f"editions/{contest}"
    member.post(f"{place}/team", json={"name": "Red"}).raise_for_status()
    kit = wait_for(lambda: _kit(member, place), "the kit")
    with tempfile.TemporaryDirectory() as folder:
        archive, guesses = Path(folder, "kit.zip"), Path(folder, "guesses")
        archive.write_bytes(kit)
        command: list[str | Path] = [QUINTAIN, "attack", archive, "--use", "nearest"]
        subprocess.run([*command, "--out", guesses], check=True, capture_output=True)
        files = [("file", (one.name, one.read_bytes())) for one in guesses.iterdir()]
    sent = member.post(f"{place}/uploads", files=files)
    sent.raise_for_status()
    where = f"{place}/uploads/{sent.json()['id']}"
    upload = wait_for(lambda: _checked(member, where), "the upload")
    assert upload["state"] == "accepted", upload
    member.get(f"{where}/receipt").raise_for_status()
    say(f"an upload of {upload['size']} bytes was accepted, with a receipt")
    scores = wait_for(lambda: member.get(f"{place}/team/history").json()["scores"], "scoring")
    say("its scores: " + ", ".join(f"{one['name']} {one['value']}" for one in scores))


def _kit(member: httpx2.Client, place: str) -> bytes | None:
    answer = member.get(f"{place}/team/kit")
    return answer.content if answer.status_code == 200 else None


def _checked(member: httpx2.Client, where: str) -> Any:
    upload = member.get(where).json()
    return None if upload["state"] in ("waiting", "trying") else upload


if __name__ == "__main__":
    server, contest, link = sys.argv[1:]
    look(server)
    open_contest(become_operator(server, f"{contest}@example.org", link), contest)
    take_part(server, contest)
