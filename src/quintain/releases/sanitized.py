"""Sanitized: a release, and apart from it what its sanitizer remembers of the private data."""

from __future__ import annotations

from dataclasses import dataclass

from quintain.releases.release import Release


@dataclass(frozen=True, slots=True, order=True)
class FocalPoint:
    """A statistic of the private data that a sanitizer chose to preserve: p(columns | given).

    >>> str(FocalPoint(("income",), given=("age", "sex")))
    'p(income | age, sex)'
    """

    columns: tuple[str, ...]
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        given = f" | {', '.join(self.given)}" if self.given else ""
        return f"p({', '.join(self.columns)}{given})"


@dataclass(frozen=True, slots=True)
class Trace:
    """What a sanitizer remembers of one run.

    It depends on the private data and no claim covers it, so it stays with the person who ran the
    sanitizer. An attacker who runs the sanitizer on data of their own has the traces of those runs.

    Parameters
    ----------
    focal_points : what the sanitizer chose to preserve (the edges of a tree, the parents in a
        network).
    """

    focal_points: tuple[FocalPoint, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sanitized:
    """What one run of a sanitizer gives: a release to hand out, and a trace to keep."""

    release: Release
    trace: Trace = Trace()
