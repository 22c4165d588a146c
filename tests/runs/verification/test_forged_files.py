"""Organisers who replace files, commit to them again and sign everything: a replay finds them."""

import numpy as np
import pytest

from quintain.data.files import read
from quintain.releases import ReleaseCard, Sanitized
from quintain.runs.folder import paths
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.tasks import baselines
from quintain.runs.tasks.experiments import draw_sample, task_files
from quintain.runs.verification.verify import verify
from tests.runs.verification.forgery import guess


def other_hand_over(forger, team, lines):
    """Hand over a release of these lines, as if the team had made it."""
    folder = forger.folder
    track = folder.edition().track[0]
    fake = folder.root / "fake.csv"
    fake.write_bytes(b"".join(lines))
    data = read(fake, folder.private_schema(track), header=False)
    fake.unlink()
    sample, task = draw_sample(folder, track, team, 0), Task("main", team)
    for name, content in task_files(
        folder, track, task, sample, Sanitized(ReleaseCard().release(data))
    ).items():
        forger.at(name).write_bytes(content)
    forger.recommit(forger.find("handed-over"))


def test_a_release_that_its_team_did_not_make_is_found(forger):
    others = forger.at(paths.team_sample("blue", "main")).read_bytes().splitlines(keepends=True)
    other_hand_over(forger, "red", others[:37])
    problems = verify(forger.finish(rescore=True)).problems
    assert any(
        p.startswith("public/main/tasks/red/release.csv: differs when made again: ")
        for p in problems
    ), problems


def test_a_truth_that_was_chosen_after_the_release_is_found(forger):
    path = forger.at("secret/main/tasks/green/truth.csv")
    header, *rows = path.read_text().splitlines()
    inside = set(map(int, rows))
    outside = [row for row in range(150) if row not in inside]
    path.write_text("\n".join([header, *map(str, outside[: len(rows)])]) + "\n")
    forger.recommit(forger.find("handed-over"))
    (problem,) = verify(forger.finish(rescore=True)).problems
    assert problem.startswith("secret/main/tasks/green/truth.csv: differs when made again: byte ")


def test_a_sample_that_was_picked_by_hand_is_found(forger):
    folder = forger.folder
    track = folder.edition().track[0]
    easy = folder.base("main").take(np.arange(40))
    private = easy.select(folder.private_schema(track).names)
    forger.at(paths.team_sample("red", "main")).write_bytes(csv_bytes(private, header=False))
    forger.recommit(forger.find("joined", team="red"))
    problems = verify(forger.finish()).problems
    assert any(
        p.startswith("teams/red/main/private.csv: differs when made again") for p in problems
    )


def test_a_file_that_the_rules_do_not_make_is_found_under_its_commitment(forger):
    forger.at("secret/main/hints.csv").write_text("row\n5\n")
    forger.recommit(forger.find("prepared"), "secret/main/hints.csv")
    (problem,) = verify(forger.finish()).problems
    assert problem == "secret/main/hints.csv: nothing in the rules makes this file"


def test_a_commitment_that_no_event_made_is_found(forger):
    rules = forger.at("public/rules/1.json").read_bytes()
    forger.at("public/rules/2.json").write_bytes(
        rules.replace(b'"competing": true', b'"competing": false')
    )
    commitment = forger.at("public/commitments/rules-1.json").read_bytes()
    forger.at("public/commitments/rules-2.json").write_bytes(commitment)
    problems = verify(forger.finish()).problems
    assert (
        "public/commitments/rules-2.json: no event of the journal made this commitment" in problems
    )
    assert "public/rules/2.json: no commitment covers this file" in problems


def test_rules_that_are_replaced_with_their_commitment_move_the_noise_and_the_digest(forger):
    for name in ("public/rules/1.json", "public/edition.json"):
        path = forger.at(name)
        path.write_bytes(path.read_bytes().replace(b'"per_day": 2', b'"per_day": 9'))
    forger.recommit(forger.find("rules"))
    (problem,) = verify(forger.finish()).problems
    assert problem == ("public/rules/1.json: are not the rules that event 1 of the journal names")


def test_a_beacon_that_was_not_used_is_found(forger):
    forger.change(forger.find("prepared"), beacon="1, 2, 3, 4, 5, 6")
    forger.at(paths.BEACON).write_text("1, 2, 3, 4, 5, 6")
    problems = verify(forger.finish()).problems
    assert any("differs when made again" in problem for problem in problems)


def test_a_beacon_that_is_left_out_is_found(forger):
    forger.change(forger.find("prepared"), beacon="")
    forger.at(paths.BEACON).unlink()
    assert any(
        "the rules announce a beacon (the lottery numbers of 29 April 2026), but none was used" in p
        for p in verify(forger.finish()).problems
    )


def test_swapped_files_of_two_teams_are_found(forger):
    red, blue = (
        forger.at(paths.submitted_file(digest, "release.csv"))
        for team in ("red", "blue")
        for digest in forger.events[forger.find("submitted", team=team)].files.values()
    )
    contents = red.read_bytes(), blue.read_bytes()
    red.write_bytes(contents[1])
    blue.write_bytes(contents[0])
    problems = verify(forger.finish()).problems
    assert len(problems) == 2
    assert all("is not the file that the team submitted" in problem for problem in problems)


def test_a_baseline_that_answered_with_the_truth_is_found(forger, monkeypatch):
    def cheating(root, attacker, track, entry, *_):
        truth = root / f"secret/{track}/tasks/{entry}/truth.csv"
        return {paths.baseline_guess(attacker, Task(track, entry)): guess(*first_rows(truth))}

    with monkeypatch.context() as patch:
        patch.setattr(baselines, "make_guess", cheating)
        forger.finish(rescore=True)
    problems = verify(forger.folder).problems
    assert any(p.startswith("results/standings.json: differs when made again") for p in problems)


def first_rows(path):
    return path.read_text().splitlines()[1:6]


@pytest.mark.parametrize("name", ["public/events.jsonl", "public/checkpoint.txt"])
def test_public_copies_that_say_something_else_are_found(forger, name):
    forger.finish()
    lines = forger.at(name).read_bytes().splitlines(keepends=True)
    forger.at(name).write_bytes(b"".join(lines[:-1]))
    assert any(problem.startswith(f"{name}: ") for problem in verify(forger.folder).problems)
