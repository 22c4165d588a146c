"""The audit asks what contests ask: its figures are those of SNAKE and of AMIC, bit by bit."""

import csv

import numpy as np
import pytest
from benchmarks.audit.experiment import measure_experiment

from quintain.attacks import Knowledge
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.nearest import Nearest
from quintain.audits.asking import attempt_informed
from quintain.audits.release import audit_release
from quintain.contests import load
from quintain.guesses.membership import Membership
from quintain.guesses.membership_set import MembershipSet
from quintain.measures import reading_rng
from quintain.measures.privacy.found import HitRate
from quintain.measures.privacy.roc_curve import Auc
from quintain.plays import Situation
from quintain.runs.play import play
from quintain.runs.tasks.experiments import draw_sample
from quintain.sanitizers.sanitizer import Shadow
from quintain.testing.examples import experiment

HOUSEHOLDS = """
include = "snake1"
id = "households"
utility = []
[dataset]
rows = 1_500
[sample]
targets = 20
min_unit_size = 3
background = 200
[[sanitizer]]
use = "mst"
name = "mst"
epsilon = 100.0
delta = 1e-9
rows = 250
[[baseline]]
id = "nearest"
attack = { use = "nearest" }
[[baseline]]
id = "tree-ratio"
attack = { use = "tree-ratio" }
[[baseline]]
id = "mama-mia"
attack = { use = "mama-mia", shadows = 2 }
"""
EVERYBODY = """
include = "snake1-sync"
id = "everybody"
utility = []
[dataset]
rows = 400
[sample]
use = "targets"
everybody = true
members = "half"
background = 0
[[sanitizer]]
use = "privbayes"
name = "privbayes"
epsilon = 1000.0
rows = 200
[[baseline]]
id = "nearest"
attack = { use = "nearest" }
[[baseline]]
id = "tree-ratio"
attack = { use = "tree-ratio" }
[[baseline]]
id = "forest-ratio"
attack = { use = "forest-ratio" }
"""
ROWS = """
include = "amic"
id = "rows"
overall = []
award = []
[dataset]
rows = 2_000
[population]
generator = { use = "moments", rows = 20_000 }
distinct = true
take = 4_000
[sample]
rows = 1_000
[[baseline]]
id = "rr"
sanitizer = { use = "rr", keep = 0.9, draw = "occurring" }
attack = { use = "random" }
[[baseline]]
id = "attack.py"
attack = { use = "nearest", distance = "euclidean" }
[[baseline]]
id = "forest-ratio"
attack = { use = "forest-ratio" }
[[baseline]]
id = "tracing"
attack = { use = "tracing" }
[[track]]
id = "main"
title = "One round"
"""


class Played:
    """A small contest that was played: its one experiment, and its cells."""

    def __init__(self, place, text, team=None):
        file = place / "mine.toml"
        file.write_text(text)
        self.folder = play(load(file), place / "run", seed=7)
        self.track = self.folder.edition().track_by_id("main")
        (self.task,) = self.folder.tasks(self.track)
        self.sample = draw_sample(self.folder, self.track, team or self.task.entry, 0)
        self.release = self.folder.release(self.track, self.task)

    def attacks(self):
        return {b.id: b.attack for b in self.track.baseline if b.attack}

    def rng(self, attacker):
        seeds = self.folder.secrets().seeds("main", "attack", attacker, self.task.entry)
        return seeds.rng(self.task.repeat)

    def cells(self, measure):
        """The values and intervals of the contest, by attacker."""
        with self.folder.at("results/matrix.csv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["measure"] == measure]
        return {r["attacker"]: tuple(float(r[k]) for k in ("value", "low", "high")) for r in rows}


def ends(reading):
    return reading.value, reading.low, reading.high


@pytest.fixture(scope="module")
def households(tmp_path_factory):
    return Played(tmp_path_factory.mktemp("snake"), HOUSEHOLDS)


@pytest.mark.slow
def test_households_of_snake_are_read_as_in_the_contest(households):
    cells = households.cells("auc")
    named = {name: cells[name] for name in ("nearest", "tree-ratio")}
    attacks = [households.attacks()[name] for name in named]
    panel = measure_experiment(
        households.sample, households.release, rng=np.random.default_rng(0), attacks=attacks
    )
    assert {f.attack: ends(f.reading) for f in panel.findings} == named
    assert [one.scores.shape for one in panel.evidence] == [(20,), (20,)]


def test_attacks_that_run_the_sanitizer_are_read_as_in_the_contest(households):
    sample, release = households.sample, households.release
    sanitizer = households.track.entries["mst"]
    question, truth = Membership().ask(sample, release)
    case = attempt_informed(
        households.attacks()["mama-mia"],
        Situation(Membership(), release, Knowledge(question), truth),
        base=sample.population,
        code=Shadow(sanitizer),
        parameters=sanitizer.spec(),
        rng=households.rng("mama-mia"),
    )
    reading = Auc().measure([case], rng=reading_rng())["auc"]
    assert ends(reading) == households.cells("auc")["mama-mia"]


def test_without_the_sanitizer_such_attacks_are_named_as_left_out(households):
    attacks = [households.attacks()["mama-mia"]]
    panel = measure_experiment(
        households.sample, households.release, rng=np.random.default_rng(0), attacks=attacks
    )
    assert [one.what for one in panel.not_computed] == ["mama-mia"] and not panel.findings


@pytest.mark.slow
def test_the_whole_release_audit_reads_what_a_contest_about_everybody_reads(tmp_path):
    contest = Played(tmp_path, EVERYBODY)
    sample = contest.sample
    others = np.setdiff1d(np.arange(len(sample.population)), sample.private_rows)
    control = sample.population.take(others).select(sample.private.schema.names)
    audit = audit_release(sample.private, contest.release, control, permutations=19)
    areas = {f.attack: ends(f.reading) for f in audit.readings if f.name == "auc"}
    for attacker, cell in contest.cells("auc").items():
        assert areas[attacker] == pytest.approx(cell, abs=1e-12)  # people are in another order


@pytest.mark.slow
def test_hit_rates_of_amic_are_read_as_in_the_contest(tmp_path):
    contest = Played(tmp_path, ROWS, team="rr")
    goal, cells = contest.track.goal, contest.cells("hit_rate")
    question, truth = goal.ask(contest.sample, contest.release)
    situation = Situation(goal, contest.release, Knowledge(question), truth)
    base = contest.sample.population
    attacks = contest.attacks()
    assert set(cells) == set(attacks) - {"rr"}  # a team does not attack its own release
    for name, cell in cells.items():
        case = attempt_informed(attacks[name], situation, base=base, rng=contest.rng(name))
        assert ends(HitRate().measure([case], rng=reading_rng())["hit_rate"]) == cell


def test_the_panel_asks_for_rows_as_well():
    sample, release = experiment()
    goal, attacks = MembershipSet(guesses=10), [Nearest(), Tracing()]
    panel = measure_experiment(
        sample,
        release,
        rng=np.random.default_rng(0),
        goal=goal,
        attacks=attacks,
        measures=[HitRate()],
    )
    assert [(f.attack, f.name) for f in panel.findings] == [
        ("nearest", "hit_rate"),
        ("tracing", "hit_rate"),
    ]
    assert panel.evidence == () and panel.findings[0].reading.n == 10
