"""The edition about diffusion models of tables: attackers of one track alone get the models."""

import pytest

from quintain.contests import load
from quintain.contests.loading.load import builtin_text
from quintain.errors import EditionError
from quintain.kernels.table_models import TableNetwork
from quintain.runs.folder import paths
from quintain.runs.play import play
from quintain.runs.verification.verify import verify

pytest.importorskip("torch")

WHITE_BOX = {"id": "loss", "attack": {"use": "diffusion-loss", "draws": 1, "device": "cpu"}}


def test_the_file_is_short():
    assert len(builtin_text("midst").splitlines()) <= 60


def test_a_white_box_attack_in_the_black_box_track_is_refused():
    tracks = [{"id": "black", "knowledge": {"gives": ["base"]}, "baseline": [WHITE_BOX]}]
    with pytest.raises(EditionError, match="diffusion-loss-v1 needs weights, which"):
        load("midst", overrides={"track": tracks})


@pytest.mark.slow
def test_a_rehearsal_gives_the_model_to_white_box_attackers_alone(tmp_path):
    tracks = [
        {"id": "white", "knowledge": {"gives": ["weights"]}, "baseline": [WHITE_BOX]},
        {"id": "black", "knowledge": {"gives": []}, "baseline": []},
    ]
    small = {
        "track": tracks,
        "repeats": 1,
        "dataset": {"rows": 300},
        "sample": {"targets": 20, "background": 30},
        "sanitizer": [
            {
                "use": "tabddpm",
                "name": "tabddpm",
                "steps": 5,
                "batch": 20,
                "hidden": [8],
                "device": "cpu",
                "publish_model": True,
            }
        ],
    }
    folder = play(load("midst", overrides=small), tmp_path / "run", seed=7)
    for track in folder.edition().track:
        (task,) = folder.tasks(track)
        carried = folder.release(track, task).weights
        assert bool(carried) == (track.id == "white") == folder.at(paths.weights(task)).is_file()
        if carried:
            assert TableNetwork.from_bytes(carried).schema == folder.private_schema(track)
    assert verify(folder).problems == ()
