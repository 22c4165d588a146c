"""Lint: every fault that a real contest had is found before the launch."""

import re

import numpy as np
import pytest

from quintain.contests import load
from quintain.contests.edition import KnowledgeGiven
from quintain.data import as_table
from quintain.randomness.seeds import SeedTree
from quintain.runs import lint
from quintain.runs.lint import (
    independent_release,
    known_answers,
    linked_targets,
    lint_edition,
    lint_folder,
    open_commitments,
    published_truths,
    too_many_rows,
    wrong_numbers,
)
from quintain.samples.targets import Targets
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.synthetic.independent import Independent
from quintain.testing import example_table
from tests.contest_folders import SMALL

HISTORIC = {"dataset": {"rows": 3000}, "sample": {"targets": 10, "fill_to": 1000}}
SEEDS = SeedTree.from_int(1)
RELEASING = [{"id": "make", "submit": "release"}, {"id": "attack", "submit": "guess"}]


def tiny(**changes):
    return load("tiny", overrides={**SMALL, **changes})


def checks(findings):
    return [finding.check for finding in findings]


def test_a_sound_edition_has_no_findings():
    assert list(lint_edition(tiny())) == []


def test_hashes_without_salt_are_found_and_priced():
    edition = load("snake1-historic", overrides=HISTORIC)
    (finding,) = open_commitments(edition, edition.track[0], labels=100)
    assert finding.cost.startswith("96 bits for 100 labels; with a guess that is 4 labels off")
    assert list(open_commitments(tiny(), tiny().track[0], labels=100)) == []


def test_targets_that_are_there_twice_are_found():
    table = example_table(rows=300, seed=1)
    rng = np.random.default_rng(0)
    table = table.replace({"size": rng.integers(12, size=300)})
    doubled = table.concat(table.replace({"home": table.columns["home"] + 1000}))
    design = Targets(targets=20, unit="household", min_unit_size=2, background=50)
    sample = design.draw(doubled, rng=rng)
    track = tiny().track[0]
    (finding,) = linked_targets(track, sample)
    assert "20 of 20 targets" in finding.message


@pytest.mark.real_data
def test_the_households_of_snake_are_found_and_the_default_removes_them(real_data):
    from quintain.data.sources.cps import Cps

    design = Targets(targets=100, unit="household", min_unit_size=5, background=1000)
    track = tiny().track[0]
    historic = design.draw(Cps(real=True, duplicates="keep").load(), rng=np.random.default_rng(0))
    assert checks(linked_targets(track, historic)) == ["linked-targets"]
    default = design.draw(Cps(real=True).load(), rng=np.random.default_rng(0))
    assert checks(linked_targets(track, default)) == []


class Deaf(Independent):
    """Ignores its input, as a model that was hardly trained does."""

    def fit(self, data, *, rng, noise):
        return super().fit(data.take(np.zeros(1, int)), rng=rng, noise=noise)


def test_a_release_that_does_not_depend_on_its_input_is_found():
    table = example_table(rows=2000)
    sample = Targets(targets=10, background=1900).draw(table, rng=np.random.default_rng(0))
    assert len(as_table(sample.private)) > 1900
    track = tiny().track[0]
    deaf = Deaf(epsilon=0.01, rows=1000)
    (finding,) = independent_release(track, "deaf", deaf, sample, SEEDS, {})
    assert "deaf hardly depends on its input" in finding.message
    for sound in (Identity(), Independent(epsilon=10.0)):
        assert list(independent_release(track, "sound", sound, sample, SEEDS, {})) == []


def test_a_sanitizer_that_crashes_is_found_with_the_place():
    class Broken(Identity):
        def sanitize(self, data, *, rng, noise):
            raise KeyError("smell")

    sample = Targets(targets=10, background=90).draw(example_table(), rng=np.random.default_rng(0))
    (finding,) = independent_release(tiny().track[0], "broken", Broken(), sample, SEEDS, {})
    assert (
        "broken cannot be made: sanitizer/identity-v1 failed: KeyError: 'smell'" in finding.message
    )
    assert "test_lint.py" in finding.message


def test_a_larger_budget_needs_no_trial_where_a_smaller_one_shows_the_data(monkeypatch):
    trials = []
    shown = lint.shown_share

    def counted(sanitizer, *known):
        trials.append(sanitizer.spec().get("epsilon"))
        return shown(sanitizer, *known)

    monkeypatch.setattr(lint, "shown_share", counted)
    list(lint_edition(tiny()))
    # The entries are identity, rr twice, and independent with epsilon 1 and 100.
    assert trials.count(1.0) == 1 and trials.count(100.0) == 0 and trials.count(None) == 3


def test_the_gate_of_2020_lets_random_numbers_through():
    small = {"dataset": {"rows": 300}}
    edition = load("hide-and-seek", profile="compat-2020", overrides=small)
    *friends, gates = lint_edition(edition)
    assert [(f.severity, f.check) for f in friends] == [("warning", "accomplices")] * 2
    assert (gates.severity, gates.check) == ("stop", "open-gates")
    skill = [{"use": "skill-retention", "gates": {"feature_skill": {"at_least": 0.3}}}]
    assert not list(lint_edition(load("hide-and-seek", overrides={**small, "utility": skill})))


@pytest.mark.parametrize(("bound", "stops"), [(0.1, []), (0.9, ["open-gates"])])
def test_a_gate_for_tables_is_tried_with_random_values(bound, stops):
    utility = [{"use": "marginals", "ways": 2, "at_most": bound}]
    findings = list(lint_edition(tiny(utility=utility)))
    assert checks(findings) == stops
    for finding in findings:
        assert re.search(r"for noise, tv2 is 0\.\d+: set a gate that it fails", finding.cost)


@pytest.mark.parametrize(("least", "found"), [(1, []), (90, ["strict-rules"])])
def test_a_rule_that_the_private_data_break_is_a_warning(least, found):
    edition = load("two-goals", overrides={"rule": [{"use": "rows", "least": least}]})
    private = example_table(rows=80)
    findings = list(lint.strict_rules(edition.track[0], private))
    assert checks(findings) == found
    assert not any("at least 90" not in finding.message for finding in findings)
    assert not any(finding.severity == "stop" for finding in findings)


def test_a_gate_that_a_copy_and_noise_fail_is_closed():
    utility = [{"use": "marginals", "ways": 1, "at_most": -1}]
    (finding,) = lint_edition(tiny(utility=utility))
    assert (finding.severity, finding.check) == ("stop", "closed-gates")
    assert "tv1 is 0, must be at most -1 (off by 1)" in finding.message
    # A gate against copies is one that noise passes, and so may a release.
    utility = [{"use": "marginals", "ways": 1, "at_least": 0.001, "at_most": 1}]
    assert "closed-gates" not in checks(lint_edition(tiny(utility=utility)))


def test_a_gate_between_a_copy_and_noise_is_open_for_what_is_between():
    utility = [{"use": "marginals", "ways": 1, "at_least": 0.001, "at_most": 0.05}]
    assert "closed-gates" not in checks(lint_edition(tiny(utility=utility)))
    utility = [{"use": "marginals", "ways": 1, "at_least": -9, "at_most": -1}]
    assert "closed-gates" in checks(lint_edition(tiny(utility=utility)))


def test_a_gate_that_no_release_can_pass_is_found(tmp_path):
    people = "".join(f"{20 + i % 50},{('yes', 'no')[i % 3 == 0]}\n" for i in range(300))
    (tmp_path / "people.csv").write_text(f"age,smokes\n{people}")
    (tmp_path / "mine.toml").write_text(MODELS)
    findings = {finding.check: finding for finding in lint_edition(load(tmp_path / "mine.toml"))}
    found = findings["closed-gates"]
    assert found.severity == "stop"
    assert "accuracy cannot be measured: there are no test records" in found.message
    assert 'test = "more.csv"' in found.cost
    with_test = {"dataset": {"test": "more.csv"}}
    (tmp_path / "more.csv").write_text(f"age,smokes\n{people[:900]}")
    edition = load(tmp_path / "mine.toml", overrides=with_test)
    assert "closed-gates" not in checks(lint_edition(edition))


MODELS = """\
include = "mico"
id = "mine"
model = { label = "smokes" }
sample = { targets = 40, background = 100 }
dataset = { use = "file", path = "people.csv" }
sanitizer = []
baseline = [{ id = "one", sanitizer = { use = "train-logistic", label = "smokes" } }]
privacy = [{ use = "auc" }]
"""


def test_public_seeds_are_found(live):
    assert "public-seeds" in checks(lint_folder(live))


def test_a_truth_in_a_public_place_is_found(live):
    assert list(published_truths(live)) == []
    truth = next(live.root.glob("secret/main/tasks/*/truth.csv"))
    (live.root / "public/solution.txt").write_bytes(b"for testers\n" + truth.read_bytes())
    (finding,) = published_truths(live)
    assert "public/solution.txt has the content of secret/main/tasks/" in finding.message


def test_answers_that_attackers_can_look_up_in_the_population_are_found():
    goal = {"goal": {"use": "linkability", "left": ["age"], "right": ["sex", "income"]}}
    measured = {"privacy": [{"use": "halves-linked"}], "baseline": []}
    board = {"board": [{"id": "b", "use": "mean", "measure": "linked_excess"}]}
    (track,) = tiny(**goal, **measured, **board).track
    (finding,) = known_answers(track)
    assert (finding.severity, finding.check) == ("warning", "known-answers")
    assert "the population, which has the answers to goal/linkability-v1" in finding.message
    hidden = track.model_copy(update={"knowledge": KnowledgeGiven(gives=("claim",))})
    assert list(known_answers(hidden)) == []
    assert list(known_answers(tiny().track[0])) == []


@pytest.mark.parametrize(
    ("utility", "severities"),
    [
        ([{"use": "marginals", "ways": 2, "at_most": 0.1}], ["stop"]),
        ([{"use": "equal-cells"}], ["warning"]),
        ([{"use": "equal-cells", "at_least": 0.95}], []),
    ],
)
def test_private_data_with_the_numbers_of_other_rows_are_tried(utility, severities):
    rows = {"goal": {"use": "published-row"}, "privacy": [{"use": "rows-found"}], "baseline": []}
    board = {"board": [{"id": "b", "use": "mean", "measure": "rows_found"}], "sanitizer": []}
    (track,) = tiny(**rows, **board, phase=RELEASING, utility=utility).track
    table = as_table(track.dataset.data(np.random.default_rng(0)))
    private = table.take(np.arange(300))
    findings = list(wrong_numbers(track, private, None))
    assert [finding.severity for finding in findings] == severities
    assert list(wrong_numbers(tiny().track[0], private, None)) == []


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ([], ["too-many-rows"]),
        ([{"use": "rows", "least": 5}], ["too-many-rows"]),
        ([{"use": "rows", "most": 500}], []),
        ([{"use": "rows", "same": True}], []),
    ],
)
def test_releases_without_a_limit_on_their_records_are_found(rule, found):
    (track,) = tiny(sanitizer=[], phase=RELEASING, rule=rule).track
    findings = list(too_many_rows(track, example_table(rows=9), 2_000_000))
    assert checks(findings) == found
    assert not list(too_many_rows(tiny().track[0], example_table(rows=9), 2_000_000))


def test_the_limit_of_records_is_named_beside_the_size_of_the_private_data():
    (track,) = tiny(sanitizer=[], phase=RELEASING).track
    (finding,) = too_many_rows(track, example_table(rows=9), 2_000_000)
    assert finding.message == (
        "track main: a release may have 2,000,000 records; the private data have 9"
    )


@pytest.mark.parametrize(("bound", "found"), [(0.5, ["other-samples"]), (0.001, [])])
def test_another_sample_of_a_team_is_tried_as_its_release(bound, found):
    utility = [{"use": "marginals", "ways": 1, "at_most": bound}]
    releasing = {"sanitizer": [], "phase": RELEASING, "rule": [{"use": "rows", "same": True}]}
    edition = tiny(**releasing, samples=3, utility=utility)
    assert [check for check in checks(lint_edition(edition)) if check != "open-gates"] == found
    assert "other-samples" not in checks(lint_edition(tiny(**releasing, utility=utility)))
