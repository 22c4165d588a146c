"""The benchmark of blind cases: a case can be audited, and misses and false alarms are counted."""

from collections import Counter

import numpy as np
import pytest
from benchmarks.audit import blind_truth_table
from benchmarks.audit.blind_kinds import KINDS

from quintain.errors import QuintainError

SMALL = "hospital_twelve_people"


def test_every_kind_says_why_and_which_verdicts_are_right():
    assert len(KINDS) == 83
    for name, kind in KINDS.items():
        assert kind.truth.endswith("."), name
        assert set(kind.right) <= set(blind_truth_table.VERDICTS), name


def test_a_case_stays_what_it_is():
    # Figures of one version of the audit can be compared with those of another only if it does.
    case = KINDS[SMALL].make(np.random.default_rng([1, 7]))
    assert case.original["cost"][:3] == [2610.57, 5851.73, 4213.52]
    assert case.control["diagnosis"][:3] == ["G48.8", "L11.1", "I08.8"]


@pytest.mark.slow
def test_a_kept_outcome_is_not_computed_again(tmp_path, monkeypatch):
    blind_truth_table.audit(SMALL, 1, tmp_path)
    counts = blind_truth_table.count_outcomes([SMALL], [1], tmp_path)
    assert counts == {SMALL: Counter(["cannot-say"])}
    monkeypatch.setattr(blind_truth_table, "judge", None)
    blind_truth_table.audit(SMALL, 1, tmp_path)


def test_a_refusal_is_an_outcome(tmp_path, monkeypatch):
    def refuse(*paths):
        raise QuintainError("there is no column that the audit can compare")

    monkeypatch.setattr(blind_truth_table, "audit_release", refuse)
    blind_truth_table.audit(SMALL, 1, tmp_path)
    outcomes = blind_truth_table.count_outcomes([SMALL], [1], tmp_path)
    assert outcomes == {SMALL: Counter(["refused"])}
    assert f"| {SMALL} | cannot-say | 1 of 1 | 0 | 0 | 0 | 0 | 1 |" in [
        *blind_truth_table.lines(outcomes)
    ]


def test_misses_and_false_alarms_have_exact_intervals():
    outcomes = {
        "labs_narrow_kernel": Counter({"unsafe": 7, "nothing-found": 2, "cannot-say": 1}),
        "labs_mixture_of_25": Counter({"nothing-found": 10}),  # any answer is right
        "adult_strangers": Counter({"nothing-found": 9, "some-leakage": 1}),
        "labs_mixture_of_both": Counter({"refused": 10}),  # an alarm would be right, too
    }
    *_, wrong, missed, open_, alarms = blind_truth_table.lines(outcomes)
    assert wrong.startswith("- Wrong: 4 of 40 audits, 10.0% [2.8%, 23.7%]: ")
    assert missed == "- Missed: 2 of 10 audits, 20.0% [2.5%, 55.6%]: labs_narrow_kernel (2)"
    assert open_.startswith("- Not judged, though unsafe: 1 of 10 audits, 10.0% [0.3%, 44.5%]")
    assert alarms == "- False alarms: 1 of 10 audits, 10.0% [0.3%, 44.5%]: adult_strangers (1)"


def test_kinds_on_adult_are_skipped_without_its_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUINTAIN_DATA", str(tmp_path))
    command = ["blind_truth_table", "--seeds", "1", "--folder", str(tmp_path)]
    monkeypatch.setattr("sys.argv", [*command, "--kinds", "adult_strangers"])
    blind_truth_table.main()
    said = capsys.readouterr()
    assert "Kinds skipped: 1." in said.err
    assert "adult_strangers" not in said.out
