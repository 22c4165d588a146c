"""A gate over two readings: judge, team, kit, lint, the guide's trial and every text know it."""

import itertools
import math

import pytest

from quintain.cli.main import main
from quintain.contests import Track, load
from quintain.contests.words import gate_lines
from quintain.errors import EditionError
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.kit import kit_bytes
from quintain.measures import Reading
from quintain.randomness.seeds import SeedTree
from quintain.rankings import Entry, Results
from quintain.runs.lint import open_gates, utility_bits
from quintain.runs.organising.amend import amend
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.report.section import RunFacts, section
from quintain.runs.score import measure_releases, score
from quintain.runs.submissions.submit import has_own_gates, submit
from quintain.runs.trials import try_sanitizers
from quintain.runs.verification.verify import verify
from tests.contest_folders import written
from tests.kit.conftest import unpacked
from tests.runs.submissions.test_numbered_releases import EDITION, OPEN, OVER, numbered

FORMULA = "equal_cells - tv2"
GATE = f"""
[[utility]]
use = "equal-cells"

[[utility]]
use = "marginals"
ways = 2

[[derived]]
name = "kept"
formula = "{FORMULA}"
better = "higher"
at_least = 0.1
"""
TEAMS = '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'
RULES = EDITION + GATE + TEAMS
WHOLE = [(row, row) for row in range(60)]
FEW = WHOLE[:6]


def rules(tmp_path, text=RULES, **changes):
    (tmp_path / "rules.toml").write_text(text)
    return load(tmp_path / "rules.toml", overrides=changes)


def derived(**gate):
    return [{"name": "kept", "formula": FORMULA, "better": "higher", **gate}]


@pytest.fixture
def contest(tmp_path):
    return written(tmp_path / "contest", RULES)


def exact(value, better="higher"):
    return Reading.exact(value, 1, better)


def test_every_reading_of_releases_has_its_gate_in_one_place(tmp_path):
    given = [{"name": "jury", "better": "higher", "at_least": 3}]
    both = [*derived(at_least=0.1), {"name": "all", "by": "min", "of": ["kept", "jury"]}]
    both[-1]["at_least"] = 0
    utility = [{"use": "equal-cells"}, {"use": "marginals", "ways": 2, "at_most": 0.5}]
    (track,) = rules(tmp_path, utility=utility, given=given, derived=both).track
    assert list(track.gates) == ["tv2", "jury", "kept", "all"]
    assert list(track.measured_gates) == ["tv2", "kept"]
    assert track.rests_on("all") == {"equal_cells", "tv2", "jury"}


def test_the_judge_disqualifies_by_it_and_anybody_can_verify_that(contest):
    # ``numbered`` writes records of red, so what blue hands in has nothing of its own sample.
    for team in ("red", "blue"):
        submit(contest, team, {"r.csv": numbered(contest, WHOLE)}, kind="release", now=OPEN)
    hand_over(contest, now=OVER)
    faults = {
        entry.id: entry.faults for entry in measure_releases(contest, contest.edition().track[0])
    }
    (fault,) = faults["blue"]
    assert fault.startswith("kept is -0.") and "must be at least 0.1" in fault
    assert faults["red"] == ()
    score(contest, now=OVER)
    assert verify(contest).problems == ()


def test_a_team_checks_it_before_it_hands_in(tmp_path, capsys):
    text = "\n".join(
        line for line in RULES.splitlines() if not line.startswith(("opens", "closes"))
    )
    folder = written(tmp_path / "contest", text)
    track = folder.edition().track[0]
    assert has_own_gates(track)
    (tmp_path / "r.csv").write_bytes(numbered(folder, FEW))
    for name, content in unpacked(kit_bytes(folder, "red")).items():
        target = tmp_path / "kit" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    with pytest.raises(SystemExit) as done:
        main(
            [
                "check",
                str(tmp_path / "kit"),
                str(tmp_path / "r.csv"),
                "--team",
                "red",
                "--kind",
                "release",
            ]
        )
    assert done.value.code == 1
    assert "would be disqualified: kept is -0." in capsys.readouterr().err
    # Where the rules show no utility, a team sees the gate and what it rests on, and no more.
    seen = submit(folder, "red", {"r.csv": numbered(folder, FEW)}, kind="release", gates=True)
    assert set(seen.examination.readings) == {"kept", "equal_cells", "tv2"}
    assert len(seen.examination.gate_failures) == 1


def test_a_team_hears_only_yes_or_no_where_test_records_are_secret(tmp_path):
    shown = 'test_records = "secret"\nfeedback = { releases = "utility", digits = 1 }\n'
    folder = written(tmp_path / "contest", shown + RULES)
    files = {"r.csv": numbered(folder, FEW)}
    seen = submit(folder, "red", files, kind="release", now=OPEN)
    assert seen.examination.gate_failures == ("kept fails its gate",)
    without = rules(tmp_path, shown + RULES, derived=derived()).track[0]
    assert utility_bits(folder.edition().track[0]) == utility_bits(without) + 1


@pytest.mark.parametrize(
    ("gate", "found"),
    [
        ({"at_least": 0.1}, []),
        ({"at_least": -1}, ["open-gates"]),
        ({"at_least": 2}, ["closed-gates"]),
    ],
)
def test_lint_tries_it_with_noise_and_with_the_private_data(tmp_path, gate, found):
    (track,) = rules(tmp_path, derived=derived(**gate)).track
    base = track.dataset.data(SeedTree.from_int(1).rng("base"))
    private = track.sample.draw(base, rng=SeedTree.from_int(1).rng("sample")).private
    findings = list(open_gates(track, private, None, SeedTree.from_int(1)))
    assert [finding.check for finding in findings] == found


def test_the_trial_of_the_guide_says_who_fails_it(tmp_path):
    sanitizers = [{"use": "identity"}, {"use": "rr", "keep": 0.1, "name": "noise"}]
    (track,) = rules(tmp_path, sanitizer=sanitizers).track
    trials = {trial.name: trial.failures for trial in try_sanitizers(track)}
    assert trials["identity"] == ()
    assert trials["noise"][0].startswith("kept is ")


def test_kit_codabench_and_rules_say_it_in_words(contest):
    (line,) = gate_lines(contest.edition().track[0])
    assert line == f"kept must be at least 0.1: kept is computed: {FORMULA}."
    assert line in unpacked(kit_bytes(contest))["README.md"].decode()
    pages = unpacked(bundle_bytes(contest))
    assert any(line in page.decode() for name, page in pages.items() if name.endswith(".md"))


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ({"at_most": 0.1}, "at_most alone would disqualify the best releases"),
        ({"at_least": 1, "at_most": 0}, "at_least 1.0 is above at_most 0.0"),
        ({"at_least": math.nan}, "every value would pass nan"),
    ],
)
def test_a_gate_that_is_upside_down_or_impossible_is_refused(tmp_path, gate, words):
    with pytest.raises(EditionError, match=words):
        rules(tmp_path, derived=derived(**gate))


def outside(tmp_path) -> Track:
    """A track with a gate on what a jury gives, less a measured reading."""
    given = [{"name": "jury", "better": "higher", "at_least": 3}]
    rest = [{"name": "points", "formula": "jury - tv2", "better": "higher", "at_least": 4}]
    (track,) = rules(tmp_path, given=given, derived=rest).track
    return track


@pytest.mark.parametrize(
    ("jury", "tv2", "failed"),
    [
        (None, 0.5, []),  # nobody has given it yet
        (5, 0.5, []),
        (2, 0.5, ["jury", "points"]),
        (3.5, 0.5, ["points"]),
        (5, None, ["points"]),  # what could not be measured passes no gate
    ],
)
def test_what_nobody_has_given_yet_fails_no_gate(tmp_path, jury, tv2, failed):
    track = outside(tmp_path)
    values = {"equal_cells": exact(1), "tv2": exact(tv2, "lower") if tv2 else None}
    values["jury"] = exact(jury) if jury else None
    missing = Reading.missing("higher", "not there")
    readings = track.with_derived({name: value or missing for name, value in values.items()})
    assert list(track.failed_gates(readings)) == failed
    assert track.measured_gates == {}
    assert not has_own_gates(track)


@pytest.mark.parametrize(("jury", "shown"), [(None, [None, None]), (3.5, [True, False])])
def test_the_report_asks_no_gate_before_the_jury_has_spoken(tmp_path, jury, shown):
    track = outside(tmp_path)
    values = {"equal_cells": exact(1), "tv2": exact(0.5, "lower")}
    values["jury"] = exact(jury) if jury else Reading.missing("higher", "not given yet")
    entry = Entry("r", readings=track.with_derived(values))
    fresh = {name: values[name] for name in ("equal_cells", "tv2")}
    results = Results((entry,), (), {}, fresh=fresh)
    page = section(track, results, RunFacts(), 1, "Main")
    assert [utility.name for utility in page.utilities][-2:] == ["jury", "points"]
    assert [passed for _, passed in page.lines[0].utility][-2:] == shown
    assert [passed for _, passed in page.fresh] == [None] * 4


def test_a_new_gate_on_a_derived_reading_judges_releases_anew(contest, tmp_path):
    submit(contest, "red", {"r.csv": numbered(contest, WHOLE)}, kind="release", now=OPEN)
    hand_over(contest, now=OVER)
    stricter = rules(tmp_path, derived=derived(at_least=0.2))
    assert amend(contest, stricter, "Stricter.", now=OVER).judged_anew == ("main",)
    (line,) = itertools.islice(gate_lines(contest.edition().track[0]), 1)
    assert "at least 0.2" in line
