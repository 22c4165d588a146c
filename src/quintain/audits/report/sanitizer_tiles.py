"""Numbers of the first page of a sanitizer audit: epsilon, the average person, the runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quintain.audits.report.frequencies import as_count
from quintain.audits.report.reach import Tile
from quintain.audits.report.settings_view import SettingView
from quintain.audits.sanitizer_audit import SanitizerAudit, told_apart
from quintain.figures.format import interval, number


def sanitizer_tiles(audit: SanitizerAudit, settings: Sequence[SettingView]) -> list[Tile]:
    """The numbers behind the verdict."""
    several = f", for each of {len(settings)} settings" if len(settings) > 1 else ""
    runs = Tile(f"{audit.runs:,}", f"runs of the sanitizer{several}. More runs see smaller leaks.")
    return [*_bound(settings), *_average(settings), runs]


def _bound(settings: Sequence[SettingView]) -> Iterator[Tile]:
    known = [view for view in settings if view.worst is not None]
    if not known:
        yield Tile("not measured", "lower bound on epsilon: no method gave one.")
        return
    refuted = [view for view in known if view.refuted]
    view = max(refuted or known, key=_proved)
    worst = view.worst
    assert worst is not None  # it is one of those that are known
    claim = view.setting.claim
    claimed = "nothing was claimed" if claim is None else f"claimed: {number(claim.epsilon)}"
    where = f" ({view.label})" if len(settings) > 1 else ""
    yield Tile(
        f"epsilon ≥ {number(worst.bound.value)}",
        f"is what the runs prove{where}; {claimed}. So many runs can prove at most "
        f"{number(worst.ceiling)}. Lower is better.",
    )


def _average(settings: Sequence[SettingView]) -> Iterator[Tile]:
    if not settings:
        return
    view = max(settings, key=lambda view: told_apart(view.setting))
    privacy, where = view.setting.privacy, f" ({view.label})" if len(settings) > 1 else ""
    if not privacy.measured:
        yield Tile("not measured", f"the attacker's success{where}: {privacy.note}")
        return
    span = interval(privacy)
    yield Tile(
        f"{as_count(privacy.value, 100)} of 100",
        f"times the attacker picks the member out of two people{where}; blind guessing gives 50. "
        f"{f'As a share: {span}. ' if span else ''}Lower is better.",
    )


def _proved(view: SettingView) -> float:
    return view.worst.bound.value if view.worst is not None else 0.0
