"""Rules in words: the whole edition as sentences, generated from what the judge will do.

Nobody writes this text by hand, so it cannot say anything else than the rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from quintain.contests import Edition, Team
from quintain.contests.edition import Award
from quintain.contests.fields import RankedBoard
from quintain.figures.counts import count
from quintain.figures.format import listed
from quintain.host.views.track_in_words import Section, board_line, track_sections
from quintain.runs.report.wording import sentence


class TrackRules(BaseModel):
    """The rules of one track."""

    id: str
    title: str
    sections: list[Section]


class RulesView(BaseModel):
    """The rules of a contest.

    Parameters
    ----------
    version : how many times the rules were fixed; later versions have a reason in the journal.
    tracks : the rules of each track.
    sections : the rules that hold for all tracks.
    """

    version: int
    tracks: list[TrackRules]
    sections: list[Section]


def rules_in_words(rules: Edition, version: int) -> RulesView:
    """The rules of a contest in sentences."""
    return RulesView(
        version=version,
        tracks=[
            TrackRules(
                id=track.id,
                title=track.title or (track.id if len(rules.track) > 1 else "The contest"),
                sections=track_sections(track),
            )
            for track in rules.track
        ],
        sections=[section for section in _shared(rules) if section.lines],
    )


def _shared(rules: Edition) -> Iterator[Section]:
    yield Section(
        title="Boards over all tracks",
        lines=[_overall_line(board) for board in rules.overall],
    )
    yield Section(title="Awards", lines=[_award(award, rules.team) for award in rules.award])
    yield Section(title="Files", lines=list(_limits(rules)))
    yield Section(title="How the organisers are bound", lines=list(_trust(rules)))


def _overall_line(board: RankedBoard) -> str:
    boards = getattr(board.rule, "boards", ())
    if isinstance(boards, dict):
        weights = [f"{name} counts {weight:g}" for name, weight in boards.items()]
        return f"{board.title or board.id}: {sentence(board.rule)} Here, {listed(weights, most=9)}."
    return board_line(board)


def _award(award: Award, teams: tuple[Team, ...]) -> str:
    if award.board is None:
        names = {team.id: team.name or team.id for team in teams}
        winners = listed([names.get(one, one) for one in award.winners], most=9)
        return f"{award.title}: a jury decides{f'; it goes to {winners}' if winners else ''}."
    places = "first place" if award.places == 1 else f"first {award.places} places"
    return f"{award.title}: for the {places} of the board {award.board}. Equal ranks share it."


def _limits(rules: Edition) -> Iterator[str]:
    limits = rules.limits
    yield (
        f"A file has at most {limits.file_bytes:,} bytes, {limits.rows:,} rows and "
        f"{count(limits.columns, 'column')}."
    )
    yield (
        f"A zip has at most {limits.archive_members:,} files and {limits.archive_bytes:,} bytes "
        "when it is unpacked. Other archives are refused."
    )


def _trust(rules: Edition) -> Iterator[str]:
    yield (
        "Before a phase opens, the organisers commit to every hidden file. They publish a hash "
        "with a secret salt, and nobody can change the file afterwards without being noticed."
    )
    if rules.commitment.algorithm == "sha512-unsalted":
        yield "Plain SHA-512 sums of the hidden files are published as well."
    if rules.commitment.beacon:
        yield (
            "A public value that nobody could know before is mixed into the organisers' keys: "
            f"{rules.commitment.beacon}."
        )
    yield (
        "Every submission gets a signed receipt. When the contest is over, all secrets are "
        "published, and anybody can play the contest again and compare every byte."
    )
