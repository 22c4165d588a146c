"""Guidance: what regulators and standards ask of a release, and which readings speak to it.

The sentences are ours. A place is named where we could check it; else the document alone is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quintain.audits.risk import Criterion

ReadingName = Literal[
    "recipient",
    "verdict",
    "p",
    "exposed share",
    "nameable records",
    "smallest detectable",
    "smallest class",
    "risk of the smallest class",
    "fewest secrets",
    "unique rows",
    "unique people",
    "population uniques",
    "special uniques",
    "highest SUDA score",
    "DIS",
    "highest DIS-SUDA",
    "replicated uniques",
    "DiSCO",
    "repeated texts",
    "order of rows",
    "made with the control",
    "utility",
    "to repeat it",
]
"""Readings that an entry can name beside risks; ``answers`` says where each is in an audit."""


@dataclass(frozen=True, slots=True)
class GuidanceEntry:
    """One thing that a document asks.

    Parameters
    ----------
    place : where in the document; empty if we could not check where.
    asks : what it asks, in our words.
    readings : which readings of an audit speak to it; none if an audit measures nothing of it. A
        criterion stands for all risks that speak to it, which say so themselves.
    note : what a reader must know to connect the two.
    """

    place: str
    asks: str
    readings: tuple[ReadingName | Criterion, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Guideline:
    """A document that says what to ask of a release."""

    key: str
    title: str
    issuer: str
    entries: tuple[GuidanceEntry, ...]


_CLASSES = "Classes say how a file looks. Rows of synthetic people may be unique without harm."
_THRESHOLD = (
    "The threshold was made for records of real people that were masked. The reading is one "
    "divided by the smallest class; 0.09 is about one in eleven. " + _CLASSES
)
_ATTACKS = (
    "The attacks here are programs. Nobody searched the web, asked around or used other lists of "
    "these people."
)


GUIDANCE: tuple[Guideline, ...] = (
    Guideline(
        "recipient",
        "Judgment C-413/23 P, EDPS v SRB, 4 September 2025",
        "Court of Justice of the European Union",
        (
            GuidanceEntry(
                "",
                "Whether people are identifiable depends on who holds the data, and on the means "
                "that this holder is reasonably likely to use.",
                ("recipient",),
                "The argument about these means is the owner's. The audit says what its attackers "
                "knew.",
            ),
        ),
    ),
    Guideline(
        "wp29",
        "Opinion 05/2014 on anonymisation techniques (WP 216)",
        "Article 29 Data Protection Working Party",
        (
            GuidanceEntry(
                "criterion of singling out",
                "Can somebody still isolate the record of one person?",
                ("isolation", "unique people", "replicated uniques"),
            ),
            GuidanceEntry(
                "criterion of linkability",
                "Can two records about the same person still be connected, in one table or in two?",
                ("connection",),
            ),
            GuidanceEntry(
                "criterion of inference",
                "Can somebody deduce a value of a person from other values, with a probability "
                "that matters?",
                ("deduction", "DiSCO"),
            ),
            GuidanceEntry(
                "recommendations",
                "Look at the remaining risk again from time to time, since attacks improve.",
            ),
        ),
    ),
    Guideline(
        "ico",
        "Guidance on anonymisation, chapter “How do we ensure anonymisation is effective?” (2025)",
        "Information Commissioner's Office, United Kingdom",
        (
            GuidanceEntry(
                "key indicators of identifiability",
                "Look at singling out, at linkability and at what can be inferred.",
                ("isolation", "connection", "deduction"),
            ),
            GuidanceEntry(
                "the motivated intruder test",
                "Would a competent and determined person succeed who has no special knowledge?",
                ("exposed share", "nameable records", "presence", "recipient"),
                _ATTACKS,
            ),
            GuidanceEntry(
                "the motivated intruder test",
                "Such a person searches public registers, media and networks, and asks people.",
            ),
            GuidanceEntry(
                "who else may identify people",
                "A release to everybody needs more care than one to known recipients.",
                ("recipient",),
            ),
        ),
    ),
    Guideline(
        "hipaa",
        "Expert determination, 45 CFR 164.514(b)(1), and OCR's guidance on de-identification "
        "(2012)",
        "United States Department of Health and Human Services",
        (
            GuidanceEntry(
                "164.514(b)(1)(i)",
                "An expert finds that the risk is very small that the recipient to be expected "
                "identifies a person, also together with other information at hand.",
                (
                    "recipient",
                    "exposed share",
                    "nameable records",
                    "connection",
                    "population uniques",
                ),
                "The expert finds that, not the audit. No number is set for a very small risk.",
            ),
            GuidanceEntry(
                "164.514(b)(1)(ii)",
                "The expert documents the methods and the results.",
                ("to repeat it",),
                "The report of the audit has the methods and every figure.",
            ),
            GuidanceEntry(
                "OCR, principle of distinguishability",
                "How far does a person stand out in the data?",
                ("unique people", "population uniques", "special uniques", "highest SUDA score"),
            ),
            GuidanceEntry(
                "OCR, principles of replicability and of data sources",
                "Which values stay the same over time, and which other sources have them with a "
                "name?",
            ),
        ),
    ),
    Guideline(
        "clinical",
        "Policy 0070 with its external guidance; Public Release of Clinical Information (2019)",
        "European Medicines Agency; Health Canada",
        (
            GuidanceEntry(
                "",
                "For clinical data that are public, a risk of re-identification of at most 0.09 "
                "for each record is the threshold in use.",
                ("risk of the smallest class", "DIS", "highest DIS-SUDA", "nameable records"),
                _THRESHOLD,
            ),
            GuidanceEntry(
                "",
                "An anonymisation report says how the risk was assessed and what use is left.",
                ("verdict", "utility"),
            ),
        ),
    ),
    Guideline(
        "sp800-226",
        "SP 800-226, Guidelines for evaluating differential privacy guarantees (2025)",
        "National Institute of Standards and Technology",
        (
            GuidanceEntry(
                "",
                "A claim of differential privacy is judged by epsilon, by whose data count as one "
                "unit, and by a proof.",
                (),
                "One release shows no epsilon. quintain audit sanitizer gives lower bounds on it.",
            ),
            GuidanceEntry(
                "",
                "A guarantee can be lost on the way to a program that people run.",
                ("presence", "p", "smallest detectable"),
                "An attack that works need not refute a guarantee, and one that fails proves none.",
            ),
            GuidanceEntry(
                "",
                "Who collects the data, who can reach them and whom one has to trust are part of "
                "the judgement.",
            ),
        ),
    ),
    Guideline(
        "sp800-188",
        "SP 800-188, De-identifying government datasets: techniques and governance (2023)",
        "National Institute of Standards and Technology",
        (
            GuidanceEntry(
                "",
                "Studies of re-identification measure the risk that is left.",
                ("p", "exposed share", "nameable records", "connection", "made with the control"),
            ),
            GuidanceEntry(
                "",
                "An agency can adopt a standard with levels that are measurable.",
                ("verdict", "smallest class", "fewest secrets"),
                "The thresholds of the verdict are defaults; an organisation sets its own.",
            ),
            GuidanceEntry(
                "",
                "Choose how to share: to everybody, as synthetic data, by queries or in a "
                "protected room.",
                ("recipient",),
            ),
            GuidanceEntry(
                "", "A board reviews what is to be disclosed, and watches it over its whole life."
            ),
        ),
    ),
    Guideline(
        "iso27559",
        "ISO/IEC 27559:2022, Privacy enhancing data de-identification framework",
        "ISO and IEC",
        (
            GuidanceEntry(
                "6.2.3",
                "State the motives and the capacity of those who could re-identify.",
                ("recipient",),
            ),
            GuidanceEntry(
                "7.2.5",
                "Describe the properties of the data set.",
                ("smallest class", "unique rows", "order of rows"),
            ),
            GuidanceEntry(
                "7.3.2",
                "Say whether the risk is the highest of a record or the average.",
                ("risk of the smallest class", "highest DIS-SUDA", "exposed share"),
                "The first two are highest risks, the exposed share is an average over people.",
            ),
            GuidanceEntry(
                "7.3.3",
                "Distinguish attacks on people of the sample from attacks on the population.",
                ("unique people", "population uniques", "DIS"),
            ),
            GuidanceEntry(
                "8.2.2",
                "Put a number on identifiability.",
                ("exposed share", "nameable records", "replicated uniques", "DiSCO"),
            ),
            GuidanceEntry(
                "8.2.3",
                "Test like an adversary.",
                ("presence", "isolation", "connection", "deduction", "repeated texts"),
                _ATTACKS,
            ),
            GuidanceEntry(
                "9.3", "Watch the data and what surrounds them after they were made available."
            ),
        ),
    ),
    Guideline(
        "tehdas2",
        "D7.2, Guideline on data minimisation, pseudonymisation, anonymisation and synthetic data "
        "(2026)",
        "TEHDAS2, for the European Health Data Space",
        (
            GuidanceEntry(
                "",
                "Synthetic data can serve instead of real ones if their risks for privacy were "
                "assessed.",
                ("verdict", "presence", "isolation", "connection", "deduction"),
            ),
            GuidanceEntry(
                "",
                "Weigh the risks of re-identification and of inference against the purpose.",
                ("exposed share", "deduction", "utility"),
            ),
            GuidanceEntry("", "Give no more data than the purpose needs."),
        ),
    ),
    Guideline(
        "aisvs",
        "Artificial Intelligence Security Verification Standard (AISVS) 1.0 (2026)",
        "OWASP",
        (
            GuidanceEntry(
                "11.2.5",
                "Simulated attacks on membership do no better than a random guess.",
                ("presence", "p", "smallest detectable"),
                "The standard speaks of models; here the attacker sees a release alone.",
            ),
            GuidanceEntry(
                "12.1.2 of the drafts until June 2026, not in 1.0",
                "Audits measure k-anonymity or l-diversity of training data.",
                ("smallest class", "fewest secrets"),
                _CLASSES,
            ),
            GuidanceEntry(
                "12.1.4 of the drafts until June 2026, not in 1.0",
                "For synthetic data, the risk of re-identification stays below a threshold that is "
                "written down, also if lists are linked.",
                ("connection", "nameable records", "exposed share"),
                "The threshold is the organisation's; the verdict of the audit states its own.",
            ),
        ),
    ),
)
"""What is asked, document by document."""


PURPOSE = (
    "This dossier says which readings of the audit speak to which sentence of the guidance, in our "
    "words. It is neither legal advice nor a certificate. Identifiability is argued for a "
    "recipient and their means, and that argument is the owner's."
)
"""What a dossier is."""


CANNOT_SAY = (
    "Whether a law applies, and what it means for this release. That is for lawyers and for the "
    "authority.",
    "What somebody finds out with other data about these people, by asking around, or with "
    "attacks that this audit did not run.",
    "Whether the recipient keeps to a contract, and who else gets the release.",
    "What happens later: further releases about the same people, and better attacks.",
)
"""What no audit of a release can say."""
