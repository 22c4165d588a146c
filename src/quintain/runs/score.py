"""Score: run the baselines, measure everything, rank, and write the result files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import write_file
from quintain.rankings import Results
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.report import report_bytes, run_facts
from quintain.runs.scores.cells import measure_all
from quintain.runs.scores.feedback import public_board
from quintain.runs.scores.results import cells_bytes, matrix_bytes, standings_bytes
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.receipt import GENESIS
from quintain.runs.tasks.baselines import attack_all
from quintain.runs.tasks.programs import run_programs


def score(folder: Folder, *, executor: Executor = SERIAL) -> dict[str, Results]:
    """Score a folder as it stands; only what is new is computed."""
    folder.require_prepared()
    attack_all(folder, executor=executor)
    run_programs(folder, "guess", executor=executor)
    tracks = measure_all(folder, executor=executor)
    for path, content in result_files(folder, tracks).items():
        write_file(folder.at(path), content)
    write_file(folder.at(paths.BOARD), public_board(folder, tracks))
    return tracks


def result_files(folder: Folder, tracks: Mapping[str, Results]) -> dict[str, bytes]:
    """The result files of a folder; nothing in them depends on when or where they were made."""
    edition, facts = folder.edition(), provenance(folder)
    runs = {track.id: run_facts(folder, track) for track in edition.track}
    return {
        paths.CELLS: cells_bytes(tracks),
        paths.STANDINGS: standings_bytes(edition, tracks, facts),
        paths.MATRIX: matrix_bytes(tracks),
        paths.REPORT: report_bytes(edition, tracks, facts, runs),
    }


def provenance(folder: Folder) -> dict[str, Any]:
    """What the results rest on."""
    done = receipts(folder)
    commitments = sorted(folder.at(paths.COMMITMENTS).glob("*.json"))
    return {
        "commitments": {p.stem: json.loads(p.read_bytes())["root"] for p in commitments},
        "ledger": done[-1].hash if done else GENESIS,
        "submissions": len(done),
        "test": folder.secrets().test,
    }
