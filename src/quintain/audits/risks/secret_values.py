"""Secret values: does a release tell what is in the rows of somebody, such as a diagnosis?

An attacker knows all rows of a person but for one column. The release shows which pseudonym has the
most similar rows, and that column with it. The attacker says which values the person has there. The
control says how often that is right for people of whom the release knows nothing.

References
----------
Yeom et al., Privacy risk in machine learning, CSF 2018 (attribute advantage).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from quintain.audits.asking import findings_about_people
from quintain.audits.pool import Evidence, PeoplePool
from quintain.audits.risk import AuditedRelease, Risk, RiskResult, RiskWords
from quintain.audits.risks.histories import draw_people
from quintain.audits.risks.inference import InferenceRisk
from quintain.data.arrays import Floats, Mask, Rows
from quintain.data.people import People
from quintain.guesses import MembershipQuestion, Question
from quintain.guesses.goal import entropy_bits
from quintain.kernels.histories import recognise
from quintain.randomness.seeds import SeedTree
from quintain.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NAME = "secret values"

MOST_COLUMNS = 2
"""So many columns are secret in turn, those whose values say most first."""


@dataclass(frozen=True, slots=True)
class SecretColumn:
    """A column of categories in a table of which people have several rows."""

    table: str
    column: str


def measure_secret_values(
    people: PeoplePool, *, secrets: Sequence[str] | None = None, rng: np.random.Generator
) -> RiskResult:
    """Hide one column after the other from an attacker who knows all other cells of people.

    Parameters
    ----------
    secrets : the columns to hide, as COLUMN, TABLE.COLUMN or COLUMN of TABLE; by default those
        that say most.
    """
    if people.shown.size < 2:
        return RiskResult()
    seeds = SeedTree(rng.bytes(32))
    some, chosen = draw_people(people, seeds)
    result = RiskResult()
    for secret in secret_columns(some, secrets):
        guessed = _guess(some, secret, seeds)
        if guessed is None:
            continue
        right, surprise, has_rows = guessed
        where = f"{secret.table}.{secret.column}"
        scores = np.full(people.known.size, np.nan)
        scores[chosen] = np.where(has_rows, right * surprise, np.nan)
        findings = findings_about_people(
            InferenceRisk.harm,
            NAME,
            ("excess_accuracy", "member_hits"),
            right[has_rows],
            some.members[has_rows],
            says="The attacker names the rarest value that somebody has in the secret column.",
            threat=(
                f"The attacker wants to know which values somebody has in {where}.",
                "The attacker is given the release, which tells which rows belong to one "
                "pseudonym, and all other cells of the people as the original has them.",
            ),
            columns=(where,),
        )
        result = RiskResult(
            (*result.evidence, Evidence(f"{NAME} of {where}", scores, of_people=True)),
            (*result.findings, *findings),
        )
    return result


def secret_columns(people: PeoplePool, secrets: Sequence[str] | None = None) -> list[SecretColumn]:
    """The columns that are secret in turn: those that are named, or those that say most."""
    bits: dict[SecretColumn, float] = {}
    for table in people.known.schema.tables:
        if table.reference is None or table.name not in people.shown.tables:
            continue  # of a table with one row per person, other attacks guess the columns
        rows = people.known.tables[table.name].rows
        for column in rows.schema.columns:
            words = f"{column.name} of {table.name}"
            names = {column.name, table.flat_name(column.name), words}
            hidden = secrets is None or names & set(secrets)
            shown = column.name in people.shown.tables[table.name].rows.schema
            if column.listed and hidden and shown:
                own = SecretColumn(table.name, column.name)
                bits[own] = entropy_bits(rows.columns[column.name])
    telling = sorted((own for own in bits if bits[own] > 0), key=lambda own: -bits[own])
    return telling[:MOST_COLUMNS]


def _guess(
    people: PeoplePool, secret: SecretColumn, seeds: SeedTree
) -> tuple[Mask, Floats, Mask] | None:
    """For whom the pseudonym has their rarest value, how rare it is, and who has any value.

    None if nothing else can be compared.
    """
    known, shown = (
        side.without(secret.table, secret.column) for side in (people.known, people.shown)
    )
    draws = seeds.rng("recognition", secret.table, secret.column)
    recognition = recognise(known, shown, rng=draws, quick=True)
    if not recognition.traits:
        return None
    own, shown_values = (_values_of(side, secret) for side in (people.known, people.shown))
    holders = np.bincount(own.indices, minlength=own.shape[1])
    person = np.repeat(np.arange(own.shape[0]), np.diff(own.indptr))
    order = np.lexsort((own.indices, holders[own.indices], person))
    holder, first = np.unique(person[order], return_index=True)
    rarest: Rows = own.indices[order][first].astype(np.int64)
    right, surprise = np.zeros(own.shape[0], bool), np.zeros(own.shape[0])
    right[holder] = np.asarray(shown_values[recognition.first[holder], rarest] > 0).ravel()
    surprise[holder] = -np.log(holders[rarest] / own.shape[0])
    has_rows = np.zeros(own.shape[0], bool)
    has_rows[holder] = True
    return right, surprise, has_rows


def _values_of(people: People, secret: SecretColumn) -> csr_array:
    """People by values: how often each person has each value of the column."""
    branch = people.tables[secret.table]
    values = branch.rows.schema[secret.column].values
    return branch.counts(branch.rows.columns[secret.column], len(values)).tocsr()


@register("secret-values-risk-v1")
class SecretValuesRisk(Risk):
    """Whether attackers guess values in the rows of people, where a release has pseudonyms.

    >>> SecretValuesRisk().harm
    'inference'
    """

    harm: ClassVar[str] = InferenceRisk.harm
    seed: ClassVar[str] = NAME
    turn: ClassVar[int] = 8
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = InferenceRisk.words
    several_rows: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Hide columns of people's rows, if the release has pseudonyms."""
        if audited.people is None:
            return RiskResult()
        return measure_secret_values(audited.people, secrets=audited.secrets, rng=rng)
