"""Use an installed quintain as a stranger would: play, verify, audit, serve.

``make release`` runs this in an empty folder, with the Python of an environment that has only the
wheels and what they need. An argument says which: ``alone``, or with the ``site``.
"""

from __future__ import annotations

import csv
import json
import random
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from socket import socket
from urllib.error import URLError

import quintain

QUINTAIN = Path(sys.executable).with_name("quintain")
_PATIENCE = 900.0


def say(text: str) -> None:
    """Tell what was tried."""
    sys.stdout.write(f"release: {text}\n")
    sys.stdout.flush()


def call(*arguments: str) -> str:
    """Run quintain, and stop here if it fails; returns what it printed."""
    done = subprocess.run([QUINTAIN, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"release: quintain {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def play() -> None:
    """Play a contest, and check it from its public files."""
    call("play", "tiny", "--seed", "7", "--out", "tiny")
    call("verify", "tiny")
    say("played and verified tiny")


def audit() -> None:
    """Audit a release of people who do not exist."""
    rng = random.Random(7)  # noqa: S311 -- not about secrets
    towns = [f"town {number}" for number in range(12)]
    people = [[rng.randrange(18, 90), rng.choice(towns), rng.random() < 0.3] for _ in range(1200)]
    with Path("people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["age", "town", "ill"], *people])
    call("audit", "split", "--data", "people.csv", "--out", "parts")
    original, control = "parts/to-sanitize.csv", "parts/control.csv"
    made = ("--use", "independent", "--set", "epsilon=1", "--out", "release.csv", "--seed", "7")
    call("sanitize", original, *made)
    files = ("--original", original, "--release", "release.csv", "--control", control)
    call("audit", "release", *files, "--out", "audit")
    verdict = json.loads(Path("audit/audit.json").read_text())["verdict"]
    assert "</html>" in Path("audit/report.html").read_text()
    say(f"audited a release; the verdict is {verdict}")


def fetch(url: str, *, until: float) -> bytes:
    """Fetch a page; waits until the site answers."""
    while True:
        try:
            with urllib.request.urlopen(url) as answer:  # noqa: S310 -- our own address
                return answer.read()
        except URLError as problem:
            if time.monotonic() > until or hasattr(problem, "code"):
                raise
            time.sleep(0.2)


def serve() -> None:
    """Serve a site, and fetch what its first page loads and links to."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with Path("site.log").open("w") as log:
        command = [QUINTAIN, "serve", "site", "--port", str(port)]
        site = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until = time.monotonic() + _PATIENCE
        home = fetch(f"{url}/", until=until).decode()
        # Style sheets, scripts and pages: what the first page loads and links to.
        links = {link.partition("#")[0] for link in re.findall(r'(?:href|src)="(/[^"]+)"', home)}
        sizes = {link: len(fetch(url + link, until=until)) for link in sorted({*links, "/readyz"})}
    except OSError as problem:
        raise SystemExit(f"release: {problem}\n{Path('site.log').read_text()}") from None
    finally:
        site.terminate()
        site.wait()
    assert len(links) > 3 and all(sizes.values()), sizes
    say(f"served a site and fetched / and {', '.join(sizes)}")


def need_site() -> None:
    """Ask for a site where only the engine is installed, and read what to install."""
    for command in ("serve", "worker", "host"):
        done = subprocess.run([QUINTAIN, command, "site"], capture_output=True, text=True)
        if done.returncode != 1 or "pip install quintain-host" not in done.stderr:
            raise SystemExit(f"release: quintain {command}:\n{done.stdout}{done.stderr}")
    say(done.stderr.strip())


if __name__ == "__main__":
    if "site-packages" not in quintain.__file__:
        raise SystemExit(f"release: this is not an installed quintain: {quintain.__file__}")
    play()
    audit()
    {"alone": need_site, "site": serve}[sys.argv[1]]()
