"""Made with: how an edition file was read, so that reports can say it about their run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Self

from quintain.contests.fields import Model


class MadeWith(Model):
    """The options with which an edition file was read.

    Parameters
    ----------
    profile : the chosen profile of the edition, if any.
    quick : whether the small version of the edition was chosen.
    changes : further changes to single keys, each as "key=value".
    """

    profile: str | None = None
    quick: bool = False
    changes: tuple[str, ...] = ()

    @classmethod
    def of(cls, profile: str | None, quick: bool, overrides: Mapping[str, Any]) -> Self:
        """Record the options; overrides are nested tables.

        >>> MadeWith.of(None, True, {"dataset": {"rows": 500, "real": True}}).changes
        ('dataset.rows=500', 'dataset.real=true')
        """
        return cls(profile=profile, quick=quick, changes=tuple(_written(overrides)))

    def without_changes(self) -> Self:
        """The same without changes to keys, which may name what attackers are not given."""
        return self.model_copy(update={"changes": ()})


def _written(overrides: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Overrides in the form that follows ``--set`` on the command line."""
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            yield from _written(value, f"{above}{key}.")
        else:
            yield f"{above}{key}={json.dumps(value, ensure_ascii=False, default=str)}"
