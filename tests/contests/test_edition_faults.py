"""Edition files: every fault at once, with its line."""

import tomllib
from contextlib import suppress
from importlib import resources
from pathlib import Path

import pytest

from quintain.contests import load
from quintain.contests.ids import reserved_id
from quintain.contests.loading.load import validate
from quintain.errors import EditionError
from quintain.rankings.rule import KnownNames
from quintain.registry import build

TEN_FAULTS = """\
format = "quintain.edition/1"
id = "Not An Id"
title = "Ten faults"
goal = { use = "membershipp" }
repeats = 0
colour = "red"

[dataset]
use = "adult"
rows = "many"

[sample]
use = "targets"
targtes = 5

[knowledge]
gives = ["base", "the answer"]

[[sanitizer]]
use = "rr"
grid = { keep = [0.5, 1.5] }

[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-02T00:00:00Z
closes = 2026-05-01T00:00:00Z

[[team]]
id = "red"

[[team]]
id = "red"

[[privacy]]
use = "auc"

[[board]]
id = "attackers"
use = "count-wins"
measure = "advantage"
"""


def faults_of(tmp_path, text):
    path = tmp_path / "edition.toml"
    path.write_text(text)
    with pytest.raises(EditionError) as caught:
        load(path)
    return caught.value.faults


def test_ten_faults_give_ten_findings_with_their_lines(tmp_path):
    faults = faults_of(tmp_path, TEN_FAULTS)
    messages = {fault.line: fault.message for fault in faults}
    assert len(faults) == 11, "\n".join(map(str, faults))
    assert "did you mean 'membership'" in messages[4]
    assert "at least 1" in messages[5]
    assert "unknown key" in messages[6]
    assert messages[10] == "expected a whole number"
    assert "did you mean 'targets'" in messages[14]
    assert "'base', 'parameters'" in messages[17]
    assert "at most 1" in messages[21]
    assert "which is not after it opens" in messages[23]
    assert "the id 'red' appears twice under [[team]]" in messages[33]
    assert "ranks by the unknown reading 'advantage'; available: auc" in messages[38]
    assert "lower-case letters" in messages[2]


def test_a_mistyped_key_at_the_top_is_answered_with_keys_of_tracks_too(tmp_path):
    (fault,) = faults_of(tmp_path, 'include = "tiny"\nid = "mine"\nprivcy = 3\n')
    assert str(fault) == "edition.toml:3 privcy: unknown key; did you mean 'privacy'?"
    (fault,) = faults_of(tmp_path, 'include = "tiny"\nid = "mine"\nzzz = 3\n')
    listed = fault.message.removeprefix("unknown key; available: ").split(", ")
    assert {"privacy", "dataset", "sanitizer", "title", "team", "include"} <= set(listed)


def test_a_mistyped_gate_is_not_taken_for_a_parameter_of_the_measure(tmp_path):
    text = 'include = "tiny"\nid = "mine"\n[[utility]]\nuse = "marginals"\nat_last = 0.5\n'
    (fault,) = faults_of(tmp_path, text)
    assert str(fault).startswith("edition.toml:5 utility.0.at_last")
    assert fault.message == "unknown parameter; did you mean 'at_least'?"


UPSIDE_DOWN = """include = "tiny"
id = "mine"
[[utility]]
use = "marginals"
at_least = 0.4
[[utility]]
use = "histogram"
gates = { histogram = { at_most = 0.5 } }
[[given]]
name = "jury"
better = "higher"
at_most = 3
[[given]]
name = "loss"
better = "lower"
at_least = 0.1
at_most = 3
[[board]]
id = "defence"
use = "defence"
measure = ["membership_advantage", "jury"]
utility = "loss"
"""


def test_gates_and_boards_that_are_upside_down_are_refused(tmp_path):
    faults = {fault.line: fault.message for fault in faults_of(tmp_path, UPSIDE_DOWN)}
    assert set(faults) == {5, 8, 12, 18, 22}
    assert faults[5].startswith("of tv1, lower is better: at_least alone would disqualify the best")
    assert faults[8].endswith("write at_least, or both bounds")
    assert faults[12].startswith("of jury, higher is better: at_most alone")
    assert "the higher it is, the better for people" in faults[18]
    assert 'with shown = "protection", higher must be better' in faults[22]


@pytest.mark.parametrize("rule", ["mean", "count-wins"])
def test_attackers_are_not_ranked_by_what_protects_people(rule):
    known = KnownNames(guesses=frozenset({"missed"}), better={"missed": "higher"})
    (fault,) = build("ranking", {"use": rule, "measure": "missed"}).faults(known)
    assert fault.message.startswith("ranks attackers with the highest 'missed' first")
    known = KnownNames(guesses=frozenset({"missed"}), better={"missed": "lower"})
    assert not [*build("ranking", {"use": rule, "measure": "missed"}).faults(known)]


def test_parts_that_are_written_as_names_are_checked_as_tables_are(tmp_path):
    text = 'include = "tiny"\nid = "mine"\nprivacy = ["auc"]\n'
    (fault,) = faults_of(tmp_path, text)
    assert fault.message.startswith("ranks by the unknown reading 'membership_advantage'")
    text = 'include = "tiny"\nid = "mine"\nsanitizer = ["lagged-gaussian"]\n'
    (fault,) = faults_of(tmp_path, text)
    assert str(fault).startswith("edition.toml:3 sanitizer.0: ")


def test_a_wrong_value_is_quoted_once(tmp_path):
    text = 'include = "tiny"\nid = "mine"\n[[sanitizer]]\nuse = "mst"\nepsilon = "one"\n'
    (fault,) = faults_of(tmp_path, text)
    assert "epsilon='one':" in str(fault)


def test_a_fault_of_an_override_is_not_blamed_on_the_file():
    with pytest.raises(EditionError) as caught:
        load("tiny", overrides={"dataset": {"rws": 5}})
    assert str(caught.value) == "overrides dataset.rws: unknown parameter; did you mean 'rows'?"


def test_a_syntax_error_names_its_line(tmp_path):
    (fault,) = faults_of(tmp_path, 'id = "x"\ntitle = \n')
    assert fault.line == 2
    assert "is not TOML" in fault.message


def test_an_unknown_edition_says_what_there_is():
    with pytest.raises(EditionError, match=r"nor a built-in edition; did you mean .tiny"):
        load("tinny")


def test_a_fault_in_an_included_file_names_that_file(tmp_path):
    (tmp_path / "base.toml").write_text(
        'include = "tiny"\n[sample]\nuse = "targets"\ntargets = 0\n'
    )
    (tmp_path / "mine.toml").write_text('include = "base.toml"\nid = "mine"\n')
    with pytest.raises(EditionError) as caught:
        load(tmp_path / "mine.toml")
    (fault,) = caught.value.faults
    assert (fault.file, fault.line) == ("base.toml", 4)


def test_an_edition_that_includes_itself_is_refused(tmp_path):
    (tmp_path / "a.toml").write_text('include = "b.toml"\n')
    (tmp_path / "b.toml").write_text('include = "a.toml"\n')
    with pytest.raises(EditionError, match="includes itself"):
        load(tmp_path / "a.toml")


def test_a_workbook_is_named_when_it_is_given_as_an_edition_file(tmp_path):
    (tmp_path / "e.xlsx").write_bytes(b"PK\x03\x04...[Content_Types].xml")
    with pytest.raises(EditionError, match=r"e\.xlsx: is an Excel workbook; expected an edition"):
        load(tmp_path / "e.xlsx")


def test_an_edition_file_that_is_not_utf8_is_refused_in_words(tmp_path):
    (tmp_path / "e.toml").write_bytes(b"id = '\xff'\n")
    with pytest.raises(EditionError, match=r"e\.toml: is not UTF-8"):
        load(tmp_path / "e.toml")


# --- ids that would share random streams ----------------------------------------------------------


@pytest.mark.parametrize("id", ["fresh", "population", "shared", "red.2"])
@pytest.mark.parametrize("kind", ["team", "baseline"])
def test_an_id_under_which_something_else_draws_is_refused(tmp_path, kind, id):
    attack = 'attack = { use = "random" }\n' if kind == "baseline" else ""
    text = f'include = "tiny"\n[[{kind}]]\nid = "{id}"\n{attack}'
    (fault,) = faults_of(tmp_path, text)
    assert (fault.line, fault.message) == (3, reserved_id(id))


@pytest.mark.parametrize("player", ["[[team]]", '[[baseline]]\nsanitizer = { use = "identity" }'])
def test_a_player_with_the_name_of_an_entry_is_refused(tmp_path, player):
    (fault,) = faults_of(tmp_path, f'include = "tiny"\n{player}\nid = "rr-keep0-9"\n{ENTRY}')
    assert fault.message == "an entry has the name 'rr-keep0-9' as well; choose another"


ENTRY = """
[[sanitizer]]
use = "rr"
name = "rr-keep0-9"
"""


def test_numbers_are_ids_like_others():
    numbers = ["3", *(f"{number:02}" for number in range(1, 100))]
    teams = load("tiny", overrides={"team": [{"id": number} for number in numbers]}).team
    assert [team.id for team in teams] == numbers


@pytest.mark.parametrize("id", ["rules", "commitments", "board.json", "events.jsonl"])
def test_a_track_that_would_lie_where_other_files_are_is_refused(tmp_path, id):
    path = tmp_path / "mine.toml"
    path.write_text(f'include = "tiny"\nid = "mine"\n[[track]]\nid = "{id}"\n')
    with pytest.raises(EditionError, match=f"the id '{id}' is the name of a file or folder"):
        load(path)


@pytest.mark.parametrize(
    "name", ["{0}.csv", "{task.__class__}.csv", "{team}.csv", "{task.csv", "}"]
)
def test_a_name_of_guesses_that_no_task_could_fill_is_refused(tmp_path, name):
    path = tmp_path / "mine.toml"
    path.write_text(f'include = "tiny"\nid = "mine"\n[files]\nguess = "{name}"\n')
    with pytest.raises(EditionError, match=r"guess may contain \{track\}, \{task\} and"):
        load(path)


def test_attackers_choose_queries_only_where_they_can_ask(tmp_path):
    text = 'include = "mico"\nid = "mine"\nmodel = { own_queries = 5 }\n'
    messages = [fault.message for fault in faults_of(tmp_path, text)]
    assert any("attackers do not see; give queries, too" in message for message in messages)
    text = """\
include = "mico-answers"
id = "mine"
model = { own_queries = 5 }
files = { guess = "queries-{task}.csv" }
"""
    (fault,) = faults_of(tmp_path, text)
    assert fault.line == 4
    assert "begins with QUERIES-, as the files of queries do" in fault.message
    text = """\
include = "mico-answers"
id = "mine"
model = { own_queries = 5 }

[[phase]]
id = "attack"
submit = "guess"
contract = { use = "hide-and-seek" }
"""
    messages = [fault.message for fault in faults_of(tmp_path, text)]
    assert any("so no attacker could ask" in message for message in messages)


ODD = (7, -1, True, 1.5, "x", [], {}, [[]], [{}], ["x"], [1], {"use": "x"}, {"use": 7}, 10**30)
"""Values that are wrong nearly everywhere in an edition."""
PLACES = (
    ("two-goals", ("goal",)),
    ("two-goals", ("goal", 0, "id")),
    ("two-goals", ("privacy", 0, "name")),
    ("two-goals", ("privacy", 0, "goal")),
    ("two-goals", ("phase", 0, "id")),
    ("darc", ("derived", 0, "name")),
    ("darc", ("derived", 0, "of")),
    ("darc", ("award", 0, "board")),
    ("jury", ("board", 0, "use")),
    ("jury", ("phase", 0, "artefact")),
    ("mico", ("model",)),
    ("mico", ("baseline", 0, "id")),
    ("recipes", ("phase", 0, "contract")),
    ("examples/own-people/cohorts.toml", ("cohorts", "names")),
    ("examples/own-people/cohorts.toml", ("board", 0, "cohort")),
)


@pytest.mark.parametrize(("name", "path"), PLACES, ids=lambda value: str(value))
def test_a_value_of_another_type_is_a_fault_and_no_crash(name, path):
    """Also where other checks look the value up by what it says."""
    bundled = resources.files("quintain.contests") / "editions" / f"{name}.toml"
    text = (Path(name) if name.endswith(".toml") else bundled).read_text("utf-8")
    refused = 0
    for odd in ODD:
        table = tomllib.loads(text)
        inner = table
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = odd
        with suppress(EditionError):
            validate(table)
            continue
        refused += 1
    assert refused >= len(ODD) - 3


@pytest.mark.parametrize("key", ["quick", "profile"])
def test_changes_that_are_no_table_are_a_fault(tmp_path, key):
    (fault,) = faults_of(tmp_path, f'include = "tiny"\nid = "mine"\n{key} = 3\n')
    assert fault.message.startswith("expected a table, [")
    assert fault.line == 3


def test_types_are_named_in_plain_words(tmp_path):
    text = """\
include = "tiny"
id = "mine"
repeats = "two"
phase = [{ id = "a", submit = "gues", opens = "tomorrow" }]
baseline = 3
"""
    sentences = [str(fault) for fault in faults_of(tmp_path, text)]
    assert sentences == [
        "edition.toml:3 repeats='two': expected a whole number",
        "edition.toml:4 phase.0.submit='gues': must be 'release' or 'guess'",
        "edition.toml:4 phase.0.opens='tomorrow': expected a time in UTC, such as "
        "2027-01-31T12:00:00Z",
        "edition.toml:5 baseline='3': expected a list",
    ]


def test_a_day_is_no_moment_and_both_ends_of_a_phase_are_named(tmp_path):
    text = """\
include = "tiny"
id = "mine"
phase = [{ id = "a", submit = "guess", opens = "2027-01-01", closes = 2027-01-31T12:00:00 }]
"""
    (sentence,) = (str(fault) for fault in faults_of(tmp_path, text))
    assert sentence.endswith(
        "write times in UTC with the hour and a Z, like 2026-05-01T12:00:00Z, not "
        "2027-01-01 00:00:00 and 2027-01-31 12:00:00"
    )


def test_a_file_may_have_the_name_of_the_edition_that_it_includes(tmp_path, monkeypatch):
    (tmp_path / "jury.toml").write_text('include = "jury"\nid = "town"\n')
    monkeypatch.chdir(tmp_path)
    assert load("jury.toml").id == "town"
    (tmp_path / "jury.toml").write_text('include = "jury.toml"\nid = "town"\n')
    with pytest.raises(EditionError, match=r"includes itself: jury.toml -> jury.toml"):
        load("jury.toml")


def test_test_records_are_in_another_file(tmp_path):
    (tmp_path / "people.csv").write_text("age,town\n30,Ulm\n40,Bonn\n")
    text = """\
include = "tiny"
id = "mine"
dataset = { use = "file", path = "people.csv", test = "people.csv" }
"""
    assert "test is the file of path; test records are further ones" in "\n".join(
        map(str, faults_of(tmp_path, text))
    )
