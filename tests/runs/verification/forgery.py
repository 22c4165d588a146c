"""Forgery: organisers who rewrite their own contest with all their keys, so that its parts fit.

They know the product as well as anybody: they write valid files, commit to them, number and chain
the journal, sign it and score again. What they cannot change is what others have kept.
"""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from quintain.commitment import Commitment
from quintain.jobs.files import write_file
from quintain.journal.events import GENESIS, HandedOver, Submitted
from quintain.journal.journal import salt_of
from quintain.journal.tree import leaf_hash
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import commit, publish, roots, stage_of
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.submissions.counting import store
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.chain import KeptEvidence

TEAMS = ("blue", "green", "red")
BEACON = "8, 15, 23, 31, 40, 44"

EDITION = """\
id = "two-roles"
title = "Everybody sanitizes, everybody attacks"
goal = { use = "membership-set", guesses = 5 }
commitment = { beacon = "the lottery numbers of 29 April 2026" }

[dataset]
use = "adult"
rows = 150

[sample]
use = "subset"
rows = 40

[files]
header = false

[[phase]]
id = "anonymize"
submit = "release"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z

[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-11T00:00:00Z
closes = 2026-05-20T00:00:00Z
per_day = 2

[[rule]]
use = "rows"
least = 30

[[utility]]
use = "marginals"
at_most = 0.5

[[privacy]]
use = "hit-rate"

[[board]]
id = "attackers"
use = "mean"
measure = "hit_rate"

[[baseline]]
id = "blind"
attack = "random"

[[team]]
id = "blue"

[[team]]
id = "green"

[[team]]
id = "red"
"""


def day(number, month=5):
    """Noon of a day in 2026."""
    return datetime(2026, month, number, 12, tzinfo=UTC)


def guess(*rows):
    """The file of a guess: rows of the population."""
    return "".join(f"{row}\n" for row in rows).encode()


@dataclass(frozen=True)
class Kept:
    """A contest that is scored, and what the teams kept of it."""

    root: Path
    receipts: dict[str, bytes]
    checkpoints: dict[str, bytes]
    roots: dict[str, str]

    def receipt(self, name):
        return KeptEvidence(receipts={name: self.receipts[name]})

    def checkpoint(self, name):
        return KeptEvidence(checkpoints={name: self.checkpoints[name]})

    def root_of(self, stage):
        return KeptEvidence(roots=(self.roots[stage],))


def live_contest(root, *, seed=11, beacon=BEACON, drop=()):
    """A live contest of three teams, with a beacon; every team releases and attacks."""
    write_file(root / paths.EDITION, EDITION.encode())
    folder, receipts, checkpoints = Folder(root), {}, {}
    prepare(folder, seed=seed, now=day(20, 4))
    prepare(folder, beacon=beacon, now=day(29, 4))
    for number, team in enumerate(TEAMS):
        content = folder.at(paths.team_sample(team, "main")).read_bytes()
        lines = content.splitlines(keepends=True)[: 35 + number]
        accepted = submit(folder, team, {"release.csv": b"".join(lines)}, now=day(2 + number))
        receipts[f"{team}, release"] = accepted.receipt.to_bytes()
    checkpoints["releases"] = folder.at(paths.CHECKPOINT).read_bytes()
    hand_over(folder, now=day(10))
    for number, team in enumerate(TEAMS):
        if team not in drop:
            files = {f"{o}.csv": guess(*range(number, number + 5)) for o in TEAMS if o != team}
            accepted = submit(folder, team, files, now=day(12 + number))
            receipts[f"{team}, guess"] = accepted.receipt.to_bytes()
    checkpoints["end"] = folder.at(paths.CHECKPOINT).read_bytes()
    score(folder, report=False, now=day(21))
    return Kept(root, receipts, checkpoints, roots(folder.state()))


class Forger:
    """The organisers of a copied contest."""

    def __init__(self, root):
        self.folder = Folder(root)
        self.events = list(self.folder.journal().events())

    def at(self, name):
        return self.folder.at(name)

    def find(self, kind, /, **fields):
        """The place of the first event of a kind with these fields."""
        return next(
            i
            for i, event in enumerate(self.events)
            if event.event == kind and all(getattr(event, k) == v for k, v in fields.items())
        )

    def change(self, index, **fields):
        self.events[index] = self.events[index].model_copy(update=fields)

    def insert(self, index, event, time=""):
        """Insert an event at the time of the one that it follows, or at another time."""
        time = time or self.events[index - 1].time
        self.events.insert(index, event.model_copy(update={"time": time, "number": 0}))

    def store(self, files):
        return store(self.folder, files)

    def recommit(self, index, *more):
        """Commit to the files of an event as they are now."""
        stage, _ = stage_of(self.events[index])
        content = self.at(paths.commitment(stage)).read_bytes()
        names = [*Commitment.model_validate_json(content).leaves, *more]
        self.change(index, commitment=commit(self.folder, stage, names))

    def finish(self, *, rescore=False):
        """Number, salt, chain and sign the journal; score, as if it had always been so."""
        numbers, previous, lines = {}, GENESIS, []
        key = self.folder.committed_secrets().nonce_key()
        for number, event in enumerate(self.events, 1):
            numbers[event.number] = number
            fields = {"number": number, "previous": previous, "salt": salt_of(key, number)}
            if isinstance(event, HandedOver) and event.number:
                fields["size"] = numbers.get(event.size, event.size)
            if isinstance(event, Submitted) and event.made_by is not None:
                fields["made_by"] = numbers[event.made_by]
            line = event.model_copy(update=fields).line()
            lines.append(line + b"\n")
            previous = leaf_hash(line).hex()
        self.at(paths.JOURNAL).write_bytes(b"".join(lines))
        shutil.rmtree(self.at(paths.CACHE), ignore_errors=True)
        self.at(paths.CHECKPOINT).unlink()  # it would not go on from another history
        publish(self.folder)
        if rescore:
            score(self.folder, report=False, now=day(21))
        return self.folder
