"""Audit a release: hold it beside its original and a control, and judge what it gives away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quintain.attacks import Attack
from quintain.audits.body import AuditOptions, ShapeAudit, run_audit
from quintain.audits.checks.made_with_control import sign_proofs
from quintain.audits.checks.repeated_texts import search_texts
from quintain.audits.reading.comparable import NothingToCompare
from quintain.audits.reading.given import AnySchema, given_shape
from quintain.audits.results import NotComputed, Recipient, ReleaseAudit, versions
from quintain.audits.risk import find_attacks, fitting_risks
from quintain.audits.shapes.pseudonyms import PseudonymAudit
from quintain.audits.shapes.series import SeriesAudit
from quintain.audits.shapes.tables import TableAudit
from quintain.audits.verdict import RANDOM_CONTROL, Effects, build_release_audit, judge
from quintain.data.shape import find_shape
from quintain.errors import PartError
from quintain.jobs.executor import SERIAL, Executor
from quintain.measures import Reading
from quintain.randomness.seeds import SeedTree

WAYS: tuple[ShapeAudit, ...] = (TableAudit(), PseudonymAudit(), SeriesAudit())
"""Audits of shapes for which more is known than risks; of all others, risks that name them."""

_NO_ATTACK = "no attack ran, since no column of the release can be compared with the original"
_TEXTS_ALONE = (
    "No attack could compare a column of the release with the original. The audit looked for texts "
    "and for identities alone, and found nothing that proves a leak. Nobody can say what else the "
    "release gives away."
)


def audit_release(
    original: Any,
    release: Any,
    control: Any = None,
    *,
    schema: AnySchema = None,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    unit: str | None = None,
    header: bool | None = None,
    as_written: Sequence[str] | bool = False,
    population: int | None = None,
    seed: int = 0,
    show_exposed: int = 0,
    permutations: int = 999,
    attacks: Sequence[Attack | str] = (),
    recipient: Recipient | None = None,
    key: Any = None,
    command: str = "",
    executor: Executor = SERIAL,
) -> ReleaseAudit:
    """Find out what a release gives away about the people in its original.

    Parameters
    ----------
    original, release, control : paths of files, data frames, or data with a schema; for people
        with several tables folders, zip archives, or data frames by the name of their table. The
        control are people of the same population who are not in the original. Without it, only
        copies and near copies can be seen.
    schema : the columns and their domains; by default learned from all tables together. For several
        tables, also their keys and references.
    known : the columns that attackers know of a person when they guess another one.
    secrets : the columns that attackers want to know; by default each in turn.
    unit : the column that says whose row it is, if people have several rows. Then p, the exposed
        share and the number of names are about people, and a person counts once. "equal-rows" takes
        equal rows for one person. If the release has the column, it has pseudonyms: attackers see
        which rows belong together. For several tables, the column that names people.
    as_written : whether all columns, or which of them, are compared as they are written. By
        default, other spellings, beginnings of codes, parts of dates, other units, and codes in
        place of values are matched.
    population : how many people there are of the kind that the original and the control are drawn
        from. With it, a model estimates how many of them are alone with their values.
    seed : the same seed gives the same audit, byte by byte.
    show_exposed : how many of the most exposed people to list with their records.
    permutations : how often the labels of original and control are permuted for p.
    attacks : attacks to add, by name or as parts, of ours or of a plugin. Each is asked by the risk
        whose question it answers, after the attacks that are there anyway.
    recipient : for whom the release is, for the dossier. It changes no figure.
    key : a table with the column that names people and one other, which says which pseudonym of the
        release each person has. With it, the audit counts how many people are named rightly.
    command : the command that repeats the audit, for the report.
    executor : the workers that share the work on a large table; they change no figure.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=400)
    >>> original, control = table.take(range(200)), table.take(range(200, 400))
    >>> audit_release(original, original, control, permutations=99).verdict
    'unsafe'
    """
    shape = given_shape(original, schema)
    way, seen_as = find_audit(shape)
    added = find_attacks(attacks, seen_as)
    asked = AuditOptions(
        SeedTree.from_int(seed).child("audit", "release"),
        known,
        secrets,
        population,
        show_exposed,
        permutations,
        added,
        executor,
    )
    way.refuse(
        shape,
        known=known,
        secrets=secrets,
        unit=unit,
        key=key is not None,
        header=header is not None,
        as_written=as_written,
        population=population,
        show_exposed=show_exposed,
    )
    facts = {"recipient": recipient, "seed": seed, "command": command}
    given = {"original": original, "release": release}
    given |= {} if control is None else {"control": control}
    options = {"schema": schema, "unit": unit, "header": header, "as_written": as_written}
    try:
        held = way.read(given, seen_as, asked, **options, key=key)
    except NothingToCompare as error:
        audit = _without_attacks(error, asked.seeds, show_exposed)
    else:
        audit = run_audit(way, held, asked)
    return audit.model_copy(update=facts)


def find_audit(shape: str) -> tuple[ShapeAudit, str]:
    """How data of a shape are audited, and as which shape; raises if nobody can audit them.

    A shape is audited by what it is: by the risks that name it. Only where none does, and nothing
    special is known of it, it is audited as what else it can be seen as.

    >>> [find_audit(shape)[1] for shape in ("table", "people", "series", "transactions")]
    ['table', 'table', 'series', 'transactions']
    """
    own = find_shape(shape)
    for way in WAYS:
        if (shape in way.shapes or own.row_is_person) and (name := way.seen_as(own)):
            return way, name
    if fitting_risks(shape):
        return ShapeAudit(), shape
    for way in WAYS:
        if name := way.seen_as(own):
            return way, name
    wanted = "transactions" if own.deletes_in_place else "series"
    raise PartError(
        f"data of the shape {shape} cannot be audited as they are: no risk is about them, and they "
        f"cannot be seen as {wanted}. Give their rows as a table, and the column that says whose "
        "row each one is as unit. If the shape is yours, add a risk whose `shapes` name it, or "
        f"name {wanted!r} in `also`"
    )


def _without_attacks(error: NothingToCompare, seeds: SeedTree, show: int) -> ReleaseAudit:
    """The audit of tables in which attacks can compare nothing: of texts and identities alone.

    Raises if there is no text to search, and no identity was found.
    """
    if not error.sources:
        raise error
    texts = search_texts(error.notes, rng=seeds.rng("texts"), show=show)
    identities = error.search_identities()
    if error.notes is None and not identities.finds:
        raise error
    nothing = Reading.missing("lower", _NO_ATTACK)
    coverage, signs = error.coverage(identities), (*texts.signs, *identities.signs)
    described = error.describe()
    effects = Effects(
        None,
        described[0].rows,
        nothing,
        nothing,
        nothing,
        (*texts.proofs, *identities.proofs, *sign_proofs(signs)),
        texts.traces,
    )
    control = (RANDOM_CONTROL,) if len(described) > 2 else ()
    verdict = judge(effects)
    if verdict.verdict == "cannot-say":
        outcomes = (sign.says for sign in signs if sign.alarm)
        verdict = verdict.cannot_say(" ".join((_TEXTS_ALONE, *outcomes)), "columns")
    return build_release_audit(
        verdict,
        effects,
        limits=(*texts.notes, *coverage.limits(), *verdict.limits, *control),
        repeated_texts=texts.searches,
        control_signs=signs,
        columns=coverage.as_result(),
        identities=identities.finds,
        inputs=described,
        not_computed=(NotComputed(what="attacks", reason=str(error)),),
    ).model_copy(update={"versions": versions()})
