"""Scoring again: only what is new is computed, and nothing remembered outlives its file."""

import shutil
import threading

import pytest

from quintain.contests import load
from quintain.errors import FolderError
from quintain.jobs.job import Job
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.score import plan, score
from quintain.runs.submissions.counting import file_of
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.contest_folders import SMALL, small

RESULTS = (paths.CELLS, paths.STANDINGS, paths.MATRIX, paths.REPORT, paths.BOARD)


def contents(folder):
    return {name: folder.at(name).read_bytes() for name in RESULTS}


def times(folder):
    return {name: folder.at(name).stat().st_mtime_ns for name in RESULTS}


def answer(folder, probability):
    (track,) = folder.edition().track
    task = folder.tasks(track)[0]
    rows = folder.question(track, task).table.records()
    lines = "".join(f"{row['target']},{probability}\n" for row in rows)
    return {f"{task.name}.csv": f"target,probability\n{lines}".encode()}


@pytest.fixture
def contest(tmp_path):
    """A contest of two teams and a baseline, scored once."""
    teams = [{"id": "red"}, {"id": "blue"}]
    baseline = [{"id": "random", "attack": "random"}]
    folder = small(tmp_path / "contest", repeats=1, team=teams, baseline=baseline)
    submit(folder, "red", answer(folder, 0.25))
    score(folder)
    return folder


def test_a_scored_folder_has_nothing_left_to_plan(contest):
    assert plan(contest) == []


def test_with_nothing_new_no_result_file_is_written(contest):
    before = times(contest)
    score(contest)
    assert times(contest) == before


def test_one_new_guess_is_one_job(contest):
    submit(contest, "blue", answer(contest, 0.75))
    (job,) = plan(contest)
    task = contest.tasks(contest.edition().track[0])[0]
    assert job.name == f"cell/main/{task.entry}/blue"
    score(contest)
    assert plan(contest) == []
    assert (task.entry, "blue") in score(contest)["main"].cells


def test_planning_changes_no_file(contest):
    submit(contest, "blue", answer(contest, 0.75))
    before = {path: path.stat().st_mtime_ns for path in contest.root.rglob("*")}
    plan(contest)
    assert {path: path.stat().st_mtime_ns for path in contest.root.rglob("*")} == before


def test_jobs_of_a_plan_can_be_stored_and_run_elsewhere(contest):
    shutil.rmtree(contest.at(paths.CACHE))
    expected = contents(contest)
    while jobs := plan(contest):
        for text in [job.to_json() for job in jobs]:
            job = Job.from_json(text)
            contest.finish(job, job.run(contest.root))
    score(contest)
    assert contents(contest) == expected


def test_a_result_file_that_was_damaged_is_written_again(contest):
    before = contents(contest)
    contest.at(paths.STANDINGS).write_bytes(b"{}")
    score(contest)
    assert contents(contest) == before


def test_damaged_readings_in_the_cache_are_measured_again(contest):
    before = contents(contest)
    shutil.rmtree(contest.at(paths.STAMPS))
    path = contest.at(paths.stored_readings("main"))
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    score(contest)
    assert contents(contest) == before


def test_a_guess_that_is_not_the_submitted_one_is_not_measured(contest):
    accepted = submit(contest, "blue", answer(contest, 0.75))
    (name,) = accepted.submission.files
    contest.at(file_of(accepted.submission, name)).write_bytes(answer(contest, 0.5)[name])
    with pytest.raises(FolderError, match="is not the file that the team submitted"):
        score(contest)


@pytest.mark.slow
def test_two_plays_and_verifications_in_one_process_raise_no_false_alarm(tmp_path):
    edition = load("tiny", overrides={**SMALL, "repeats": 1})
    for seed in (7, 8):
        folder = play(edition, tmp_path / "run", seed=seed)
        assert verify(folder).problems == ()
        shutil.rmtree(folder.root)


@pytest.mark.slow
def test_six_threads_scoring_one_folder_write_the_same_bytes(contest):
    expected = contents(contest)
    shutil.rmtree(contest.at(paths.CACHE))
    shutil.rmtree(contest.at(paths.RESULTS))
    problems = []

    def work():
        try:
            score(Folder(contest.root))
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert contents(contest) == expected
    assert not list(contest.root.rglob("*.part"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["play", "verify", "board"])
def test_the_benchmark_of_growth_runs(kind):
    from benchmarks.scoring.growth import measure

    assert set(measure(kind, 2, workers=1)) == {"cpu", "wall", "memory"}


@pytest.mark.slow
def test_the_benchmark_of_scoring_again_runs(tmp_path):
    from benchmarks.scoring.again import figures
    from benchmarks.scoring.contest import large_contest

    measured = figures(large_contest(tmp_path / "contest", 3, 4))
    ranked, written = (f"one new guess, {how} the page" for how in ("without", "with"))
    assert list(measured) == ["nothing new", ranked, written, "measuring that guess alone"]
    assert measured["nothing new"] < measured[written]


@pytest.mark.slow
def test_without_the_page_an_outdated_one_is_removed_and_written_later(contest):
    score(contest, report=False)
    assert contest.at(paths.REPORT).is_file()  # nothing new: the page still shows the results
    submit(contest, "blue", answer(contest, 0.75))
    score(contest, report=False)
    assert not contest.at(paths.REPORT).exists()
    assert verify(contest).problems == ()
    before = contest.at(paths.STANDINGS).stat().st_mtime_ns
    score(contest)
    assert contest.at(paths.REPORT).is_file()
    assert contest.at(paths.STANDINGS).stat().st_mtime_ns == before
    assert verify(contest).problems == ()


def test_an_edited_template_gives_a_new_page_and_the_same_standings(contest, monkeypatch):
    before = times(contest)
    monkeypatch.setattr("quintain.runs.score.page_templates", lambda: ["another template"])
    score(contest)
    after = times(contest)
    assert {name for name in before if after[name] != before[name]} == {paths.REPORT}


def test_an_answer_that_is_submitted_twice_is_measured_once(contest):
    submit(contest, "red", answer(contest, 0.25))
    assert plan(contest) == []
    before = contest.at(paths.CELLS).read_bytes()
    score(contest)
    assert contest.at(paths.CELLS).read_bytes() == before
