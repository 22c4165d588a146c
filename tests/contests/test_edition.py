"""Editions: includes, tracks, measures and their gates; the JSON Schema."""

import json
import math
import tomllib
from importlib import resources

import jsonschema
import pytest

from quintain.contests import Edition, builtin_names, load
from quintain.contests.json_schema import edition_schema
from quintain.contests.loading.load import merge
from quintain.errors import EditionError
from quintain.measures import Reading
from quintain.runs.folder.rules import read_rules


def test_include_and_overrides_make_an_edition_of_a_few_lines(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('include = "tiny"\nid = "mine"\ndataset.rows = 700\nrepeats = 3\n')
    edition, tiny = load(path), load("tiny")
    assert edition.id == "mine"
    assert edition.track[0].dataset.rows == 700
    assert edition.track[0].repeats == 3
    assert edition.track[0].sample == tiny.track[0].sample


def test_a_reading_of_several_has_a_gate_of_its_own():
    track = load("hide-and-seek", profile="compat-2020").track[0]
    (measured,) = track.utility
    assert {name: gate.bounds for name, gate in track.gates.items()} == {
        "feature_ratio": (("at most", 5.0),)
    }
    readings = {
        name: Reading(value=6, low=5, high=7, n=9, better=better)
        for name, better in measured.reads.items()
    }
    assert track.gate_failures(readings) == ["feature_ratio is 6, must be at most 5 (off by 1)"]
    again = Edition.model_validate_json(load("hide-and-seek", profile="compat-2020").to_bytes())
    assert again.track[0].utility == track.utility


@pytest.mark.parametrize(
    ("gates", "words"),
    [
        ({"skill": {"at_most": 1}}, "unknown reading .skill. to gate; did you mean .step_skill"),
        ({"step_skill": {"at_most": 0, "at_least": 1}}, "at_least 1.0 is above at_most 0.0"),
        ({"step_skill": {"at_least": math.nan}}, "every value would pass nan"),
        ({"step_skill": {"most": 0}}, "most"),
    ],
)
def test_a_gate_that_cannot_be_is_refused(gates, words):
    utility = [{"use": "skill-retention", "gates": gates}]
    with pytest.raises(EditionError, match=words):
        load("hide-and-seek", overrides={"utility": utility})


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_given_reading_is_a_finite_number(value):
    given = [{"name": "jury", "better": "higher", "values": {"identity": value}}]
    with pytest.raises(EditionError, match=r"given.0.values.identity.* must be a finite number"):
        load("tiny", overrides={"given": given})


def test_another_part_replaces_the_parameters_of_the_old_one():
    base = {"sample": {"use": "targets", "targets": 5}}
    assert merge(base, {"sample": {"use": "whole"}}) == {"sample": {"use": "whole"}}
    assert merge(base, {"sample": {"targets": 9}})["sample"] == {"use": "targets", "targets": 9}


def test_tracks_inherit_what_stands_at_the_top(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(
        'include = "tiny"\n[[track]]\nid = "one"\n[[track]]\nid = "two"\nrepeats = 2\n'
        "[track.sample]\ntargets = 10\n"
    )
    one, two = load(path).track
    assert (one.repeats, two.repeats) == (8, 2)
    assert (one.sample.targets, two.sample.targets) == (50, 10)


def test_an_attack_that_needs_what_is_not_given_is_found(tmp_path):
    path = tmp_path / "blind.toml"
    path.write_text(
        'include = "tiny"\ngoal = { use = "attribute", column = "income" }\n'
        '[[privacy]]\nuse = "auc"\n[[board]]\nid = "b"\nuse = "mean"\nmeasure = "auc"\n'
    )
    with pytest.raises(EditionError, match="exact-match-v1 cannot answer the goal"):
        load(path)


def test_a_goal_that_no_measure_of_the_edition_reads_is_a_fault_with_its_line(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('include = "tiny"\ngoal = { use = "membership-set" }\n')
    with pytest.raises(EditionError) as caught:
        load(path)
    faults = [fault for fault in caught.value.faults if "reads guesses" in fault.message]
    text = (resources.files("quintain.contests") / "editions/tiny.toml").read_text().split("\n")
    lines = [number for number, line in enumerate(text, start=1) if line == "[[privacy]]"]
    assert [(fault.file, fault.line) for fault in faults] == [("tiny.toml", n) for n in lines]
    assert faults[0].message == (
        "measure/membership-advantage-v1 reads guesses at goal/membership-v1, "
        "not at goal/membership-set-v1"
    )


@pytest.mark.parametrize(
    ("goal", "measure"),
    [
        ({"use": "membership"}, "hit-rate"),
        ({"use": "membership"}, "excess-accuracy"),
        ({"use": "attribute", "column": "income"}, "auc"),
        ({"use": "attribute", "column": "income"}, "reidentification"),
        ({"use": "membership-set"}, "membership-advantage"),
    ],
)
def test_a_measure_must_read_the_goal(goal, measure):
    with pytest.raises(EditionError, match=f"measure/{measure}-v1 reads guesses at"):
        load("tiny", overrides={"goal": goal, "privacy": [{"use": measure}]})


def test_what_is_about_privacy_is_listed_there_and_what_is_about_utility_there():
    with pytest.raises(EditionError, match=r"marginals-v1 is about utility: list it under .\[util"):
        load("tiny", overrides={"privacy": [{"use": "auc"}, {"use": "marginals"}]})
    with pytest.raises(EditionError, match=r"unicity-v1 is about privacy: list it under .\[priv"):
        load("darc", overrides={"utility": [{"use": "unicity"}]})


def test_an_edition_needs_a_measure_that_reads_guesses():
    with pytest.raises(EditionError, match="no measure reads the attackers' guesses"):
        load("darc", overrides={"privacy": [{"use": "unicity"}]})


def test_a_track_knows_what_reads_guesses_and_what_reads_releases():
    (track,) = load("darc").track
    assert [measured.name for measured in track.guess_measures] == ["reidentified"]
    ids = [measured.measure.id for measured in track.release_measures]
    assert ids[0] == "measure/shopping-utility-v1"
    assert ids[-1] == "measure/unicity-v1"
    assert len(ids) == 6


def test_a_measure_of_releases_under_privacy_can_have_a_gate():
    linked = {"use": "content-link", "gates": {"content_link": {"at_most": 0.5}}}
    reidentified = {"use": "reidentification", "name": "reidentified"}
    own = {"use": "shopping-baselines"}
    boards = [{"id": "b", "use": "mean", "measure": "reidentified"}]
    changes = {"privacy": [reidentified, own, linked], "board": boards, "award": []}
    (track,) = load("darc", overrides=changes).track
    assert list(track.gates) == ["content_link"]
    with pytest.raises(EditionError, match="leave the gate out, it is for releases"):
        load("tiny", overrides={"privacy": [{"use": "membership-advantage", "at_most": 0.5}]})


def test_a_derived_reading_is_computed_from_readings_of_releases():
    derived = [{"name": "score", "by": "mean", "of": ["reidentified", "U"]}]
    with pytest.raises(EditionError, match="unknown reading of releases 'reidentified'"):
        load("darc", overrides={"derived": derived})


@pytest.mark.parametrize("rule", ["mean", "count-wins"])
def test_attackers_are_not_ranked_by_a_reading_of_the_release(rule):
    boards = [{"id": "main", "use": rule, "measure": "tv1"}]
    message = "ranks attackers by 'tv1', which is read from releases; available: auc, "
    with pytest.raises(EditionError, match=message):
        load("tiny", overrides={"board": boards, "award": []})


def test_a_renamed_reading_keeps_its_caption():
    (first, *_) = load("darc").track[0].privacy
    assert first.caption("reidentified") == first.measure.summary()
    tiny = load("tiny").track[0]
    assert tiny.privacy[2].caption("tpr_at_fpr") == (
        "True positive rate at a false positive rate of 10 %."
    )
    assert [measured.caption(f"tv{i}") for i, measured in enumerate(tiny.utility, start=1)] == [
        "Mean distance between the distributions of single columns.",
        "Mean distance between the distributions of pairs of columns.",
    ]


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_editions_load_and_their_rules_survive_the_file(name):
    edition = load(name)
    assert read_rules(edition.to_bytes()).to_bytes() == edition.to_bytes()
    assert load(name, quick=True).id == edition.id


@pytest.fixture(scope="module")
def validator():
    """A validator of edition files, by a schema that is valid itself."""
    schema = edition_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_built_in_editions_are_valid_by_the_json_schema(name, validator):
    text = (resources.files("quintain.contests") / "editions" / f"{name}.toml").read_text()
    table = json.loads(json.dumps(tomllib.loads(text), default=str))
    assert [error.message for error in validator.iter_errors(table)] == []


def test_the_json_schema_refuses_what_is_wrong(validator):
    assert list(validator.iter_errors({"id": "x", "sample": {"use": "targets", "targtes": 1}}))
    assert list(validator.iter_errors({"id": "x", "repeats": "three"}))
    assert list(validator.iter_errors({"id": "x", "made_with": {"quick": True}}))
    assert not list(validator.iter_errors({"id": "x", "sample": {"use": "targets", "targets": 4}}))


@pytest.mark.parametrize("use", ["tpr-at-fpr", "tpr-at-fpr-v1", "measure/tpr-at-fpr-v1"])
def test_the_json_schema_takes_every_version_of_a_part(use, validator):
    assert not list(validator.iter_errors({"id": "x", "privacy": [{"use": use, "fpr": 0.2}]}))
    assert list(validator.iter_errors({"id": "x", "privacy": [{"use": use, "fpr": 2}]}))


def test_parts_for_another_kind_of_data_are_named():
    changes = {
        "goal": {"use": "linkage", "first": "2010-12", "months": 13},
        "rule": [{"use": "kept-rows"}],
    }
    with pytest.raises(EditionError) as caught:
        load("tiny", overrides=changes)
    text = str(caught.value)
    assert "goal/linkage-v1 is for transactions, not for table" in text
    assert "rule/kept-rows-v1 is for transactions, not for table" in text


def test_parts_that_refuse_the_columns_of_the_data_are_named_with_their_line(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'include = "tiny"\nid = "mine"\n\n'
        '[goal]\nuse = "attribute"\ncolumn = "wage"\n\n'
        '[[sanitizer]]\nuse = "k-anonymity"\ncolumns = ["wage"]\n\n'
        '[[utility]]\nuse = "decision-tree"\ntarget = "age"\npositive = "30"\n'
    )
    with pytest.raises(EditionError) as caught:
        load(path)
    lines = [line for line in str(caught.value).splitlines() if line.startswith("mine.toml")]
    wanted = [
        "mine.toml:4 goal: 'wage' is not a column with a finite domain or a bounded number; ",
        "mine.toml:8 sanitizer.0: sanitizer/k-anonymity-v1: unknown column 'wage'; available: ",
        "mine.toml:12 utility.0: measure/decision-tree-v1: the data have no category 'age' to ",
    ]
    assert [line[: len(words)] for line, words in zip(lines, wanted, strict=True)] == wanted


def test_two_entries_with_one_name_are_refused_with_the_line_of_the_second(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'include = "tiny"\nid = "mine"\n'
        '[[sanitizer]]\nuse = "mst"\n'
        '[[sanitizer]]\nuse = "mst"\nedges = "measured"\n'
    )
    with pytest.raises(EditionError, match="the entry 'mst' appears twice") as refusal:
        load(path)
    (fault,) = refusal.value.faults
    assert fault.line in (5, 6)
    path.write_text(path.read_text() + 'name = "mst-measured"\n')
    assert list(load(path).track[0].entries) == ["mst", "mst-measured"]


def test_a_board_can_only_follow_boards_before_it():
    boards = [
        {"id": "first", "use": "mean", "board": "second", "top": 3},
        {"id": "second", "use": "defence", "measure": "membership_advantage", "ties": ["third"]},
    ]
    with pytest.raises(EditionError) as caught:
        load("tiny", overrides={"board": boards, "award": [{"title": "Best", "board": "none"}]})
    text = str(caught.value)
    assert "unknown board 'second' among those before it; available: none" in text
    assert "unknown board 'third' among those before it; available: first" in text
    assert "unknown board 'none'; available: main/first, main/second" in text


def test_faults_come_in_the_order_of_their_lines_and_those_of_the_included_file_last(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'include = "tiny"\nrepeats = 0\ngoal = { use = "membership-set" }\n[sample]\ntargtes = 1\n'
    )
    with pytest.raises(EditionError) as caught:
        load(path)
    places = [(fault.file, fault.line) for fault in caught.value.faults]
    own = [place for place in places if place[0] == "mine.toml"]
    assert [line for _, line in own[:2]] == [2, 5]
    assert places[: len(own)] == own
