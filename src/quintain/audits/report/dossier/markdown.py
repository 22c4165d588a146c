"""Markdown: the dossier as a text, for a mail or a file beside the release."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quintain.audits.report.dossier.answers import given_words
from quintain.audits.report.dossier.dossier import Dossier, DossierEntry
from quintain.audits.report.dossier.guidance import PURPOSE
from quintain.figures.format import printable


def markdown(dossier: Dossier) -> str:
    """The dossier as Markdown, which is readable as it is."""
    return "\n".join(_lines(dossier)) + "\n"


def _lines(dossier: Dossier) -> Iterator[str]:
    yield f"# Dossier of a release: {plain(dossier.release) or 'no file name'}"
    yield f"\n{PURPOSE}"
    yield f"\nVerdict of the audit: **{dossier.verdict}**. {plain(dossier.headline)}"
    yield "\n## Recipient and means\n"
    yield f"- Recipient: {plain(given_words(dossier.recipient.who))}"
    yield f"- Means: {plain(given_words(dossier.recipient.means))}"
    yield from (f"- {plain(sentence)}" for sentence in dossier.known)
    for document in dossier.documents:
        yield f"\n## {document.title}\n"
        yield f"{document.issuer}\n"
        for entry in document.entries:
            yield from _entry(entry, dossier)
    yield "\n## What the audit cannot say\n"
    yield from (f"- {plain(sentence)}" for sentence in (*dossier.cannot_say, *dossier.limits))
    yield "\n## The readings\n"
    yield "| reading | figure | better | n | what it is |"
    yield "|---|---|---|---|---|"
    for cited in dossier.readings:
        reading = cited.reading
        better, n = (
            ("", "")
            if reading is None or not reading.measured
            else (reading.better, f"{reading.n:,}")
        )
        yield f"| {cited.name} | {plain(cited.text)} | {better} | {n} | {plain(cited.says)} |"
    yield "\n## To repeat it\n"
    yield f"- Command: {plain(dossier.command or 'started from Python')}"
    yield f"- Seed: {dossier.seed}"
    used = ", ".join(f"{name} {version}" for name, version in sorted(dossier.versions.items()))
    yield f"- Versions: {plain(used or 'not given_words')}"
    for table in dossier.inputs:
        yield f"- {table.role}: {plain(table.name)}, {table.rows:,} rows, SHA-256 {table.sha256}"


def _entry(entry: DossierEntry, dossier: Dossier) -> Iterator[str]:
    place = f"{entry.place}: " if entry.place else ""
    yield f"- {place}{entry.asks}"
    for name in entry.readings:
        yield f"    - {name}: {plain(dossier.reading(name).short)}"
    if not entry.readings:
        yield f"    - {entry.answer}"
    if entry.note:
        yield f"    - Note: {entry.note}"


def plain(text: str) -> str:
    r"""Text from outside without anything that Markdown would take for its own.

    >>> print(plain("a|b <i> *c* [d](e)"))
    a\|b \<i\> \*c\* \[d\](e)
    """
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", printable(text))
