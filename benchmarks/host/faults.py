"""Kill server and workers at random moments while teams submit, and look for what is lost.

    python -m benchmarks.host.faults [--submissions 500] [--teams 20] [--kills 50]

Teams upload guesses over HTTP to a real server, and two real workers check and score them. At
random moments one of the processes is killed (kill -9) and started again; a team whose request
fails sends it again. The kills are spread over the whole load. In the end every upload that the
server acknowledged must have ended, recorded once and with a valid receipt, and ``quintain verify``
must accept the contest. ``--database URL`` runs it on PostgreSQL instead of SQLite.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from benchmarks.host.fault_checks import Stalls, problems_of, problems_of_the_end, settle, summary
from benchmarks.host.fault_stage import ANSWER, POPULATION, Process, Stage, make_stage, processes


@dataclass
class Load:
    """What the teams did so far.

    Parameters
    ----------
    acknowledged : the number of each upload that the server took, with what was sent.
    progress : how much of the time of the kills is over, from 0 to 1.
    """

    acknowledged: dict[int, bytes] = field(default_factory=dict)
    failed_requests: int = 0
    progress: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


def main() -> None:
    """Print the table; the exit status is 1 if something was lost."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="quintain-faults-") as place:
        root = Path(options.keep or place)
        stage = make_stage(root, options.teams, database=options.database, lease=options.lease)
        problems = run(stage, options.submissions, options.kills, options.seed)
        stage.site.close()
    for problem in problems[:20]:
        print(f"PROBLEM: {problem}")
    sys.exit(1 if problems else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--teams", type=int, default=20)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--lease", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", default="")
    parser.add_argument("--keep", default="", help="the folder of the site, which is kept")
    return parser.parse_args()


def run(stage: Stage, submissions: int, kills: int, seed: int) -> list[str]:
    """Load, kill, settle and check; prints the table and returns every problem."""
    began, load, stalls = time.monotonic(), Load(), Stalls(stage.site)
    every = processes(stage, workers=2)
    share, rest = divmod(submissions, len(stage.tokens))
    teams = [
        threading.Thread(target=_submit, args=(stage, load, team, share + (number < rest), seed))
        for number, team in enumerate(stage.tokens)
    ]
    stalls.start()
    for team in teams:
        team.start()
    _kill_at_random(every, load, kills, random.Random(seed))
    for team in teams:
        team.join()
    loaded = time.monotonic() - began
    waited = settle(stage.site)
    stalls.stop()
    codes = [process.stop() for process in every]
    problems = [f"{p.kind} ended with {code}" for p, code in zip(every, codes, strict=True) if code]
    problems += problems_of(stage.site, load.acknowledged)
    problems += problems_of_the_end(stage.site)
    facts = {
        "seconds of load": f"{loaded:.0f}",
        "uploads acknowledged": len(load.acknowledged),
        "requests that failed and were repeated": load.failed_requests,
        **{f"kills of {process.kind}": process.kills for process in every},
        "seconds from the last upload until nothing waited": f"{waited:.1f}",
        "longest time without a sign of life, s": f"{stalls.longest:.1f}",
        **summary(stage.site),
        "problems": len(problems),
    }
    print("| what | value |\n|---|---:|")
    for what, value in facts.items():
        print(f"| {what} | {value} |")
    return problems


def _kill_at_random(every: list[Process], load: Load, kills: int, rng: random.Random) -> None:
    for number in range(kills):
        victim = rng.choice(every)
        while not victim.ready():  # one that does nothing yet can lose nothing
            time.sleep(0.05)
        time.sleep(rng.uniform(0.2, 6.0))
        victim.kill()
        load.progress = (number + 1) / kills
    load.progress = 1.0


def _submit(stage: Stage, load: Load, team: str, number: int, seed: int) -> None:
    """Send the guesses of a team, one after the other; what fails is sent again."""
    rng = random.Random(f"{seed} {team}")
    with httpx2.Client(base_url=stage.url, timeout=30) as client:
        for turn in range(number):
            while load.progress < turn / number:  # the load lasts as long as the kills
                time.sleep(0.05)
            _send(client, stage.tokens[team], load, guess(rng))


def _send(client: httpx2.Client, token: str, load: Load, content: bytes) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    while True:
        with contextlib.suppress(httpx2.TransportError):
            files = [("file", (ANSWER, content, "text/csv"))]
            answer = client.post("/api/editions/faults/uploads", files=files, headers=headers)
            if answer.status_code == 202:
                with load.lock:
                    load.acknowledged[int(answer.json()["id"])] = content
                return
        with load.lock:
            load.failed_requests += 1
        time.sleep(0.3)


def guess(rng: random.Random) -> bytes:
    """What a team sends: five rows of the population."""
    rows = sorted(rng.sample(range(POPULATION), 5))
    return ("row\n" + "".join(f"{row}\n" for row in rows)).encode()


if __name__ == "__main__":
    main()
