"""Contests of models on a site: their dates, and teams that hand over and guess."""

import numpy as np

from quintain.data.files import to_bytes
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest

TRAIN = """\
[[phase]]
id = "train"
submit = "release"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z
"""
ATTACK = """\
[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-11T00:00:00Z
closes = 2026-05-20T00:00:00Z
"""


def blind(folder, team) -> dict[str, bytes]:
    """A blind answer to each task of others."""
    (track,) = folder.edition().track
    rng = np.random.default_rng(0)
    tasks = folder.read(track).tasks_for(team)
    answers = {task.name: folder.question(track, task).blind(rng=rng).table for task in tasks}
    return {f"{name}.csv": to_bytes(table, ".csv") for name, table in answers.items()}


def guess_blindly(site, edition, teams) -> None:
    """Every team answers, after the hand-over."""
    site.clock.set(contest.at(11))
    for name, captain in teams.items():
        take(site, captain, edition, contest.zipped(blind(site.folder(edition), name)))
    contest.drain(site)


def ask_for(site, edition, day, step) -> None:
    """The organisers hand over or reveal on a day."""
    site.clock.set(contest.at(day))
    contest.request(site, edition, "scoring", step)
    contest.drain(site)
