"""Leaks: how much of the hidden answers a team can compute from the scores that it is shown.

The gain is counted in bits, as the logarithm of the number of different histories of shown values.
No team gains more, however cleverly it chooses its guesses. Most teams gain much less.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quintain.contests import Phase, Track
from quintain.contests.feedback import EXACT_BITS, Range
from quintain.contests.track_goal import split_targets
from quintain.figures.format import count
from quintain.guesses.goal import log2_choose
from quintain.guesses.membership import Membership
from quintain.samples import Sample

Severity = Literal["stop", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something to fix before the launch: what it is, and what it would cost."""

    severity: Severity
    check: str
    message: str
    cost: str


STOP_SHARE = 0.125
"""Scores that give away at least this share of the hidden bits stop the launch.

With an eighth of the bits, a team could be right about 70 of 100 targets without any attack.
"""

CHECK = "extractable-scores"


def extractable_scores(track: Track, hidden: float) -> Iterator[LintFinding]:
    """Find scores from which a participant can compute hidden answers.

    Parameters
    ----------
    hidden : the bits that the answers of one entry hide from attackers.
    """
    if track.feedback.show == "none":
        return
    yield from _promised_but_hidden(track)
    yield from _unaffordable(track)
    hidden = _ranked_bits(track, hidden)
    gain = _gain(track, hidden)
    if not gain:
        return
    share = gain / hidden if hidden else 1.0
    yield LintFinding(
        "stop" if share >= STOP_SHARE else "warning",
        CHECK,
        f"track {track.id} shows {_words(track)}: a team can gain at most {gain:.0f} of "
        f"{hidden:.0f} hidden bits {_per(track)}",
        f"{_in_targets(track, share)}; the launch stops at {STOP_SHARE:.1%} of the hidden bits. "
        "Lower bits, show fewer levels, allow fewer submissions, or show nothing",
    )


MANY = 10
"""How many teams of one person the warning about open registration reckons with."""


def teams_of_one_person(track: Track, hidden: float, most: float) -> Iterator[LintFinding]:
    """Find scores that one person sees several times as often, with several teams.

    Parameters
    ----------
    hidden : the bits that the answers of one entry hide from attackers.
    most : how many teams one person may register; 1 where somebody looks at each registration.
    """
    teams = int(min(most, MANY))
    hidden = _ranked_bits(track, hidden)
    one, many = _gain(track, hidden), _gain(track, hidden, teams)
    if track.feedback.show == "none" or many <= one:
        return
    tries = allowed_submissions(track)
    often = (
        f"{teams * tries:,.0f} submissions instead of {tries:,.0f}"
        if math.isfinite(tries)
        else f"{teams} times as many submissions"
    )
    yield LintFinding(
        "warning",
        "many-teams",
        f"track {track.id}: anybody can register, and teams see scores: a person with "
        f"{count(teams, 'team')} has {often}, and can gain at most {many:.0f} of {hidden:.0f} "
        f"hidden bits {_per(track)}, not {one:.0f}",
        f"{_in_targets(track, many / hidden if hidden else 1.0)}{_too_many_teams(track, hidden)}. "
        "Approve registrations, invite teams, limit their number, or show nothing",
    )


def _too_many_teams(track: Track, hidden: float) -> str:
    """With how many teams the gain is so large that the launch would stop; empty if with none."""
    least = STOP_SHARE * hidden
    if _gain(track, hidden) >= least or about_the_ranking(track, hidden) < least:
        return ""
    teams = math.ceil(least / gained_bits(track))
    return f"; with {count(teams, 'team')} the gain is {STOP_SHARE:.1%}, at which the launch stops"


def _ranked_bits(track: Track, hidden: float) -> float:
    """The hidden bits about the targets of the ranking; scores on a split are about the others."""
    return hidden * (1 - (track.feedback.shown_on or 0.0))


def _gain(track: Track, hidden: float, teams: int = 1) -> float:
    """The most bits about the ranking that so many teams can gain together."""
    return min(teams * gained_bits(track), about_the_ranking(track, hidden), hidden)


def hidden_bits(track: Track, sample: Sample) -> float:
    """How many bits the answers of one entry hide, over all its repetitions."""
    half = track.sample.balanced
    parts = split_targets(track.aims, sample, rng=np.random.default_rng(0))
    return track.repeats * sum(
        _asked_share(track, part) * aim.goal.hidden_bits(part, half=half) for aim, part in parts
    )


def _asked_share(track: Track, sample: Sample) -> float:
    """The share of the targets about whom one attacker is asked."""
    return (track.targets_each or 0) / len(sample.members) if track.asks_each else 1.0


def gained_bits(track: Track) -> float:
    """The most bits that one team can gain from its scores about the answers of one sample."""
    policy = track.feedback
    tries = allowed_submissions(track)
    shown = (within for _, within in _shown_readings(track))
    free = sum(history_bits(track, within, tries) for within in shown)
    together = len(track.entries) if track.shared_sample else 1
    return max(1, together) * min(policy.budget, free)


def history_bits(track: Track, within: Range, tries: float) -> float:
    """The logarithm of the number of histories that one reading can show in so many submissions."""
    policy = track.feedback
    if policy.show == "full":
        return tries * EXACT_BITS
    levels = policy.choices(None, within)
    if math.isinf(levels + tries):
        return math.inf
    if policy.show == "rounded":
        return tries * math.log2(levels + 1)
    # A ladder only rises: its history says in which submission it passed each level.
    return log2_choose(int(tries + levels), int(levels))


def about_the_ranking(track: Track, hidden: float) -> float:
    """The most bits that scores can tell about the targets of the ranking; infinite if they mix.

    On a split, scores are about other targets. If exactly half of all targets are members, they
    still tell how many members are left.
    """
    if track.feedback.shown_on is None:
        return math.inf
    if not track.sample.balanced:
        return 0.0
    # At least half a bit is hidden per target, so these are no fewer than the possible counts.
    counts = 2 * hidden / track.repeats + 2
    return track.repeats * math.log2(counts)


def allowed_submissions(track: Track) -> float:
    """How many guesses a team may submit in all phases of a track; infinite without a limit."""
    return sum(phase_submissions(phase) for phase in track.phase if phase.submit == "guess")


def phase_submissions(phase: Phase) -> float:
    """How many submissions a team may make in a phase; infinite without a limit."""
    limits = [math.inf if limit is None else limit for limit in (phase.total, phase.per_file)]
    if phase.per_day is not None and phase.opens is not None and phase.closes is not None:
        days = (phase.closes.date() - phase.opens.date()).days + 1
        limits.append(phase.per_day * days)
    return min(limits)


def _shown_readings(track: Track) -> list[tuple[str, Range]]:
    """The readings that teams may see, each with its lowest and highest value."""
    return [
        (name, measured.measure.within)
        for measured in track.guess_measures
        if track.feedback.shows(measured)
        for name in measured.reads
    ]


def _promised_but_hidden(track: Track) -> Iterator[LintFinding]:
    """Find scores that "full" promises to show and that are never shown."""
    weighted = [
        name
        for measured in track.guess_measures
        if not track.feedback.shows(measured) and measured.groups is None
        for name in measured.reads
    ]
    if weighted and track.feedback.show == "full":
        yield LintFinding(
            "stop",
            CHECK,
            f'track {track.id}: feedback "full" promises every score, but {", ".join(weighted)} is '
            "never shown, because participants choose its weights",
            "weights in powers of two put one label into each digit of the score: a handful of "
            "submissions would read off all labels without any attack",
        )


def _unaffordable(track: Track) -> Iterator[LintFinding]:
    """Find readings whose first value costs more than the budget has left for it."""
    policy, left = track.feedback, track.feedback.budget
    for name, within in _shown_readings(track) if policy.capped else ():
        cost, _ = policy.costs(None, within)
        if cost > left:
            yield LintFinding(
                "warning",
                "never-shown",
                f"track {track.id}: no team will see {name}: its first value costs {cost:.1f} "
                f"bits, and {left:.1f} of {policy.budget:g} are left for it",
                "use a coarser step, fewer digits, or a larger budget",
            )
        else:
            left -= cost


def _words(track: Track) -> str:
    policy, names = track.feedback, ", ".join(name for name, _ in _shown_readings(track))
    tries = allowed_submissions(track)
    often = "any number of times" if math.isinf(tries) else count(int(tries), "time")
    how = {
        "full": "in full",
        "rounded": f"with {count(policy.digits, 'digit')}",
        "ladder": f"in steps of {policy.step:g}",
    }
    return f"{names} {how.get(policy.show, '')} up to {often}"


def _per(track: Track) -> str:
    return "about the sample that all entries share" if track.shared_sample else "per entry"


def _in_targets(track: Track, share: float) -> str:
    """What a share of the hidden bits means for people, at the very most."""
    if not all(isinstance(aim.goal, Membership) for aim in track.aims):
        return f"this is {share:.1%} of what attackers are asked for, without any attack"
    right = 100 * best_accuracy(share)
    return (
        f"a team could be right about {right:.0f} of 100 targets without any attack; chance is 50"
    )


def best_accuracy(share: float) -> float:
    """The highest accuracy that a share of the bits about fair coins allows, by Shannon's bound.

    >>> [round(best_accuracy(share), 3) for share in (0, 0.125, 0.5, 1)]
    [0.5, 0.705, 0.89, 1.0]
    """
    low, high = 0.5, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 - _entropy(middle) < share else (low, middle)
    return high if share > 0 else 0.5


def _entropy(p: float) -> float:
    return -sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)
