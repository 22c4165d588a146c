"""Every goal in a notebook: asked about data frames, answered by an attack, and measured."""

from typing import get_args

import numpy as np
import pandas as pd
import pytest

import quintain as q
from quintain.api.questions import GoalName
from quintain.cli.main import main
from quintain.errors import DataError, KnowledgeError, PartError
from quintain.testing import example

rng = np.random.default_rng(5)
PEOPLE = pd.DataFrame(
    {
        "age": rng.integers(18, 90, 120),
        "pay": rng.integers(0, 500, 120),
        "town": rng.choice(["york", "bath", "hull"], 120),
        "ill": rng.choice(["no", "yes"], 120),
    }
)
PRIVATE, CONTROL = PEOPLE.head(60), PEOPLE.tail(60)
TARGETS = pd.concat([PRIVATE.head(20), CONTROL.head(20)])
MEMBERS = [True] * 20 + [False] * 20


def test_every_goal_can_be_named():
    assert set(get_args(GoalName)) == set(q.parts("goal")) - {"none"}, "nobody asks nothing"


def test_membership():
    guess = q.attack("nearest", PRIVATE, targets=TARGETS, goal="membership", seed=0)
    assert q.measure("auc", guess, MEMBERS)["auc"].value == 1


def test_membership_set():
    goal = q.guesses.MembershipSet(guesses=30)
    guess = q.attack("nearest", PRIVATE, population=PEOPLE, goal=goal, seed=0)
    assert set(guess.to_pandas()["row"]) <= set(range(60))
    assert q.measure("hit-rate", guess, [True] * 60 + [False] * 60)["hit_rate"].value == 1
    with pytest.raises(PartError, match="true or false, one per record of the population"):
        q.measure("hit-rate", guess, list(range(60)))


def test_attribute():
    known = TARGETS.drop(columns="ill")
    guess = q.attack("nearest", PRIVATE, targets=known, secret="ill", seed=0)
    assert list(guess.to_pandas()["ill"][:20]) == list(PRIVATE["ill"][:20])
    readings = q.measure("excess-accuracy", guess, TARGETS, members=MEMBERS)
    assert readings["excess_accuracy"].value > 0
    with pytest.raises(PartError, match="give members="):
        q.measure("excess-accuracy", guess, TARGETS)


def test_hidden_columns():
    known = PRIVATE[["age", "pay"]]
    guess = q.attack("majority-given-known", PRIVATE, targets=known, secret=["ill", "town"], seed=0)
    assert list(guess.to_pandas().columns) == ["target", "ill", "town"]
    readings = q.measure("cells-found", guess, PRIVATE)
    assert next(iter(readings.values())).value > 0.9
    by_goal = q.guesses.HiddenColumns(columns=("ill", "town"), knows=("age", "pay"))
    again = q.attack("majority-given-known", PRIVATE, targets=known, goal=by_goal, seed=0)
    assert again.table.equals(guess.table)


def test_reconstruction():
    known = TARGETS[["age", "pay"]]
    asked = {"targets": known, "secret": ["ill", "town"], "goal": "reconstruction", "seed": 0}
    guess = q.attack("nearest", PRIVATE, **asked)
    readings = q.measure("cells-exact", guess, TARGETS, members=MEMBERS)
    assert readings["exact_members"].value > 0.9
    assert readings["exact_memorised"].low > 0.2


def test_published_row():
    guess = q.attack("row-linkage", PRIVATE, targets=PRIVATE[["age", "pay"]], known=["age", "pay"])
    assert q.measure("rows-found", guess, list(range(60)))["rows_found"].value > 0.9


def test_linkability():
    left, right = TARGETS[["age", "pay"]], TARGETS[["town", "ill"]]
    order = np.random.default_rng(1).permutation(len(TARGETS))
    guess = q.attack("half-linkage", PRIVATE, targets=(left, right.iloc[order]), seed=0)
    halves = np.argsort(order)
    readings = q.measure("halves-linked", guess, halves, members=MEMBERS)
    assert list(guess.to_pandas().columns) == ["target", "half"]
    assert next(iter(readings.values())).n > 0
    with pytest.raises(PartError, match="give members="):
        q.measure("halves-linked", guess, halves)


def test_people_and_places_of_trajectories():
    traces = example("trajectories", rows=800)
    first_days = traces.times() < traces.times().min() + 2 * 86_400
    known, later = traces.keep(first_days), traces.keep(~first_days)
    guess = q.attack("visit-likelihood", later, targets=known, goal="pseudonym", seed=0)
    assert q.measure("people-named", guess, list(range(len(traces))))["people_named"].value > 0.8
    places = q.attack("habit-trace", later, targets=known, seed=0)
    assert list(places.to_pandas().columns) == ["target", "time", "x", "y"]
    assert len(places.table) == int(later.offsets[-1])


def test_singling_out():
    goal = q.guesses.SinglingOut(predicates=10)
    guess = q.attack("row-predicates", PRIVATE, goal=goal, seed=0)
    assert set(guess.to_pandas()["predicate"]) == set(range(10))
    schema = q.learn_schema(PEOPLE).schema
    inside = [True] * 60 + [False] * 60
    readings = q.measure("isolation", guess, PEOPLE, members=inside, schema=schema)
    assert readings["isolated"].value > 0.5
    with pytest.raises(PartError, match="give its records as the truth"):
        q.measure("isolation", guess, PEOPLE)


def test_linkage():
    shop = example("transactions")
    release = q.sanitize("pseudonyms", shop, seed=0)
    guess = q.attack("profile-assignment", release, population=shop, seed=0)
    frame = guess.to_pandas()
    assert len(frame) == len(shop.persons())
    assert frame.shape[1] > 2
    goal = q.guesses.Linkage(first=frame.columns[1], months=1)
    short = q.attack("profile-assignment", release, population=shop, goal=goal, seed=0)
    assert list(short.to_pandas().columns) == list(frame.columns[:2])
    assert q.measure("reidentification", guess, frame)["reid"].value > 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"goal": "memberships", "targets": TARGETS}, "did you mean 'membership'"),
        ({}, "membership asks about targets: give targets="),
        ({"goal": "attribute", "targets": TARGETS}, "infers a column: name it in secret="),
        ({"targets": TARGETS, "known": ["age"]}, "known= is for secrets and published rows"),
        (
            {"targets": TARGETS, "goal": "membership", "secret": "ill", "known": ["age"]},
            "secret= names the column to infer.*\nknown= is for secrets",
        ),
        ({"goal": "attribute", "targets": TARGETS, "secret": ["ill", "age"]}, "hidden-columns"),
        ({"goal": "linkability", "targets": TARGETS}, r"give targets=\(left, right\)"),
        (
            {"goal": "linkability", "targets": (TARGETS[["age"]], TARGETS[["age", "ill"]].head(3))},
            "in both halves of the targets: age\n.*the left one has 40 rows and the right one 3",
        ),
        ({"goal": "membership-set", "targets": TARGETS}, "leave targets= out\n.*give population="),
        ({"goal": "linkage", "population": PEOPLE}, "linkage is about transactions"),
        (
            {"goal": q.guesses.Attribute(column="ill"), "targets": TARGETS, "secret": "ill"},
            "leave secret= and known= out",
        ),
        (
            {"targets": TARGETS, "secret": "il", "known": ["agee"]},
            "to infer 'il'; did you mean 'ill'.*\nunknown column to know 'agee'",
        ),
    ],
)
def test_faults_are_named_all_at_once(given, words):
    with pytest.raises(KnowledgeError, match=words):
        q.attack("random", PRIVATE, **given, seed=0)


def test_targets_that_lack_a_known_column_are_refused():
    with pytest.raises(DataError, match="the targets lack this column of the release"):
        q.attack("nearest", PRIVATE, targets=TARGETS.drop(columns="town"), secret="ill")


def quintain(*words):
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in words])
    return done.value.code


def test_the_command_line_asks_the_same_questions(tmp_path, capsys):
    files = {
        "release": PRIVATE,
        "all": PEOPLE,
        "left": TARGETS[["age", "pay"]],
        "right": TARGETS[["town", "ill"]],
        "known": TARGETS[["age", "pay"]],
    }
    for name, frame in files.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)

    def attack(*words):
        out = tmp_path / "guess.csv"
        command = ["attack", tmp_path / "release.csv", "--out", out, "--replace", "--with"]
        named = [tmp_path / word if str(word).endswith(".csv") else word for word in words]
        assert quintain(*command, *named) == 0, capsys.readouterr().err
        return pd.read_csv(out)

    rows = attack(
        "nearest", "--population", "all.csv", "--goal", "membership-set", "--goal-set", "guesses=20"
    )
    assert list(rows.columns) == ["row"] and len(rows) == 20
    halves = attack("half-linkage", "--targets", "left.csv", "--right", "right.csv")
    assert list(halves.columns) == ["target", "half"] and len(halves) == 40
    described = attack("row-predicates", "--goal", "singling-out", "--goal-set", "predicates=7")
    assert set(described["predicate"]) == set(range(7))
    hidden = attack("nearest", "--targets", "known.csv", "--secret", "town,ill", "--knows", "age")
    assert list(hidden.columns) == ["target", "town", "ill"]
    refused = ["attack", tmp_path / "release.csv", "--out", tmp_path / "x", "--with", "nearest"]
    assert quintain(*refused, "--goal-set", "guesses=3", "--targets", tmp_path / "left.csv") != 0
    assert "--goal-set: only for a goal: add --goal" in capsys.readouterr().err
