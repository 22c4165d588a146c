"""Stage 6, guesses: the questions for attackers, their answers, and which answers are valid.

Attacks make guesses, so this noun stands below that verb in the imports. What does not belong
here: how good a guess is (a measure).
"""

from __future__ import annotations

from quintain.builtin import offer_parts

_PLACES = {
    "AttributeQuestion": "attribute",
    "Condition": "predicates",
    "Conditions": "predicates",
    "Goal": "goal",
    "Guess": "goal",
    "HiddenColumnsQuestion": "hidden_columns",
    "LinkabilityQuestion": "linkability",
    "MembershipQuestion": "membership",
    "MembershipSetQuestion": "membership_set",
    "NamingQuestion": "naming",
    "Predicate": "predicates",
    "PseudonymQuestion": "pseudonym",
    "PublishedRowQuestion": "published_row",
    "Question": "goal",
    "ReconstructionQuestion": "reconstruction",
    "SinglingOutQuestion": "singling_out",
    "TraceQuestion": "trace",
    "Truth": "goal",
    "members_and_links": "linkability",
    "members_and_scores": "membership",
    "pseudonyms_and_guesses": "naming",
    "rows_and_guesses": "published_row",
    "values_and_guesses": "attribute",
}

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

__getattr__, __dir__ = offer_parts(__name__, __all__, _PLACES)
