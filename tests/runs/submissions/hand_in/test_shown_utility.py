"""Utility that a team sees with every release it submits, where the rules show it."""

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.runs.lint import shown_utility, unread_artefacts, utility_bits
from quintain.runs.submissions.submit import submit
from tests.runs.submissions.hand_in.hand_in_cases import ARTEFACTS, OPEN, contest, edition, private

SHOWN = 'feedback = { releases = "utility", digits = 1 }\n'
ALWAYS_OPEN = ("opens = 2026-05-01T00:00:00Z\n", "closes = 2026-05-10T00:00:00Z\n")


def rules(tmp_path, text):
    (tmp_path / "e.toml").write_text(text)
    return load(tmp_path / "e.toml").track[0]


def spoiled(folder):
    """The private sample of red, with a third of its rows replaced by its first row."""
    rows = private(folder).splitlines(keepends=True)
    return b"".join([*rows[:100], *([rows[0]] * 50)])


def test_a_team_sees_the_readings_and_gates_of_its_release_at_once(tmp_path):
    folder = contest(tmp_path / "contest", edition(SHOWN))
    seen = submit(folder, "red", {"r.csv": private(folder)}, kind="release", now=OPEN)
    assert seen.examination.readings["tv1"].value == 0
    assert seen.examination.gate_failures == ()
    seen = submit(folder, "red", {"r.csv": spoiled(folder)}, kind="release", now=OPEN)
    reading = seen.examination.readings["tv1"]
    assert 0.1 < reading.value < 1 / 3
    (failure,) = seen.examination.gate_failures
    assert failure.startswith(f"tv1 is {reading.value:.4g}, must be at most 0.1")


def test_nothing_is_measured_where_the_rules_show_nothing(tmp_path):
    folder = contest(tmp_path / "contest", edition())
    seen = submit(folder, "red", {"r.csv": spoiled(folder)}, kind="release", now=OPEN)
    assert (seen.examination.readings, seen.examination.gate_failures) == ({}, ())


def test_what_rests_on_secret_records_is_rounded_and_gates_say_only_yes_or_no(tmp_path):
    folder = contest(tmp_path / "contest", edition(SHOWN + 'test_records = "secret"\n'))
    seen = submit(folder, "red", {"r.csv": spoiled(folder)}, kind="release", now=OPEN)
    reading = seen.examination.readings["tv1"]
    assert reading.value == reading.low == reading.high == round(reading.value, 1)
    assert seen.examination.gate_failures == ("tv1 fails its gate",)


def test_the_command_prints_readings_artefacts_and_gates(tmp_path, capsys):
    text = edition(SHOWN, ARTEFACTS)
    for date in ALWAYS_OPEN:
        text = text.replace(date, "")
    folder = contest(tmp_path / "contest", text)
    (tmp_path / "up").mkdir()
    (tmp_path / "up/release.csv").write_bytes(spoiled(folder))
    (tmp_path / "up/model-red.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(SystemExit) as done:
        main(["submit", str(folder.root), str(tmp_path / "up"), "--team", "red"])
    shown = capsys.readouterr()
    assert not done.value.code, shown.err
    assert "team red submitted 2 files" in shown.out
    assert "model  model-red.npz: at most 1,000 bytes, required, published with" in shown.out
    assert "(lower is better)" in shown.out
    assert "warning: would be disqualified: tv1 is" in shown.err


def test_a_check_fails_where_the_release_would_be_disqualified(tmp_path, capsys):
    text = edition(SHOWN)
    for date in ALWAYS_OPEN:
        text = text.replace(date, "")
    folder = contest(tmp_path / "contest", text)
    (tmp_path / "r.csv").write_bytes(spoiled(folder))
    with pytest.raises(SystemExit) as done:
        main(["check", str(folder.root), str(tmp_path / "r.csv"), "--team", "red"])
    shown = capsys.readouterr()
    assert done.value.code == 1
    assert "r.csv: a valid release" in shown.out
    assert "r.csv: would be disqualified: tv1 is" in shown.err


def test_lint_counts_what_readings_tell_about_secret_records(tmp_path):
    secret = SHOWN + 'test_records = "secret"\n'
    assert list(shown_utility(rules(tmp_path, edition(SHOWN)), 100)) == []
    assert list(shown_utility(rules(tmp_path, edition(secret)), 0)) == []
    (unlimited,) = shown_utility(rules(tmp_path, edition(secret)), 100)
    assert unlimited.severity == "stop"
    limited = rules(tmp_path, edition(secret, "total = 5\n"))
    assert utility_bits(limited) == 64 + 1  # any number of the computer, and one gate
    (finding,) = shown_utility(limited, 100)
    assert finding.severity == "warning"
    assert "at most 325 bits" in finding.message
    assert "100 secret records" in finding.message


def test_lint_warns_of_artefacts_that_go_to_attackers_unread(tmp_path):
    (finding,) = unread_artefacts(rules(tmp_path, edition(phase=ARTEFACTS)))
    assert "model (model-{team}.npz) goes to the attackers" in finding.message
