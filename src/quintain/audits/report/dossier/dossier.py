"""Dossier: an audit, put together with what regulators and standards ask."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from quintain.audits.report.dossier.answers import (
    NOT_MEASURED,
    answer,
    known_words,
    names_of,
    risks_in,
)
from quintain.audits.report.dossier.guidance import (
    CANNOT_SAY,
    GUIDANCE,
    GuidanceEntry,
    Guideline,
)
from quintain.audits.report.words import release_words
from quintain.audits.results import AuditedInput, Recipient, ReleaseAudit, Verdict
from quintain.measures import Reading


class CitedReading(BaseModel):
    """A reading of the audit under the name by which entries cite it.

    Parameters
    ----------
    text : the figure with its interval, or what was words, in a sentence.
    short : the same in a few words, for the entries that cite it.
    says : what that is.
    reading : the figure with its interval, direction and sample size; None if it is none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    text: str
    short: str
    says: str
    reading: Reading | None = None


class DossierEntry(BaseModel):
    """One thing that a document asks, with the readings that speak to it.

    Parameters
    ----------
    place : where in the document; empty if we could not check where.
    asks : what it asks, in our words.
    readings : their names; empty if the audit measures nothing of it.
    answer : "see the readings" or "not measured by this audit".
    note : what a reader must know to connect the two.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: str
    asks: str
    readings: tuple[str, ...]
    answer: Literal["see the readings", "not measured by this audit"]
    note: str = ""


class DossierDocument(BaseModel):
    """A document with what it asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    title: str
    issuer: str
    entries: tuple[DossierEntry, ...]


class Dossier(BaseModel):
    """What an audit reads, beside what regulators and standards ask.

    Parameters
    ----------
    release : the name of the audited file.
    verdict, headline : what the audit concludes; the dossier adds nothing to it.
    recipient : for whom the release is and what they can do, as its owners say.
    known : what the attackers of the audit were taken to know, in sentences.
    documents : what is asked, document by document.
    readings : every reading that an entry cites, and every risk of the audit, once.
    cannot_say : what no audit of a release can say.
    limits : what this one does not cover.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["quintain.dossier/1"] = "quintain.dossier/1"
    release: str
    verdict: Verdict
    headline: str
    recipient: Recipient
    known: tuple[str, ...]
    documents: tuple[DossierDocument, ...]
    readings: tuple[CitedReading, ...]
    cannot_say: tuple[str, ...]
    limits: tuple[str, ...]
    inputs: tuple[AuditedInput, ...] = ()
    seed: int = 0
    versions: dict[str, str] = {}
    command: str = ""

    def reading(self, name: str) -> CitedReading:
        """A reading by its name."""
        return next(cited for cited in self.readings if cited.name == name)


def make_dossier(audit: ReleaseAudit) -> Dossier:
    """Tie the readings of an audit to what regulators and standards ask.

    >>> from quintain.audits.release import audit_release
    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=60)
    >>> dossier = make_dossier(audit_release(table, table))
    >>> dossier.verdict, dossier.recipient.who
    ('unsafe', '')
    """
    documents = tuple(_document(document, audit) for document in GUIDANCE)
    cited = [
        name for document in documents for entry in document.entries for name in entry.readings
    ]
    return Dossier(
        release=audit.release_name,
        verdict=audit.verdict,
        headline=release_words(audit).headline,
        recipient=audit.recipient or Recipient(),
        known=tuple(known_words(audit)),
        documents=documents,
        readings=tuple(_cite(name, audit) for name in dict.fromkeys([*cited, *risks_in(audit)])),
        cannot_say=CANNOT_SAY,
        limits=audit.limits,
        inputs=audit.inputs,
        seed=audit.seed,
        versions=audit.versions,
        command=audit.command,
    )


def _cite(name: str, audit: ReleaseAudit) -> CitedReading:
    words = answer(name, audit)
    return CitedReading(
        name=name,
        text=words.text,
        short=words.short or words.text,
        says=words.says,
        reading=words.reading,
    )


def _document(document: Guideline, audit: ReleaseAudit) -> DossierDocument:
    return DossierDocument(
        key=document.key,
        title=document.title,
        issuer=document.issuer,
        entries=tuple(_entry(entry, audit) for entry in document.entries),
    )


def _entry(entry: GuidanceEntry, audit: ReleaseAudit) -> DossierEntry:
    readings = names_of(entry.readings, audit)
    return DossierEntry(
        place=entry.place,
        asks=entry.asks,
        readings=readings,
        answer="see the readings" if readings else NOT_MEASURED,
        note=entry.note,
    )
