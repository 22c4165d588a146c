"""Sanitized: the result of one run of a sanitizer, a release and a secret trace."""

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
    """The facts that a sanitizer remembers of one run.

    A trace depends on the private data, and no claim covers it. So it stays with the person who
    ran the sanitizer. An attacker who runs the sanitizer on their own data has the traces of those
    runs.

    Parameters
    ----------
    focal_points : the statistics that the sanitizer chose to preserve, such as the edges of a tree
        or the parents in a network.
    """

    focal_points: tuple[FocalPoint, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sanitized:
    """The result of one run of a sanitizer: a release to publish, and a trace to keep secret."""

    release: Release
    trace: Trace = Trace()
