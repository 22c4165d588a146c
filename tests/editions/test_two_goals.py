"""Two goals on one release: boards by hand, a rehearsal, finds per goal, and CodaBench."""

import json

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.contests.loading.load import builtin_text
from quintain.errors import DataError, Refused
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.runs.folder import paths
from quintain.runs.play import play
from quintain.runs.standalone.matrix import rank_matrix
from quintain.runs.submissions.rounds import round_files
from quintain.runs.verification.verify import verify
from tests.kit.conftest import unpacked
from tests.kit.scoring_run import run_scoring

MEMBER = ",red,blue,green\nred,,0.7,0.9\nblue,0.6,,0.5\ngreen,0.8,0.5,\n"
ATTR = ",red,blue,green\nred,,0.1,0.3\nblue,0.2,,0\ngreen,0.5,0.4,\n"


def files(tmp_path, **contents):
    for name, text in contents.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return [tmp_path / f"{name}.csv" for name in contents]


def boards(capsys, *arguments):
    with pytest.raises(SystemExit) as done:
        main(["rank", *map(str, arguments), "--json"])
    assert done.value.code == 0
    found = json.loads(capsys.readouterr().out)["boards"]
    return {name: {p["team"]: p["score"] for p in board} for name, board in found.items()}


def test_the_worse_goal_counts_for_a_release_and_both_for_an_attacker(tmp_path, capsys):
    member, attr = files(tmp_path, member=MEMBER, attr=ATTR)
    given = "--reading", f"attr.excess_accuracy={attr}"
    found = boards(capsys, "two-goals", "--cells", member, *given)
    # red: auc .8 gives .6, more than .5; blue: .7 gives .4, as much as .4; green: .9 gives .8.
    assert found["anonymizers"] == pytest.approx({"red": 40, "blue": 60, "green": 20})
    # red: 50 (.4 + .8) / 2 + 50 (.1 + .3) / 2; the others in the same way.
    assert found["attackers"] == pytest.approx({"red": 40, "blue": 10, "green": 37.5})


def test_a_goal_that_nobody_answered_counts_as_no_attack(tmp_path, capsys):
    (member, attr) = files(tmp_path, member=MEMBER, attr=",red,blue,green\nred,,0.9,0.3\n")
    found = boards(
        capsys, "two-goals", "--cells", member, "--reading", f"attr.excess_accuracy={attr}"
    )
    assert found["anonymizers"]["blue"] == pytest.approx(10)  # red guessed nine of ten
    assert found["anonymizers"]["green"] == pytest.approx(20)
    assert found["attackers"]["green"] == pytest.approx(50 * 0.3)  # nothing for the other goal


def test_a_weighted_sum_of_goals_and_an_unknown_reading(tmp_path):
    member, attr = files(tmp_path, member=MEMBER, attr=ATTR)
    formula = "0.25 * max(member.auc) + 0.75 * max(attr.excess_accuracy)"
    board = {"id": "sum", "use": "formula", "wins": "lowest", "formula": formula}
    rules = load("two-goals", overrides={"board": [board]})
    (ranked,) = rank_matrix(
        rules, rules.track[0], member, readings={"attr.excess_accuracy": attr}
    ).boards
    scores = {place.team: place.score.value for place in ranked.places}
    assert scores == pytest.approx({"blue": 0.475, "green": 0.45, "red": 0.575})
    with pytest.raises(DataError, match=r"unknown reading of guesses 'attr\.excess'; did you mean"):
        rank_matrix(rules, rules.track[0], member, readings={"attr.excess": attr})


FINDS = {
    "dataset": {"rows": 600},
    "sample": {"targets": 40, "background": 40},
    "goal": [
        {"id": "member", "use": "membership", "targets": 0.5},
        {"id": "again", "use": "membership", "targets": 0.5},
    ],
    "privacy": [
        {"goal": "member", "use": "membership-advantage"},
        {"goal": "again", "use": "membership-advantage"},
    ],
    "board": [
        {"id": "one", "use": "formula", "of": "attackers", "formula": "count(member.found_by)"},
        {"id": "sum", "use": "formula", "formula": "sum(member.found_by) + sum(again.found_by)"},
    ],
    "baseline": [
        {"id": "copy", "sanitizer": "identity", "attack": "exact-match"},
        {"id": "plain", "sanitizer": "identity", "attack": "nearest"},
    ],
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    out = tmp_path_factory.mktemp("two") / "run"
    return play(load("two-goals", overrides=FINDS), out, seed=7)


def test_who_found_which_record_is_known_for_each_goal(played):
    standings = json.loads(played.at(paths.STANDINGS).read_bytes())
    one, both = standings["tracks"]["main"]["boards"]
    found = {place["team"]: place["score"]["value"] for place in one["places"]}
    assert all(0 < count <= 20 for count in found.values())
    assert sum(place["score"]["value"] for place in both["places"]) > sum(found.values())
    assert verify(played).problems == ()


def test_the_files_of_a_round_have_the_answers_to_both_goals(played):
    names = set(round_files(played, played.edition().track[0]))
    assert {"main_truth_copy.member.csv", "main_truth_copy.again.csv", "plain.member.csv"} <= names


def test_each_goal_is_a_competition_on_codabench(played, tmp_path):
    with pytest.raises(Refused, match=r"has several goals; choose one with --goal: member, again"):
        bundle_bytes(played)
    bundle = bundle_bytes(played, goal="again")
    names = set(unpacked(bundle))
    assert {"reference_data/copy.again.csv", "starting_kit/example/plain.again.csv"} <= names
    assert not [name for name in names if name.startswith("reference_data") and "member" in name]
    answers = played.at(paths.CACHE) / "guesses/main/copy/plain.again.csv"
    done = run_scoring(bundle, {"plain.again.csv": answers.read_bytes()}, tmp_path)
    table = [row for row in (played.at(paths.MATRIX)).read_text().splitlines() if "again" in row]
    (line,) = (row for row in table if row.startswith('"main","plain","plain","copy"'))
    assert done.scores["adv_plain"] == float(line.split(",")[5])


def test_the_edition_is_short_and_its_attack_on_one_goal_leaves_the_other_out(tmp_path):
    assert len(builtin_text("two-goals").splitlines()) <= 60
    small = {"dataset": {"rows": 800}, "sample": {"targets": 60, "background": 60}}
    folder = play(load("two-goals", overrides=small), tmp_path / "run", seed=7)
    rows = [row.split(",") for row in folder.at(paths.MATRIX).read_text().splitlines()]
    by = {tuple(text.strip('"') for text in (row[1], row[3], row[4])) for row in rows}
    assert ("swap", "copy", "attr.excess_accuracy") in by
    assert ("swap", "copy", "member.auc") not in by
    assert ("swap", "noise", "member.auc") in by


def test_trips_are_released_once_and_attacked_by_name_and_by_place(tmp_path):
    small = {
        "repeats": 1,
        "dataset": {"rows": 40, "days": 6, "points": 6, "width": 8, "height": 8},
        "sample": {"days": 3, "people": 12},
    }
    whole = load("trips-both", overrides=small)
    track = whole.track[0]
    few = track.model_copy(
        update={"sanitizer": track.sanitizer[:1], "baseline": track.baseline[1:3], "utility": ()}
    )
    folder = play(whole.model_copy(update={"track": (few,)}), tmp_path / "run", seed=7)
    rows = [row.split(",") for row in folder.at(paths.MATRIX).read_text().splitlines()]
    by = {tuple(text.strip('"') for text in (row[1], row[3], row[4])) for row in rows}
    assert ("identity", "homes", "identity.people_named") in by
    assert {("identity", name, "trace.traced") for name in ("homes", "habit-trace")} <= by
    assert ("identity", "habit-trace", "identity.people_named") not in by
    assert verify(folder).problems == ()
