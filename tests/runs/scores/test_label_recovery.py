"""Label recovery: no attacker gets more out of the scores it is shown than the budget in bits."""

import itertools
import math
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from benchmarks.feedback import label_recovery
from benchmarks.feedback.attackers import ATTACKERS, Contest, half_of, solve

from quintain.contests import Feedback, Phase, load
from quintain.contests.fields import MeasuredPrivacy
from quintain.guesses.membership import Membership
from quintain.measures import Case, GuessMeasure
from quintain.registry import parts
from quintain.runs.leaks import gained_bits
from quintain.runs.scores.feedback import Shown, shown_next
from quintain.runs.tasks.shown_targets import draw_shown
from quintain.testing import case_of
from tests.runs.scores.recovery_games import GAMES, TARGETS

POLICIES = [
    {"show": "none"},
    {"show": "rounded", "digits": 0},
    {"show": "rounded", "digits": 1},
    {"show": "rounded", "digits": 2},
    {"show": "rounded", "digits": 2, "bits": 25},
    {"show": "ladder", "step": 0.05},
    {"show": "ladder", "step": 0.1, "bits": 5},
    {"show": "ladder", "step": 0.25, "bits": 4},
    {"show": "full"},
]


MEASURES = [
    {"use": "accuracy"},
    {"use": "membership-advantage"},
    {"use": "auc"},
    {"use": "tpr-at-fpr", "fpr": 0.3},
    {"use": "tpr-at-fpr", "fpr": 0.3, "threshold": "given"},
    {"use": "confidence-weighted"},
    {"use": "excess-accuracy"},
    {"use": "excess-within"},
    {"use": "cells-found"},
    {"use": "cells-exact"},
    {"use": "cells-near"},
    {"use": "cells-by-rarity"},
    {"use": "hit-rate"},
    {"use": "reidentification"},
    {"use": "reidentification", "credit": "falling"},
    {"use": "reidentification", "credit": "shared"},
    {"use": "halves-linked"},
    {"use": "isolation"},
    {"use": "rows-found"},
    {"use": "absence-found"},
    {"use": "people-named"},
    {"use": "traced", "reach": 2.0},
]


def rules(feedback, *measures, tries=None):
    """A track with this feedback and these measures."""
    phase = Phase(id="attack", submit="guess", total=tries)
    changes = {
        "feedback": Feedback.model_validate(feedback),
        "privacy": tuple(MeasuredPrivacy(measure=measure) for measure in measures),
        "phase": (phase,),
    }
    return _tiny().model_copy(update=changes)


@cache
def _tiny():
    return load("tiny").track[0]


def histories(track, readings):
    """For each truth, what a team sees after each of its guesses; ``readings`` has both."""
    out = []
    for of_truth in readings:
        shown, seen = Shown(), []
        for number, values in enumerate(of_truth):
            shown = shown_next(track, shown, str(number), values)
            seen.append(tuple(shown.values.items()))
        assert shown.spent <= track.feedback.budget
        out.append(tuple(seen))
    return out


def all_readings(measure, goal, truths, guesses, cut=lambda case: case):
    """The readings of each guess under each truth; ``cut`` may leave some targets out."""
    one = MeasuredPrivacy(measure=measure)
    answers = [case_of(goal, truths[0], guess).guess for guess in guesses]

    def read(truth, answer):
        return {name: r.value for name, r in one.of_guesses([cut(Case(truth, answer))]).items()}

    facts = [case_of(goal, truth, guesses[0]).truth for truth in truths]
    return [[read(truth, answer) for answer in answers] for truth in facts]


def test_every_measure_of_guesses_is_attacked():
    registered = {
        one.id
        for cls in parts("measure")
        if issubclass(cls, GuessMeasure) and cls.__module__.startswith("quintain.")
        for one in cls.examples()
    }
    attacked = {MeasuredPrivacy(measure=measure).measure.id for measure in MEASURES}
    assert attacked == registered


def entropy(p):
    return -sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)


def best_accuracy(members, seen):
    """The accuracy of the best conclusions that anybody can draw from what was seen."""
    groups = defaultdict(list)
    for truth, history in zip(members, seen, strict=True):
        groups[history].append(truth)
    right = sum(
        max(sum(column), len(column) - sum(column))
        for group in groups.values()
        for column in zip(*group, strict=True)
    )
    return right / (len(members) * len(members[0]))


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: "-".join(map(str, m.values())))
def test_no_strategy_sees_more_histories_than_the_budget_has_bits(measure):
    part = MeasuredPrivacy(measure=measure).measure
    goal, (truths, guesses) = GAMES[part.reads_goal[0]]
    readings = all_readings(measure, goal, truths, guesses)
    for policy in POLICIES:
        track = rules(policy, measure, tries=len(guesses))
        seen = histories(track, readings)
        bits = math.log2(len(set(seen)))
        # What lint prints; the truths themselves bound what there is to gain.
        assert bits <= min(gained_bits(track), math.log2(len(truths))) + 1e-9, policy
        assert bits <= track.feedback.budget
        if policy["show"] == "none" or part.weighted:
            assert bits == 0
        if "member" in truths[0] and len(truths) == 2**TARGETS:
            members = [truth["member"] for truth in truths]
            accuracy = best_accuracy(members, seen)
            assert TARGETS * (1 - entropy(accuracy)) <= track.feedback.budget + 1e-9
            assert accuracy == 0.5 or bits > 0


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES[:6], ids=lambda m: m["use"])
def test_an_attacker_who_draws_every_conclusion_stays_within_the_budget(measure):
    members = list(itertools.product([False, True], repeat=TARGETS))
    for policy in (POLICIES[0], POLICIES[2], POLICIES[3], POLICIES[6]):
        track = rules(policy, measure)
        contests = [Contest(track, np.array(truth)) for truth in members]
        for _ in range(8):
            groups = defaultdict(list)
            for contest in contests:
                groups[seen_by(contest)].append(contest)
            for group in groups.values():
                # The probability of each label, given everything that was shown so far; the ranks
                # of targets that are equally likely differ, so that every submission asks.
                likely = np.mean([contest.members for contest in group], axis=0)
                guess = 0.9 * likely + 0.1 * np.linspace(0, 1, TARGETS)
                for contest in group:
                    contest.submit(guess)
        seen = [seen_by(contest) for contest in contests]
        assert len(set(seen)) <= 2**track.feedback.budget
        accuracy = best_accuracy(members, seen)
        assert TARGETS * (1 - entropy(accuracy)) <= track.feedback.budget + 1e-9


def seen_by(contest):
    """Everything that the team was shown."""
    return tuple(tuple(one.after.items()) for one in contest.history)


def test_full_scores_do_give_every_label_away():
    goal, (truths, guesses) = GAMES[Membership]
    readings = all_readings({"use": "accuracy"}, goal, truths, guesses)
    seen = histories(rules({"show": "full"}, {"use": "accuracy"}), readings)
    assert len(set(seen)) == len(truths)


def test_scores_on_other_targets_tell_nothing_about_the_ranking():
    goal, (truths, guesses) = GAMES[Membership]
    measure = {"use": "accuracy"}
    track = rules({"show": "full", "shown_on": 0.4}, measure)
    shown = draw_shown(TARGETS, 0.4, rng=np.random.default_rng(1))
    readings = all_readings(measure, goal, truths, guesses, cut=lambda case: case.of_targets(shown))
    seen = histories(track, readings)
    members = np.array([truth["member"] for truth in truths])
    assert best_accuracy(members[:, shown].tolist(), seen) == 1
    assert best_accuracy(members[:, ~shown].tolist(), seen) == 0.5


PLAIN = [{"use": "membership-advantage"}, {"use": "auc"}, {"use": "accuracy"}]


def mean_accuracy(attacker, feedback, measures, *, size=24, tries=16, truths=8):
    """The mean accuracy of an attacker over several truths."""
    accuracies, track = [], rules(feedback, *measures)
    for seed in range(truths):
        contest = Contest(track, half_of(size, np.random.default_rng(seed)))
        labels = attacker(contest, tries, np.random.default_rng(100 + seed))
        accuracies.append(contest.accuracy(labels))
    return float(np.mean(accuracies))


def test_an_integer_program_reads_every_label_off_full_scores():
    assert mean_accuracy(solve, {"show": "full"}, PLAIN, truths=3) == 1


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda a: a.__name__)
def test_adaptive_attackers_stay_within_the_budget(attacker):
    size, noise = 24, 3 * 0.5 / math.sqrt(24 * 8)
    for feedback in ({"show": "rounded"}, {"show": "ladder"}, {"show": "ladder", "bits": 20}):
        accuracy = mean_accuracy(attacker, feedback, PLAIN, size=size)
        hidden = math.log2(math.comb(size, size // 2))
        allowed = Feedback.model_validate(feedback).budget + size - hidden
        assert size * (1 - entropy(max(accuracy - noise, 0.5))) <= allowed


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda a: a.__name__)
def test_by_default_attackers_have_chance(attacker):
    accuracy = mean_accuracy(attacker, {}, PLAIN)
    assert abs(accuracy - 0.5) < 3 * 0.5 / math.sqrt(24 * 8)


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda a: a.__name__)
def test_on_a_split_attackers_have_chance_in_the_ranking(attacker):
    accuracy = mean_accuracy(attacker, {"show": "full", "shown_on": 0.5}, PLAIN, tries=12)
    # Half of all targets are members, so the count of members among the others is known.
    assert accuracy < 0.5 + 3 * 0.5 / math.sqrt(12 * 8)


@pytest.mark.parametrize("row", label_recovery.ROWS, ids=lambda row: row[0])
def test_lint_is_at_least_as_severe_as_what_attackers_get(row):
    _, feedback, measures = row
    track = label_recovery.rules(feedback, measures, tries=10)
    best = label_recovery.best_outcome(track, targets=20, truths=2)
    said = label_recovery.verdict(track, targets=20)
    if best.mean >= 0.7:
        assert said.startswith("stop")
    if best.mean >= 0.6:
        assert said != "nothing"
    if feedback["show"] == "none":
        assert (said, best.mean) == ("nothing", 0.5)


def test_chosen_weights_show_nothing():
    weighted = [{"use": "confidence-weighted"}]
    for feedback in POLICIES:
        contest = Contest(rules(feedback, *weighted), half_of(24, np.random.default_rng(0)))
        powers = 0.5 + 2.0 ** -np.arange(2, 26)
        assert contest.submit(powers) == {}
