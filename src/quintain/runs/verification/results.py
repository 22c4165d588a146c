"""Results: score again, with an empty cache, and compare every result file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quintain.figures.counts import count
from quintain.jobs.executor import Executor
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.score import attack_all, measure_all, ranking_files, report_file
from quintain.runs.scores.scores import Scores
from quintain.runs.submissions.submitted import submissions
from quintain.runs.verification.differences import compare


def check_results(folder: Folder, copy: Folder, executor: Executor) -> Iterator[str]:
    """Every result file of a folder that differs from what scoring its copy gives."""
    submitted = submissions(copy)
    outdated = _outdated(folder, len(submitted))
    if outdated:
        yield outdated
        return
    attack_all(copy, executor=executor)
    scores = Scores(copy, measure_all(copy, submitted, executor=executor).surveys)
    expected = ranking_files(copy, submitted, scores)
    if folder.at(paths.REPORT).is_file():  # the organisers may leave out the page
        expected |= report_file(copy, submitted, scores)
    yield from compare(folder, expected)


def _outdated(folder: Folder, submitted: int) -> str:
    """Why there is nothing to compare: no scores, or submissions after the last scoring."""
    path = folder.at(paths.STANDINGS)
    if not any(folder.at(name).is_file() for name in (paths.STANDINGS, paths.CELLS, paths.MATRIX)):
        return f"{paths.STANDINGS}: there are no scores yet; run quintain score first"
    try:
        counted = json.loads(path.read_bytes())["submissions"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""  # the comparison says what is wrong with the file
    if not isinstance(counted, int) or counted >= submitted:
        return ""
    of = count(submitted, "submission")
    return f"{paths.STANDINGS}: counts only {counted} of {of}; run quintain score again"


@contextmanager
def same_files(folder: Folder) -> Iterator[Folder]:
    """The same folder with an empty cache, so that no stored result is used."""
    with tempfile.TemporaryDirectory(prefix="quintain-verify-") as name:
        for part in paths.SCORED:
            source = folder.at(part).resolve()
            if source.exists():
                (Path(name) / part).symlink_to(source)
        yield Folder(name)
