"""Disclosure panel: what statistical offices count, beside what a fresh sample reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quintain.audits.results import DisclosureFinding, NotComputed
from quintain.data import Table
from quintain.errors import PartError
from quintain.measures import Disco, ReplicatedUniques, SmallestClass, Suda, reading_rng
from quintain.measures.privacy.disclosure.known_columns import KnownColumnsMeasure

MOST_SECRETS, _FEWEST = 15, 3
_CELLS = 3 * 10**7  # cells that are compared for all secret columns together


@dataclass(frozen=True, slots=True)
class DisclosureResult:
    """What was counted, and what was left out, with the reason."""

    findings: tuple[DisclosureFinding, ...]
    not_computed: tuple[NotComputed, ...] = ()


def measure_disclosure(
    original: Table,
    release: Table,
    control: Table | None,
    *,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    population: int | None = None,
) -> DisclosureResult:
    """Count what statistical offices count before they release a file.

    Parameters
    ----------
    original, control : the people, one row each.
    known : the columns that attackers know; by default all but the secret one.
    secrets : the secret columns; by default each column that attackers do not know, or each in
        turn.
    population : how many people there are, those of the original included.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=100))
    >>> result = measure_disclosure(table, table, None, secrets=["colour"])
    >>> {finding.name: str(finding.reading)[:4] for finding in result.findings}["fewest_secrets"]
    '1'
    """
    names = [column.name for column in original.schema.attributes]
    knows = None if known is None else tuple(name for name in names if name in known)
    if not names or knows == ():
        reason = "no column is compared that attackers know"
        return DisclosureResult((), (NotComputed(what="disclosure measures", reason=reason),))
    stated = tuple(name for name in names if name in (secrets or ()) and name not in (knows or ()))
    chosen, left_out = _secrets(names, knows, stated, len(original) + len(release))
    fraction = len(original) / population if population else None
    measures: list[KnownColumnsMeasure] = [
        ReplicatedUniques(knows=knows),
        Suda(knows=knows, fraction=fraction if fraction and fraction < 1 else None),
        SmallestClass(knows=knows, secrets=stated or None),
        *(Disco(knows=knows, column=name) for name in chosen),
    ]
    findings = []
    for measure in measures:
        try:
            findings += list(_findings(measure, original, release, control))
        except PartError as refusal:
            left_out.append(NotComputed(what=measure.name(), reason=str(refusal)))
    return DisclosureResult(tuple(findings), tuple(left_out))


def _secrets(
    names: Sequence[str], knows: Sequence[str] | None, stated: Sequence[str], rows: int
) -> tuple[list[str], list[NotComputed]]:
    """The columns that are looked up, and a reason if some are left out."""
    every = list(stated) or [name for name in names if name not in (knows or ())]
    if len(names) < 2:
        return [], [NotComputed(what="disco", reason="there is one column alone")]
    most = max(_FEWEST, min(MOST_SECRETS, _CELLS // max(1, rows * len(names))))
    if len(every) <= most:
        return every, []
    reason = f"to save time, {most} of {len(every)} columns are looked up; --secrets names others"
    return every[:most], [NotComputed(what="disco", reason=reason)]


def _findings(
    measure: KnownColumnsMeasure, original: Table, release: Table, control: Table | None
) -> Iterator[DisclosureFinding]:
    """What the measure reads for the release and, in its place, for the control."""
    hidden = measure.secret_columns(original.schema)
    known = [column.name for column in original.schema.attributes if column.name not in hidden]
    readings = measure.measure(original, release, control, rng=reading_rng())
    fresh = {} if control is None else measure.measure(original, control, None, rng=reading_rng())
    for name, reading in readings.items():
        if name in _ELSEWHERE:
            continue
        yield DisclosureFinding(
            measure=measure.name(),
            name=name,
            says=measure.caption(name),
            reading=reading,
            fresh=None if name in _OF_THE_ORIGINAL else fresh.get(name),
            known=tuple(known if measure.knows is None else measure.knows),
            columns=hidden,
        )


_ELSEWHERE = ("smallest_class",)
"""Readings that the classes of the release have already."""
_OF_THE_ORIGINAL = ("original_uniques", "original_disclosive")
"""Readings that no release changes."""
