"""Matrices: the figures of a track's privacy readings, with its gates and its blind attacker."""

from __future__ import annotations

from quintain.contests import Track
from quintain.contests.fields import Gate, MeasuredPrivacy
from quintain.figures.matrix import Chance, Matrix, names_of
from quintain.rankings import Contestant, Results


def matrix_of(track: Track, results: Results, measured: MeasuredPrivacy, name: str) -> Matrix:
    """The matrix of one reading of a track."""
    return Matrix(
        name=name,
        better=measured.reads[name],
        summary=measured.caption(name),
        bounds=bounds(measured.gate(name)),
        results=results,
        attackers=_attackers(results),
        chance=chance_of(track, results, measured, name),
        names=names_of(results),
    )


def _attackers(results: Results) -> tuple[Contestant, ...]:
    """The contestants with a column: who attacked an entry, or refused to."""
    shown = {attacker.id for attacker in results.attackers()}
    shown |= {attacker for _, attacker in results.refused.attacks}
    return tuple(contestant for contestant in results.contestants if contestant.id in shown)


def chance_of(track: Track, results: Results, measured: MeasuredPrivacy, name: str) -> Chance:
    """What blind guessing gives for one reading of a track, as far as it is known.

    If neither the sizes of the track nor the measure define chance, readings are compared with a
    blind attacker, if the edition has one.
    """
    law = results.blind.get(name)
    if law is not None and track.repeats == 1:  # it is the law of a single experiment
        return Chance(law=law)
    chance = measured.chance
    if name in chance:
        return Chance(chance[name])
    for baseline in track.baseline:
        row = results.row(baseline.id, name)
        if baseline.attack is not None and baseline.attack.blind and row:
            return Chance(blind=row, blind_name=baseline.name or baseline.id)
    return Chance()


def bounds(gate: Gate) -> tuple[tuple[str, float], ...]:
    """The bounds of a gate: "at most 0.2", 0.2."""
    return tuple((f"{word} {bound:g}".replace("-", "−"), bound) for word, bound in gate.bounds)
