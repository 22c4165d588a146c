"""Faults of subgroups in an edition file: each at its line, all at once."""

import pytest

from quintain.contests import load
from quintain.errors import EditionError

HEAD = """\
include = "tiny"
id = "groups"

"""


def faults_of(tmp_path, text):
    path = tmp_path / "edition.toml"
    path.write_text(HEAD + text)
    with pytest.raises(EditionError) as caught:
        load(path)
    return {fault.line: str(fault) for fault in caught.value.faults}


def test_every_fault_of_subgroups_has_its_line(tmp_path):
    tables = [
        ('{ sexx = "Female" }', "", "have no column 'sexx'; did you mean 'sex'?"),
        ('{ sex = "Femal" }', "", "'sex' has no value 'Femal'; did you mean 'Female'?"),
        ("{ sex = { at_least = 3 } }", "", "'sex' is a category: write its values, not a range"),
        ('{ age = "old" }', "", "'age' is a number: write a number or a range"),
        ("{ age = { at_least = 500 } }", "", "nobody is in the subgroup: no 'age' is at least 500"),
        ("{ age = {} }", "", "a range needs at_least, at_most or below"),
        ("", '{ by = "age", report = "worst" }', "write the values or ranges to read"),
        ("", '{ by = "shoe", report = "mean" }', "have no column 'shoe'"),
        ("", '{ by = "sex", report = "each" }', 'report = "each" needs values'),
        ("", '{ by = "sex", report = "most" }', "'worst', 'mean' or 'each'"),
    ]
    lines, expected = [], {}
    for number, (where, split, words) in enumerate(tables):
        lines += ["[[privacy]]", 'use = "auc"', f'name = "r{number}"']
        lines.append(f"subgroup = {where}" if where else f"subgroups = {split}")
        expected[len(HEAD.splitlines()) + len(lines)] = words
    faults = faults_of(tmp_path, "\n".join(lines) + "\n")
    for line, words in expected.items():
        near = " ".join(text for at, text in faults.items() if line - 3 <= at <= line)
        assert words in near, (line, words, faults)


def test_goals_without_single_targets_have_no_subgroups(tmp_path):
    text = """\
include = "amic"
id = "groups"

[[privacy]]
use = "hit-rate"
subgroup = { sex = "Female" }
"""
    path = tmp_path / "edition.toml"
    path.write_text(text)
    with pytest.raises(EditionError) as caught:
        load(path)
    words = "goal/membership-set-v1 has no single targets to choose from; leave the subgroup out"
    assert words in {fault.message for fault in caught.value.faults}


def test_boards_can_read_the_names_of_groups(tmp_path):
    text = """\
[[privacy]]
use = "auc"
subgroups = { by = "sex", report = "each", values = ["Female", "Male"] }

[[board]]
id = "worst"
use = "formula"
formula = "1 - max(max(auc_sex_female), max(auc_sex_mal))"
"""
    faults = faults_of(tmp_path, text)
    (message,) = faults.values()
    assert "column 45: unknown reading 'auc_sex_mal'" in message
    assert list(faults) == [11]
