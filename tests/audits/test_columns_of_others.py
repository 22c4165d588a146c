"""Audits of functions and commands that drop and add columns, and of the texts that they get."""

import csv
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import quintain as q
from quintain.audits.everybody import audit_everybody
from quintain.cli.main import cli
from quintain.data.learning.learn import LearnedSchema
from quintain.sanitizers import adapters
from quintain.sanitizers.sanitizer import Sanitizer

PEOPLE = 60


@pytest.fixture(scope="module")
def rows():
    """The texts of a file: months, codes with zeros, decimals, words in capitals, gaps, names."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "name": [f"Ann {number * 37 % 997}" for number in range(PEOPLE)],
            "born": [f"20{10 + n % 7}-{1 + n % 12:02}" for n in rng.integers(0, 99, PEOPLE)],
            "code": [f"{n:03}" for n in rng.integers(0, 12, PEOPLE)],
            "dose": [f"{n / 10:.1f}" for n in rng.integers(0, 30, PEOPLE)],
            "agreed": rng.choice(["TRUE", "FALSE"], PEOPLE),
            "gap": rng.choice(["", "a", "NA"], PEOPLE),
            "age": rng.integers(18, 90, PEOPLE).astype(str),
        }
    )


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    rows.to_csv(path, index=False)
    return path


class Notes:
    """What a function was called with; it drops the names and months, and adds a column."""

    def __init__(self):
        self.frames = []

    def __call__(self, frame, seed):
        self.frames.append(frame)
        less = frame.drop(columns=["name", "born"]).sample(frac=1, random_state=seed)
        return less.assign(band=np.where(less["age"] > 50, "older", "younger"))


TOOL = """
import csv, sys
source, target, log = sys.argv[1:4]
rows = list(csv.DictReader(open(source, encoding="utf-8", newline="")))
with open(log, "a", encoding="utf-8") as out:
    csv.writer(out).writerows(list(row.values()) for row in rows)
for row in rows:
    del row["name"], row["born"]
    row["band"] = "older" if int(row["age"]) > 50 else "younger"
with open(target, "w", encoding="utf-8", newline="") as out:
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: sorted(row.items())))
"""


@pytest.fixture
def tool(tmp_path):
    """A command, and the file in which it notes each row that it gets."""
    (tmp_path / "tool.py").write_text(TOOL)
    log = tmp_path / "log.csv"
    return f"{sys.executable} {tmp_path / 'tool.py'} {{input}} {{output}} {log} .csv", log


@pytest.fixture
def released(rows, tmp_path):
    """The release of everybody, as a file."""
    path = tmp_path / "release.csv"
    shown = rows.assign(age=rows["age"].astype(int))
    Notes()(shown, 1).to_csv(path, index=False)
    return path


def require_texts(frames, rows):
    """Every frame has rows of the file, and their texts to the letter."""
    known = {tuple(row) for row in rows.drop(columns=["dose", "age"]).to_numpy().tolist()}
    for frame in frames:
        assert list(frame.columns) == list(rows.columns)
        assert str(frame["dose"].dtype) == "float64" and str(frame["age"].dtype) == "int64"
        texts = frame.drop(columns=["dose", "age"])
        seen = {tuple("" if pd.isna(c) else c for c in row) for row in texts.to_numpy().tolist()}
        assert seen <= known
        assert {f"{dose}" for dose in frame["dose"]} <= set(rows["dose"])


def left_out(audit):
    return {one.what: one.reason for one in audit.not_computed}


def test_everybody_with_a_function_that_drops_and_adds_columns(rows, file, released):
    call = Notes()
    audit = audit_everybody(adapters.function(call), file, released, folds=2, permutations=19)
    assert len(call.frames) == 2
    require_texts(call.frames, rows)
    assert audit.verdict == "unsafe"  # it shuffles, and no more
    assert audit.folds.attack_p[audit.folds.strongest] <= 0.05
    reasons = left_out(audit)
    assert "the release does not have it" in reasons["the column 'born'"]
    assert reasons["the column 'band'"] == "only the release has it"
    assert any("No attack looked at 1 of 6 columns" in limit for limit in audit.limits)


def test_what_only_the_release_has_is_not_called_small(file, tmp_path):
    """A function that knows nobody, but has a column that nobody can compare: cannot say."""

    def strangers(frame, seed):
        rng = np.random.default_rng(seed)
        facts = {"age": rng.integers(18, 90, 400), "payment": rng.integers(100, 999, 400)}
        return pd.DataFrame(facts)

    path = tmp_path / "release.csv"
    strangers(None, 5).to_csv(path, index=False)
    part = adapters.function(strangers)
    audit = audit_everybody(part, file, path, folds=2, permutations=19)
    assert audit.verdict == "cannot-say"
    assert any("No attack looked at 1 of 2 columns" in limit for limit in audit.limits)
    audit = q.audit_sanitizer(strangers, file, runs=20, attacks=False)
    assert audit.verdict == "cannot-say"
    assert "could compare 1 of 2 columns of the release" in audit.reasons[0]


def test_the_sanitizer_audit_of_a_function_that_drops_and_adds_columns(rows, file):
    call = Notes()
    audit = q.audit_sanitizer(call, file, runs=20)
    plain = [frame for frame in call.frames if str(frame["age"].dtype) == "int64"]
    require_texts(plain[:5], rows)
    reasons = left_out(audit.audit)
    assert "the release does not have it" in reasons["the column 'born'"]
    assert reasons["the column 'band'"] == "only the release has it"
    attacks = {finding.attack for finding in audit.readings}
    assert {"tree-ratio", "mama-mia", "shadow-trained"} <= attacks
    assert audit.verdict == "unsafe"


@pytest.mark.parametrize("verb", ["everybody", "sanitizer"])
def test_commands_get_the_texts_of_the_file(verb, rows, file, tool, released):
    text, log = tool
    more = {
        "everybody": ["--release", str(released), "--folds", "2"],
        "sanitizer": ["--runs", "10", "--no-attacks"],
    }[verb]
    done = CliRunner().invoke(cli, ["audit", verb, text, "--data", str(file), "--json", *more])
    assert done.exit_code == 0, done.output
    audit = json.loads(done.stdout)
    reasons = {one["what"]: one["reason"] for one in audit["not_computed"]}
    assert "the release does not have it" in reasons["the column 'born'"]
    assert reasons["the column 'band'"] == "only the release has it"
    seen = list(csv.reader(io.StringIO(log.read_text(encoding="utf-8"))))
    known = {tuple(row) for row in rows.to_numpy().tolist()}
    real = [tuple(row) for row in seen if tuple(row) in known]
    made_up = len(seen) - len(real)  # people who do not exist, in the game of neighbours
    assert len(real) >= PEOPLE and made_up <= (0 if verb == "everybody" else len(seen) // 10)


class Dropping(Sanitizer):
    """A registered kind of sanitizer that drops a column and adds another."""

    id = "sanitizer/dropping-v1"

    def sanitize(self, data, *, rng, noise):
        from quintain.data import Column, Schema, Table, as_table
        from quintain.releases import Release, Sanitized, Trace

        table = as_table(data).drop("age")
        columns = (*table.schema.columns, Column(name="lot", kind="integer", low=0, high=9))
        lots = rng.integers(0, 10, len(table))
        made = Table(Schema(columns=columns), {**table.columns, "lot": lots})
        return Sanitized(Release(made), Trace())


def test_parts_may_drop_and_add_columns_as_well(rows, file, tmp_path):
    path = tmp_path / "release.csv"
    table = rows.drop(columns=["name", "age"]).assign(lot=np.arange(PEOPLE) * 7 % 10)
    table.to_csv(path, index=False)
    audit = audit_everybody(Dropping(), file, path, folds=2, permutations=19)
    assert left_out(audit)["the column 'lot'"] == "only the release has it"
    with pytest.warns(LearnedSchema, match="not published: name"):
        audit = q.audit_sanitizer(Dropping(), file, runs=20)
    assert "the release does not have it" in left_out(audit.audit)["the column 'age'"]
    assert left_out(audit.audit)["the column 'lot'"] == "only the release has it"


def test_a_constant_release_is_not_blamed_for_domains_that_we_learned(file):
    """A function that looks at nobody gives nothing away, whatever a new person does to bounds."""

    def constant(frame):
        return pd.DataFrame({"age": [40, 50] * 30, "dose": [1.5] * 60})

    audit = q.audit_sanitizer(constant, file, runs=60, attacks=False)
    deciding = [bound.bound.value for bound in audit.settings[0].bounds if bound.decides]
    assert deciding and max(deciding) == 0.0


def test_names_that_are_released_are_not_overlooked(file):
    def names(frame):
        return frame[["name", "agreed"]].sample(frac=1, random_state=1)

    audit = q.audit_sanitizer(names, file, runs=20, attacks=False)
    assert audit.verdict in ("unsafe", "cannot-say")
    assert "it is not an attribute" in left_out(audit.audit)["the column 'name'"]


def test_sanitizing_gives_a_function_the_same_frame(rows, file):
    call = Notes()
    with pytest.warns(LearnedSchema) as caught:
        release = q.sanitize(call, file, seed=1)
    assert not any("not published" in str(one.message) for one in caught)
    require_texts(call.frames, rows)
    assert "band" in release.data.schema and "born" not in release.data.schema
