"""The pages that every phase has: rules and terms."""

from __future__ import annotations

from collections.abc import Mapping

from quintain.contests import Edition, Track
from quintain.contests.words import artefact_lines, quota_words
from quintain.kit.codabench.competition import Timed, schedule
from quintain.kit.codabench.plan import site_artefacts

OFFICIAL = (
    "**The ranking on this site is not the official one.** Quintain computes the official ranking "
    "from the submissions to this site. The organisers committed to the rules, samples and "
    "releases before the contest, and anybody can verify the ranking afterwards."
)


def page_files(edition: Edition, texts: Mapping[str, str]) -> dict[str, bytes]:
    """The pages by their path in the bundle, with the terms."""
    every = {**texts, "terms": _terms(edition)}
    return {f"pages/{name}.md": f"{text.strip()}\n".encode() for name, text in every.items()}


def artefacts_text(track: Track, submit: str) -> str:
    """What the evaluation page says about further files of a submission, if there are any."""
    artefacts = site_artefacts(track, submit)
    if not artefacts:
        return ""
    return "\n\nPut these files beside it:\n\n" + "\n".join(artefact_lines(artefacts))


def rules_page(track: Track, submit: str, fair_play: str, roots: Mapping[str, str]) -> str:
    """Phases, limits, fair play, and what the organisers committed to."""
    phases = "\n".join(_limits(timed) for timed in schedule(track, submit))
    committed = "\n".join(f"- {stage}: `{root}`" for stage, root in roots.items())
    return f"""# Rules

Phases, in UTC:

{phases}

Fair play:

- Each team has one account, and the last submission of a phase counts.
- Files only: a submission that contains a program, or reads files of the worker, is disqualified.
{fair_play}

The organisers are bound by these commitments:

{committed or "- none"}
"""


def _limits(timed: Timed) -> str:
    phase = timed.phase
    until = "" if timed.end is None else f" to {timed.end:%Y-%m-%d %H:%M:%S}"
    since = f" from {timed.start:%Y-%m-%d %H:%M:%S}" if phase.opens else ""
    quota = quota_words(phase) or "any number"
    return f"- {phase.id}: open{since}{until}; submissions: {quota}."


def _terms(edition: Edition) -> str:
    return f"""# Terms

By taking part in "{edition.title}" you agree to its rules, to the publication of your submissions
together with the truth after the contest, so that anybody can verify the results, and not to use
what you learn against the people whose records are in the data.
"""
