"""A live contest of recipes: submit, run, hand over, attack, reveal, verify."""

import io
import json
import zipfile

import pytest

from quintain.errors import Rejected
from quintain.kit.archive import archive_bytes
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain.randomness.noise import Noise
from quintain.recipes import contract
from quintain.recipes.run import run_steps
from quintain.releases import ReleaseCard
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play, read_programs, reasons
from quintain.runs.score import score
from quintain.runs.submissions.counting import file_of, submissions
from quintain.runs.submissions.submit import submit
from quintain.runs.taking_part import follow
from quintain.runs.verification.verify import verify
from tests.recipes.recipe_contests import GOOD, PRIVATE, START, contest, edition

SWAP = b'[[step]]\nuse = "swapping"\nshare = 0.5\n'


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A contest up to its last score; red replaced its first recipe, green's is refused by data."""
    folder = contest(tmp_path_factory.mktemp("recipes") / "live")
    submit(folder, "red", {"first.toml": PRIVATE}, kind="release", now=START)
    submit(folder, "red", {"ours.toml": GOOD}, kind="release", now=START)
    submit(folder, "blue", {"dp.toml": PRIVATE}, kind="release", now=START)
    hand_over(folder, now=START)
    score(folder, now=START)
    return folder


def made_by(folder, team):
    return next(s for s in submissions(folder) if s.team == team and s.made_by is not None)


@pytest.mark.slow
def test_the_judge_makes_the_releases(played):
    assert {task.entry for task in played.tasks(played.edition().track[0])} == {"red", "blue"}
    made = made_by(played, "blue")
    assert set(made.files) == {"release.parquet", paths.CARD, paths.RECIPE_LOG}
    card = ReleaseCard.model_validate_json(played.at(file_of(made, paths.CARD)).read_bytes())
    assert card.claim is not None and card.claim.epsilon == 2.0, "the judge knows what it ran"
    shown = ReleaseCard.model_validate_json(
        played.at(f"public/main/tasks/blue/{paths.CARD}").read_bytes()
    )
    assert shown.claim == card.claim, "attackers get the claim, because [knowledge] gives it"
    assert not (played.root / "public/main/tasks/blue" / paths.RECIPE_LOG).exists()


def test_every_step_is_in_the_log(played):
    log = json.loads(played.at(file_of(made_by(played, "red"), paths.RECIPE_LOG)).read_bytes())
    first, second = log["steps"]
    assert first["sanitizer"]["use"] == "sanitizer/rr-v1"
    assert first["sanitizer"]["keep"] == 0.6
    assert second["sanitizer"]["columns"] == ["sex"], "what the organisers fixed"
    assert second["records"] <= first["records"]
    assert first["digest"] != second["digest"] or first["records"] == second["records"]


def test_the_log_of_all_recipes_is_a_result(played):
    runs = json.loads(played.at(paths.RECIPE_RUNS).read_bytes())["runs"]
    outcomes = [(run["team"], run["outcome"]) for run in runs]
    assert outcomes == [
        ("red", "did not run: a later recipe took its place"),
        ("red", "made a release"),
        ("blue", "made a release"),
    ]
    assert runs[0]["steps"][0]["sanitizer"]["epsilon"] == 2.0
    assert runs[1]["made"]["release.parquet"] == made_by(played, "red").files["release.parquet"]
    report = played.at(paths.REPORT).read_text()
    assert "Recipes" in report and "small-class-deletion-v1" in report


@pytest.mark.slow
def test_a_team_tries_its_recipe_with_its_kit(played, tmp_path):
    with zipfile.ZipFile(io.BytesIO(kit_bytes(played, "green", now=START))) as archive:
        archive.extractall(tmp_path / "kit")
    recipe = tmp_path / "try.toml"
    recipe.write_bytes(GOOD)
    kit = Folder(tmp_path / "kit")
    track = kit.edition().track[0]
    once, again = (follow(kit, track, recipe, team="green", seed=1) for _ in range(2))
    assert once == again
    assert set(once) == {"release.csv", paths.CARD, paths.RECIPE_LOG}


@pytest.mark.slow
def test_verify_runs_the_recipes_again(played, tmp_path):
    freeze(played, "The contest is over.", now=START)
    reveal(played, now=START)
    with zipfile.ZipFile(io.BytesIO(archive_bytes(played))) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "archive")
    assert paths.RECIPE_RUNS in names, "public after the reveal"
    result = verify(Folder(tmp_path / "archive"))
    assert result.problems == () and not result.excepted


@pytest.mark.slow
def test_a_release_that_the_recipe_does_not_make_is_a_problem(tmp_path, monkeypatch):
    folder = contest(tmp_path / "live")

    def luckier(recipe, private, *, rng, noise, limits):
        return run_steps(recipe, private, rng=rng, noise=Noise.for_test(7))

    submit(folder, "red", {"ours.toml": SWAP}, kind="release", now=START)
    with monkeypatch.context() as cheating:
        cheating.setattr(contract, "run_limited", luckier)
        hand_over(folder, now=START)
    result = verify(folder)
    problems = [text for text in result.problems if "is not what the recipe makes" in text]
    assert any("release.parquet" in text for text in problems)
    assert not result.excepted, "no code of a team ran, so the organisers answer for it"


def test_a_kit_says_what_a_recipe_may_have(tmp_path):
    folder = contest(tmp_path / "live", shows_sample=False)
    with zipfile.ZipFile(io.BytesIO(kit_bytes(folder, "red", now=START))) as archive:
        text = archive.read("README.md").decode()
        assert "A step may be rr: keep (at least 0.1 and at most 0.9)." in text
        assert "Teams do not see their private sample." in text
        assert not [name for name in archive.namelist() if "private" in name]
        example = archive.read("example/main/protect/recipe.toml")
    submit(folder, "red", {"recipe.toml": example}, kind="release", now=START)
    assert [event.kind for event in submissions(folder)] == ["program"]


def test_codabench_cannot_run_recipes(tmp_path):
    with pytest.raises(Rejected, match="teams submit recipes; the bundle for CodaBench takes"):
        bundle_bytes(contest(tmp_path / "live"))


@pytest.mark.slow
def test_a_rehearsal_plays_a_recipe_against_the_baselines(tmp_path):
    (tmp_path / "mine.toml").write_bytes(GOOD)
    programs = read_programs(edition(), [tmp_path / "mine.toml"])
    folder = play(edition(), tmp_path / "rehearsal", seed=1, programs=programs)
    assert not reasons(folder)
    entries = {task.entry for task in folder.tasks(folder.edition().track[0])}
    assert entries == {"mine", "nearest"}
