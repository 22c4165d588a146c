"""Reach: how many people a leak can touch, in numbers that everybody understands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quintain.audits.report.settings_view import SettingView
from quintain.audits.report.words import as_count, of_people, people, whole
from quintain.audits.results import ReleaseAudit, SanitizerAudit, told_apart
from quintain.figures.format import interval, number
from quintain.measures.pooled.exposed import smallest_bounded


@dataclass(frozen=True, slots=True)
class Tile:
    """One number of the first page: how it is written, and what it says."""

    figure: str
    says: str


def tiles_of(audit: ReleaseAudit) -> list[Tile]:
    """The numbers behind the verdict, and the copies."""
    total, _ = _sizes(audit)
    doubt = f" Doubtful: {audit.doubt}." if audit.doubt else ""
    of_attacks = [*_exposed_tile(audit, total), *_nameable(audit, total)]
    return [
        *(replace(tile, says=f"{tile.says}{doubt}") for tile in of_attacks),
        *_copies(audit),
        *_least(audit),
    ]


def _sizes(audit: ReleaseAudit) -> tuple[int | None, int | None]:
    """How many people the original and the control have; None if there is no such table.

    Where nobody counted people, every row is one.
    """
    if audit.laid_bare is not None:
        return audit.laid_bare.people, audit.laid_bare.control
    rows = {table.role: table.rows for table in audit.inputs}
    if len(rows) < len(audit.inputs):
        return None, None  # of several tables, no row is a person
    return rows.get("original"), rows.get("control")


def _exposed_tile(audit: ReleaseAudit, total: int | None) -> Iterator[Tile]:
    share = audit.exposed_share
    if not share.measured:
        yield Tile("not measured", f"exposed people: {share.note or 'no reason was given'}")
        return
    least = share.low if share.low == share.low else share.value
    (text,) = of_people(max(0.0, least))
    in_all = ""
    if total and least > 0:
        in_all = f", {people(max(0.0, least), total)} of {total:,} in all"
    if least <= 0:
        yield Tile(
            "none shown",
            f"No attack{audit.covered} shows anybody to be exposed: {_how_exposed(audit)} (best "
            f"estimate {of_people(max(0.0, share.value))[0]}).{_say_unbounded(audit)} "
            "Lower is better.",
        )
        return
    yield Tile(
        f"at least {text}",
        f"people in the data are exposed: {_how_exposed(audit)}{in_all} "
        f"(best estimate {of_people(max(0.0, share.value))[0]}). Lower is better.",
    )


def _how_exposed(audit: ReleaseAudit) -> str:
    """What exposed means: with a control it is a rate, without one it is a copy."""
    if audit.p is None:
        return "the release has a copy or a near copy, beyond chance"
    if audit.advantage is None:
        return "attackers link their records"
    return "found by attackers at a false positive rate of at most 1 %"


def _say_unbounded(audit: ReleaseAudit) -> str:
    """Which shares get no bound with so few people, in a sentence."""
    total, control = _sizes(audit)
    if not total or not control:
        return ""
    (least,) = of_people(smallest_bounded(total, control))
    return f" Fewer than {least} get no bound here."


def _copies(audit: ReleaseAudit) -> Iterator[Tile]:
    bare = audit.laid_bare
    if bare is None:
        return
    yield Tile(
        f"{bare.copied:,} and {bare.copied_control:,}",
        "people of the original and of the control have a verbatim copy in the release; of people "
        f"nobody else is near: {bare.isolated_copied:,} and {bare.isolated_copied_control:,}. "
        "Similar numbers are luck.",
    )


def _nameable(audit: ReleaseAudit, total: int | None) -> Iterator[Tile]:
    records = audit.nameable_records
    if not records.measured:
        yield Tile("not measured", f"people who can be named: {records.note}")
        return
    of = f" of {total:,}" if total else ""
    if not records.value:
        yield Tile(
            f"0{of}",
            "people can be pointed out one by one with confidence by attacks that rank everybody"
            f"{audit.covered}. Lower is better.",
        )
        return
    right = f" At least {whole(records.low)} of these names are right."
    yield Tile(
        f"{whole(records.value)}{of}",
        "people can be pointed out one by one, with about 1 in 10 wrong on average."
        f"{right} Lower is better.",
    )


def _least(audit: ReleaseAudit) -> Iterator[Tile]:
    least = audit.smallest_detectable
    if not least.measured:
        yield Tile("not known", f"smallest leak that this audit would have seen: {least.note}")
        return
    (text,) = of_people(least.value)
    leak = f"leak{audit.covered}"
    if audit.p is None:
        leak = "number of copies and near copies, not of other leaks,"
    yield Tile(
        text,
        f"people touched is the smallest {leak} that this audit would very probably have seen, if "
        "an attack can see it at all. Lower is better: a sharper audit.",
    )


def p_words(audit: ReleaseAudit) -> str:
    """What the p-value of the whole audit says, in a sentence."""
    p = audit.p
    if p is None and audit.has_control:
        return "No attack ran, so there is no p of all attacks together."
    if p is None:
        return "There is no control, so nothing says how much of this could be luck."
    if p < 0.001:
        text = "fewer than 1 of 1,000 audits"
    else:
        text = f"{of_people(p)[0]} audits"
    return (
        f"If the release gave nothing away, {text} would show as much as this one, beside people "
        "drawn at random."
    )


# Numbers of the first page of a sanitizer audit: epsilon, the average person, the runs.


def sanitizer_tiles(audit: SanitizerAudit, settings: Sequence[SettingView]) -> list[Tile]:
    """The numbers behind the verdict."""
    several = f", for each of {len(settings)} settings" if len(settings) > 1 else ""
    runs = Tile(f"{audit.runs:,}", f"runs of the sanitizer{several}. More runs see smaller leaks.")
    return [*_bound_tile(settings), *_average(settings), runs]


def _bound_tile(settings: Sequence[SettingView]) -> Iterator[Tile]:
    known = [view for view in settings if view.worst is not None]
    if not known:
        yield Tile("not measured", "lower bound on epsilon: no method gave one.")
        return
    refuted = [view for view in known if view.refuted]
    view = max(refuted or known, key=_proved_epsilon)
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


def _proved_epsilon(view: SettingView) -> float:
    return view.worst.bound.value if view.worst is not None else 0.0
