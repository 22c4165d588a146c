"""Comparison view: sanitizers and releases beside each other, as one HTML page."""

from __future__ import annotations

from quintain.audits.comparison import EntryComparison
from quintain.figures.format import count, number, probability
from quintain.figures.interval_plot import IntervalGroup, interval_plot
from quintain.figures.page import render

DRAWN = 6
"""How many attacks are drawn, those that read most; the table has all."""


def comparison_page(comparison: EntryComparison) -> str:
    """The report of a comparison as the text of an HTML file."""
    names = [entry.name for entry in comparison.entries]
    groups = [
        IntervalGroup(
            attack, tuple((name, comparison.cell(name, attack).reading) for name in names)
        )
        for attack in comparison.attacks[:DRAWN]
    ]
    text = "AUC: the right one of two people   ← better"
    return render(
        __package__,
        "comparison.html.j2",
        "audit.css",
        audit=comparison,
        headline=headline(comparison),
        sentences=difference_sentences(comparison),
        drawn=interval_plot(groups, 0.5, text, "compared") if groups else None,
        left_out=max(0, len(comparison.attacks) - DRAWN),
        names=names,
    )


def headline(comparison: EntryComparison) -> str:
    """What the differences say together, in a sentence."""
    sure = sum(difference.more_than_luck for difference in comparison.differences)
    total = count(len(comparison.differences), "difference")
    if not comparison.differences:
        return "No two entries were measured in every repetition, so none can be compared."
    if not sure:
        return f"Of {total}, all could be luck."
    return f"Of {total}, {sure} {'is' if sure == 1 else 'are'} more than luck."


def difference_sentences(comparison: EntryComparison) -> list[str]:
    """Each difference that is more than luck, in a sentence; the surest first."""
    sentences = []
    for difference in comparison.differences:
        if not difference.more_than_luck:
            continue
        gap = difference.reading.value
        more, less = difference.first, difference.second
        if gap < 0:
            more, less = less, more
        sentences.append(
            f"{more} gives {difference.attack} more than {less} does: AUC higher by "
            f"{number(abs(gap))} (corrected p {probability(difference.adjusted_p)})."
        )
    return sentences
