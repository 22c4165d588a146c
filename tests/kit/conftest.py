"""A small contest to be exported, and guesses at the corners of the measure."""

import io
import zipfile
from datetime import datetime
from functools import cache

import numpy as np
import pytest
import yaml

from quintain.kit.codabench.bundle import bundle_bytes
from tests.contest_folders import small
from tests.kit.codabench.upload_rules import (
    ColumnTable,
    CompetitionTable,
    LeaderboardTable,
    PageTable,
    PhaseTable,
    TaskTable,
)

GUESSES = ("none", "all", "half", "perfect", "inverted", "drawn", "barely", "one")


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """A prepared contest with a team for every kind of guess; tests submit, nothing else."""
    out = tmp_path_factory.mktemp("codabench") / "live"
    return small(out, team=[{"id": name} for name in GUESSES])


@pytest.fixture(scope="module")
def bundle(live):
    """The bundle of the contest as it is now: tests of other modules submit, and it has all."""
    return bundle_bytes(live)


def unpacked(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def misread(files):
    """What CodaBench would accept and read differently from what it says."""
    config = yaml.safe_load(files["competition.yaml"])
    board = config["leaderboards"][0]
    keys = {
        "competition": (CompetitionTable, [config]),
        "pages": (PageTable, config["pages"]),
        "tasks": (TaskTable, config["tasks"]),
        "phases": (PhaseTable, config["phases"]),
        "board": (LeaderboardTable, config["leaderboards"]),
        "columns": (ColumnTable, board["columns"]),
    }
    found = [
        f"{place}: {key} is unknown, so it is ignored"
        for place, (model, tables) in keys.items()
        for table in tables
        for key in table.keys() - model.model_fields.keys()
    ]
    times = [phase[key] for phase in config["phases"] for key in ("start", "end") if key in phase]
    # Without quotes only the day is kept, and an offset is dropped.
    found += [str(t) for t in times if not isinstance(t, str) or datetime.fromisoformat(t).tzinfo]
    if len(config["leaderboards"]) > 1 or board["primary_index"] >= len(board["columns"]):
        found.append("the page of the leaderboard will fail")
    found += [page["file"] for page in config["pages"] if page["file"].startswith("/")]
    if not yaml.safe_load(files["scoring_program/metadata.yaml"])["command"]:
        found.append("nothing could be scored")
    return found + ["everybody sees solutions"] * ("solutions" in config)


def track_of(folder):
    return folder.edition().track[0]


def csv(rows, header="target,probability\n"):
    return (header + "".join(f"{target},{value!r}\n" for target, value in rows)).encode()


@cache
def answers(folder, kind):
    """A complete submission; the kinds are the corners of the measure."""
    rng, out = np.random.default_rng(5), {}
    for task in folder.tasks(track_of(folder)):
        truth = folder.truth(track_of(folder), task).table.columns
        members = (truth["member"] == 1).astype(float)
        drawn = rng.random(len(members))
        probabilities = {
            "none": np.zeros(len(members)),
            "all": np.ones(len(members)),
            "half": np.full(len(members), 0.5),
            "perfect": members,
            "inverted": 1 - members,
            "drawn": drawn,
            "barely": 0.5 + (drawn - 0.5) * 1e-12,
            "one": (np.arange(len(members)) == 3).astype(float),
        }[kind]
        order = rng.permutation(len(members))
        rows = [(truth["target"][i], float(probabilities[i])) for i in order.tolist()]
        out[f"{task.name}.csv"] = csv(rows)
    return out
