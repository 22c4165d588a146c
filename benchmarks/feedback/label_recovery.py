"""What attackers without a release get from the scores of a contest, and what lint says about it.

    python -m benchmarks.feedback.label_recovery [TARGETS SUBMISSIONS TRUTHS]

Every attacker of :mod:`benchmarks.feedback.attackers` plays against every policy. The table shows
the best of them: the mean share of labels that are right (chance is 0.5), and in brackets the worst
and the best truth. "No budget" stands for a budget that is never spent.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.feedback.attackers import ATTACKERS, Attacker, Contest, half_of
from quintain.contests import Feedback, Phase, Track, load
from quintain.contests.fields import MeasuredPrivacy
from quintain.guesses.goal import log2_choose
from quintain.runs.leaks import extractable_scores

PLAIN = ({"use": "membership-advantage"}, {"use": "auc"}, {"use": "tpr-at-fpr"})
WEIGHTED = (*PLAIN, {"use": "confidence-weighted"})
NO_BUDGET = 1e6

ROWS: Sequence[tuple[str, Mapping[str, Any], Sequence[Mapping[str, Any]]]] = (
    ("none (default)", {"show": "none"}, WEIGHTED),
    ("full", {"show": "full"}, WEIGHTED),
    ("full", {"show": "full"}, PLAIN),
    ("full, shown_on 0.3", {"show": "full", "shown_on": 0.3}, PLAIN),
    ("rounded, 2 digits, no budget", {"show": "rounded", "digits": 2, "bits": NO_BUDGET}, WEIGHTED),
    ("rounded, 1 digit, no budget", {"show": "rounded", "digits": 1, "bits": NO_BUDGET}, WEIGHTED),
    ("rounded, 1 digit, no budget", {"show": "rounded", "digits": 1, "bits": NO_BUDGET}, PLAIN),
    ("rounded, 2 digits", {"show": "rounded", "digits": 2}, PLAIN),
    ("rounded, 1 digit", {"show": "rounded", "digits": 1}, PLAIN),
    ("ladder 0.1, no budget", {"show": "ladder", "step": 0.1, "bits": NO_BUDGET}, WEIGHTED),
    ("ladder 0.1, no budget", {"show": "ladder", "step": 0.1, "bits": NO_BUDGET}, PLAIN),
    ("ladder 0.1", {"show": "ladder", "step": 0.1}, PLAIN),
)


class Outcome(NamedTuple):
    """The shares of right labels of one attacker, one per truth."""

    attacker: str
    accuracies: Sequence[float]

    @property
    def mean(self) -> float:
        """The mean over the truths."""
        return float(np.mean(self.accuracies))


def main() -> None:
    """Print the table."""
    words = [int(word) for word in sys.argv[1:4]] or [100, 20, 5]
    targets, tries, truths = words
    print(f"{targets} targets, {tries} submissions, {truths} truths\n")
    print(
        "| feedback | measures | best attacker | labels right | lint says |\n|---|---|---|---|---|"
    )
    for line in table(targets, tries, truths):
        print(line, flush=True)


def table(targets: int, tries: int, truths: int) -> Iterator[str]:
    """One line of the table per policy."""
    for title, feedback, measures in ROWS:
        track = rules(feedback, measures, tries)
        best = best_outcome(track, targets, truths)
        spread = f"{min(best.accuracies):.2f} to {max(best.accuracies):.2f}"
        which = "with confidence-weighted" if measures is WEIGHTED else "without"
        name = best.attacker.replace("_", " ")
        said = verdict(track, targets)
        yield f"| {title} | {which} | {name} | {best.mean:.2f} ({spread}) | {said} |"


def rules(feedback: Mapping[str, Any], measures: Sequence[Mapping[str, Any]], tries: int) -> Track:
    """A track with this feedback and these measures, and exactly half of the targets as members."""
    edition = load("tiny", overrides={"sample": {"members": "half"}, "repeats": 1})
    changes = {
        "feedback": Feedback.model_validate(feedback),
        "privacy": tuple(MeasuredPrivacy.model_validate(measure) for measure in measures),
        "phase": (Phase(id="attack", submit="guess", total=tries),),
    }
    return edition.track[0].model_copy(update=changes)


def best_outcome(track: Track, targets: int, truths: int) -> Outcome:
    """The outcome of the attacker who gets most labels right."""
    outcomes = [outcome(attacker, track, targets, truths) for attacker in ATTACKERS]
    return max(outcomes, key=lambda one: one.mean)


def outcome(attacker: Attacker, track: Track, targets: int, truths: int) -> Outcome:
    """Let an attacker play against several truths."""
    tries = track.phase[0].total or 1
    accuracies = []
    for seed in range(truths):
        contest = Contest(track, half_of(targets, np.random.default_rng(seed)))
        labels = attacker(contest, tries, np.random.default_rng(1000 + seed))
        accuracies.append(contest.accuracy(labels))
    return Outcome(getattr(attacker, "__name__", ""), accuracies)


def verdict(track: Track, targets: int) -> str:
    """The most severe finding of lint about the scores, with the bits that it states."""
    hidden = log2_choose(targets, targets // 2)
    findings = [f for f in extractable_scores(track, hidden) if f.check == "extractable-scores"]
    if not findings:
        return "nothing"
    gained = findings[-1].message.rpartition("at most ")[2].partition(" hidden")[0]
    worst = "stop" if any(f.severity == "stop" for f in findings) else "warning"
    return f"{worst}, {gained} bits"


if __name__ == "__main__":
    main()
