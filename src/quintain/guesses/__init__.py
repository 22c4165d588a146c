"""Stage 6, guesses: the questions for attackers, their answers, and which answers are valid.

Attacks make guesses, so this noun stands below that verb in the imports. What does not belong
here: how good a guess is (a measure).
"""

from __future__ import annotations

from quintain.builtin import offer_parts
from quintain.guesses.attribute import AttributeQuestion, values_and_guesses
from quintain.guesses.goal import Goal, Guess, Question, Truth
from quintain.guesses.hidden_columns import HiddenColumnsQuestion
from quintain.guesses.linkability import LinkabilityQuestion, members_and_links
from quintain.guesses.membership import MembershipQuestion, members_and_scores
from quintain.guesses.membership_set import MembershipSetQuestion
from quintain.guesses.naming import NamingQuestion, pseudonyms_and_guesses
from quintain.guesses.predicates import Condition, Conditions, Predicate
from quintain.guesses.pseudonym import PseudonymQuestion
from quintain.guesses.published_row import PublishedRowQuestion, rows_and_guesses
from quintain.guesses.reconstruction import ReconstructionQuestion
from quintain.guesses.singling_out import SinglingOutQuestion
from quintain.guesses.trace import TraceQuestion

__all__ = [
    "AttributeQuestion",
    "Condition",
    "Conditions",
    "Goal",
    "Guess",
    "HiddenColumnsQuestion",
    "LinkabilityQuestion",
    "MembershipQuestion",
    "MembershipSetQuestion",
    "NamingQuestion",
    "Predicate",
    "PseudonymQuestion",
    "PublishedRowQuestion",
    "Question",
    "ReconstructionQuestion",
    "SinglingOutQuestion",
    "TraceQuestion",
    "Truth",
    "members_and_links",
    "members_and_scores",
    "pseudonyms_and_guesses",
    "rows_and_guesses",
    "values_and_guesses",
]

__getattr__, __dir__ = offer_parts(__name__, __all__)
