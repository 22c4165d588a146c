"""Coverage: what of a release the attacks compare, and what the rest tells without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quintain.audits.results import ReleasedColumns
from quintain.audits.verdict import Judgement

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a release the attacks compare, and what the rest tells without them.

    Parameters
    ----------
    compared : how many columns of the release the attacks see.
    uncompared : the names of the others, except those that never vary.
    proofs : why texts that were left out make the release unsafe, in sentences.
    notes : the same where no control says how many texts agree by chance.
    searched : the columns of free text, in which the audit looks for what the release repeats.
    unseen : those of the uncompared columns that may say something about people that nothing
        looked for: no ids that were looked for, and no free texts.
    looked : where the audit looked for identities, in sentences.
    constant : the columns that have the same value in every row of the release.
    finer : compared columns whose released numbers have digits behind those of the original, which
        are no errors of calculation and no averages of few numbers.
    """

    compared: int
    uncompared: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    finer: tuple[str, ...] = ()

    def limits(self) -> tuple[str, ...]:
        """What the reader of the verdict should know, in sentences."""
        limits = list(self.notes)
        if self.uncompared:
            columns = self.compared + len(self.searched) + len(self.uncompared)
            beyond = "Beyond identities, the" if self.looked else "The"
            limits.append(
                f"No attack looked at {len(self.uncompared)} of {columns} columns of the release: "
                f"{quote_names(self.uncompared)}. {beyond} verdict does not cover them; what was "
                "not computed says why."
            )
        if self.searched:
            limits.append(
                f"In the free text of {quote_names(self.searched)} the audit sees repeated "
                "passages, names and numbers alone. It does not see what the release says about "
                "people in other words, or in another language."
            )
        if self.constant:
            limits.append(
                "The same value stands in every row of the release, and so says nothing about "
                f"anybody, in {quote_names(self.constant)}."
            )
        if self.finer:
            limits.append(_finer_words(self.finer))
        return (*limits, *self.looked)

    @property
    def not_attacked(self) -> tuple[str, ...]:
        """The columns that attacks do not compare, free texts among them."""
        return (*self.uncompared, *self.searched)

    def as_result(self) -> ReleasedColumns:
        """The same for the result of the audit."""
        return ReleasedColumns(
            compared=self.compared,
            searched=self.searched,
            constant=self.constant,
            uncompared=self.uncompared,
            unseen=self.unseen,
        )

    def limit_verdict(self, verdict: Judgement) -> Judgement:
        """The verdict, or "cannot-say" if too much of the release was not seen to call it small.

        One attribute of people that no attack could compare is too much: it may be what gives them
        away. So are digits behind those of the original, which may be an id. Ids and free texts are
        too much if they are more than the columns that were compared.
        """
        if verdict.verdict not in ("nothing-found", "some-leakage"):
            return verdict
        total = self.compared + len(self.uncompared)
        if self.unseen:
            reason = (
                f"No attack could compare {len(self.unseen)} of {total} columns of the release "
                f"with the original: {quote_names(self.unseen)}. Nobody can say what they give "
                "away. Give the original and the control such columns, too, under the same names. "
                "Or publish the release without these columns, and audit that file."
            )
        elif len(self.uncompared) > self.compared:
            reason = (
                f"The attacks could compare only {self.compared} of {total} columns of the release "
                f"with the original, without {quote_names(self.uncompared)}."
            )
        elif self.finer and verdict.verdict == "nothing-found":
            reason = _finer_words(self.finer)
        else:
            return verdict
        return verdict.cannot_say(reason, "columns")


def _finer_words(names: Sequence[str]) -> str:
    """Why digits that nobody measured leave the verdict open."""
    return (
        f"The released numbers of {quote_names(names)} have more digits than those of the "
        "original. Attacks compare how large numbers are, and the audit looked for ids and dates "
        "behind them; what else such digits say, nobody can tell. Round the numbers to the "
        "precision of the original."
    )


def quote_names(names: Sequence[str]) -> str:
    """Names of columns for a sentence, the first ones if there are many."""
    more = len(names) - _MOST_NAMED
    listed = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    return listed + (f" and {more} more" if more > 0 else "")
