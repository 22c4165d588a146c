"""Threats: what attackers know, said once for all attacks that know the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quintain.audits.finding import Finding


@dataclass(frozen=True, slots=True)
class Threat:
    """What an attacker knows and wants, and the attacks that were run with it."""

    sentences: tuple[str, ...]
    attacks: tuple[str, ...]


def threats_of(findings: Iterable[Finding]) -> list[Threat]:
    """The different threat models of some findings, in their order."""
    attacks: dict[tuple[str, ...], list[str]] = {}
    for finding in findings:
        names = attacks.setdefault(finding.threat, [])
        if finding.attack not in names:
            names.append(finding.attack)
    return [Threat(sentences, tuple(names)) for sentences, names in attacks.items() if sentences]
