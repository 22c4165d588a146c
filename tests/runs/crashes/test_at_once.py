"""Many at once: limits hold and no event gets lost, whoever submits at the same moment."""

import json
import subprocess
import sys
import threading

import pytest

from quintain.journal.events import GENESIS
from quintain.journal.tree import leaf_hash
from quintain.runs.folder import paths
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit
from tests.conftest import ROOT
from tests.contest_folders import small
from tests.runs.submissions.submission_cases import TASK, valid

PROCESSES = 5
TEAMS = [f"team-{number}" for number in range(20)]


def is_chained(folder):
    """Whether every event names its number and the hash of the event before."""
    lines = folder.at(paths.JOURNAL).read_bytes().splitlines()
    named = [(json.loads(line)["number"], json.loads(line)["previous"]) for line in lines]
    hashes = [GENESIS, *(leaf_hash(line).hex() for line in lines)]
    return named == list(enumerate(hashes[:-1], start=1))


@pytest.mark.slow
def test_of_several_processes_at_a_limit_of_one_exactly_one_is_accepted(tmp_path):
    phase = {"id": "attack", "submit": "guess", "total": 1}
    folder = small(tmp_path / "live", repeats=1, team=[{"id": "red"}], phase=[phase])
    command = [sys.executable, "-m", "tests.runs.crashes.at_once", str(folder.root)]
    done = subprocess.run([*command, str(PROCESSES)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["QuotaUsed"] * (PROCESSES - 1) + ["accepted"]
    assert len(submissions(folder)) == 1
    assert is_chained(folder)


def test_twenty_threads_make_twenty_submissions(tmp_path):
    folder = small(tmp_path / "live", repeats=1, team=[{"id": team} for team in TEAMS])
    content, receipts = valid(folder).encode(), []

    def hand_in(team):
        receipts.append(submit(folder, team, {TASK: content}).receipt)

    threads = [threading.Thread(target=hand_in, args=(team,)) for team in TEAMS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.team for one in submissions(folder)) == sorted(TEAMS)
    assert is_chained(folder)
    sizes = [receipt.check(folder.state().key).size for receipt in receipts]
    last = folder.journal().size()
    assert sorted(sizes) == list(range(last - len(TEAMS) + 1, last + 1))
