"""A small contest that was played, and its results."""

import csv
from pathlib import Path

from quintain.contests import load
from quintain.data.files.data_file import read_trusted
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.play import play
from quintain.runs.tasks.experiments import draw_sample


def played(folder: Path, text: str) -> Folder:
    """Play an edition with the baselines of the text."""
    file = folder / "mine.toml"
    file.write_text(text)
    return play(load(file), folder / "run", seed=7)


def sample_and_release(folder: Folder, team: str, entry: str):
    """The private sample of a team, and the release that it submitted."""
    track = folder.edition().track_by_id("main")
    file = folder.at(paths.full_release(Task("main", entry)))
    return draw_sample(folder, track, team, 0), read_trusted(file, folder.release_schema(track))


def cells(folder: Folder) -> dict[tuple[str, str], float]:
    """The values of the contest, by attacker and measure."""
    with folder.at("results/matrix.csv").open(newline="") as file:
        return {(r["attacker"], r["measure"]): float(r["value"]) for r in csv.DictReader(file)}
