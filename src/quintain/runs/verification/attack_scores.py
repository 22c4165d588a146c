"""Attack scores: measure what teams guessed again, from the published answers and nothing else.

An archive without data has the guesses, the answers and the matrix. Every score of a team on a
release can be measured again from these; the scores of built-in players cannot, because their
guesses follow from the keys.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping

from quintain.contests import Track
from quintain.jobs.executor import Executor
from quintain.measures import Reading
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.score import plan_cells
from quintain.runs.scores.stored import Survey, read_readings
from quintain.runs.submissions.counting import submissions
from quintain.runs.verification.replay import same_files

_FIGURES = ("value", "low", "high", "n")


class AttackScores:
    """The scores of a folder, measured again; ``checked`` counts those that were compared."""

    def __init__(self, folder: Folder, executor: Executor) -> None:
        self._folder, self._executor = folder, executor
        self.checked = 0

    def problems(self) -> Iterator[str]:
        """Every score of the matrix that the guesses and the answers do not give."""
        published = _matrix(self._folder)
        with same_files(self._folder) as copy:
            for track in copy.edition().track:
                # Which targets count is drawn with the keys where others are shown.
                if track.feedback.shown_on is None:
                    yield from self._of_track(copy, track, published)

    def _of_track(
        self, copy: Folder, track: Track, published: Mapping[tuple[str, ...], tuple[float, ...]]
    ) -> Iterator[str]:
        survey = Survey.of(copy, track, submissions(copy))
        cells = list(survey.missing())
        copy.run(plan_cells(survey), executor=self._executor, label="scores of attacks again")
        for cell in cells:
            path = copy.at(paths.cached_cell(track.id, cell.entry, cell.attacker))
            for measure, reading in read_readings(path).items():
                self.checked += 1
                row = (track.id, cell.entry, cell.attacker, measure)
                if not _equal(published.get(row, ()), _figures(reading)):
                    yield (
                        f"{paths.MATRIX}: {measure} of {cell.attacker} on {cell.entry} in track "
                        f"{track.id} is {reading.value:.6g} when measured again"
                    )


def _matrix(folder: Folder) -> dict[tuple[str, ...], tuple[float, ...]]:
    """The figures of the matrix by track, entry, attacker and measure; blank ones are NaN."""
    with folder.at(paths.MATRIX).open(newline="", encoding="utf-8") as file:
        return {
            (row["track"], row["entry"], row["attacker"], row["measure"]): tuple(
                float(row[name] or "nan") for name in _FIGURES
            )
            for row in csv.DictReader(file)
        }


def _figures(reading: Reading) -> tuple[float, ...]:
    return tuple(float(getattr(reading, name)) for name in _FIGURES)


def _equal(published: tuple[float, ...], again: tuple[float, ...]) -> bool:
    return len(published) == len(again) and all(
        a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(published, again, strict=True)
    )
