"""Rehearsals: a worker lets built-in teams play a draft, and tries its gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quintain.contests import load
from quintain.jobs.scratch import ScratchFolder
from quintain.runs.folder import paths
from quintain.runs.play import play
from quintain.runs.trials import try_sanitizers
from quintain_host.organising.drafts import temporary_folder
from quintain_host.work.drafts import find_faults, read_draft
from quintain_host.work.handler import HandlerTask, handler

SEED = 1
"""All rehearsals have the same seed: if a board changes, the rules are the reason."""


@handler("rehearse")
def rehearse(task: HandlerTask) -> dict[str, Any]:
    """Let built-in teams play a draft, and look for faults; only the results stay.

    The seed is public, so nothing of it may be published. The folder is deleted at the end.
    """
    row, files = read_draft(task)
    findings = find_faults(task)
    with (
        temporary_folder(task.site, row.toml, files) as place,
        ScratchFolder() as out,
    ):
        executor = task.executor()
        executor.warm("quintain.runs.play")
        edition = load(place / paths.EDITION)
        folder = play(edition, Path(out) / "run", seed=SEED, executor=executor)
        standings = json.loads(folder.at(paths.STANDINGS).read_bytes())
    return {"toml": row.toml, "files": files, "findings": findings, "tracks": standings["tracks"]}


@handler("try-gates")
def try_gates(task: HandlerTask) -> dict[str, Any]:
    """Measure a release by each built-in sanitizer of a draft."""
    row, files = read_draft(task)
    with temporary_folder(task.site, row.toml, files) as place:
        edition = load(place / paths.EDITION)
        trials = [
            {
                "name": trial.name,
                "readings": {name: _plain(r.model_dump()) for name, r in trial.readings.items()},
                "failures": list(trial.failures),
                "refusal": trial.refusal,
            }
            for trial in try_sanitizers(edition.track[0])  # rounds of the guide differ in dates
        ]
    return {"toml": row.toml, "files": files, "trials": trials}


def _plain(reading: dict[str, Any]) -> dict[str, Any]:
    """A reading for JSON, in which null stands for what is not a number."""
    finite = {k: None if isinstance(v, float) and v != v else v for k, v in reading.items()}
    return {k: finite[k] for k in ("value", "low", "high", "note")}
