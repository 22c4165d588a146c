# Written by scripts/list_parts.py: do not edit.

from quintain.guesses.attribute import Attribute as Attribute
from quintain.guesses.attribute import AttributeQuestion as AttributeQuestion
from quintain.guesses.attribute import values_and_guesses as values_and_guesses
from quintain.guesses.goal import Goal as Goal
from quintain.guesses.goal import Guess as Guess
from quintain.guesses.goal import Question as Question
from quintain.guesses.goal import Truth as Truth
from quintain.guesses.hidden_columns import HiddenColumns as HiddenColumns
from quintain.guesses.hidden_columns import HiddenColumnsQuestion as HiddenColumnsQuestion
from quintain.guesses.linkability import Linkability as Linkability
from quintain.guesses.linkability import LinkabilityQuestion as LinkabilityQuestion
from quintain.guesses.linkability import members_and_links as members_and_links
from quintain.guesses.linkage import Linkage as Linkage
from quintain.guesses.membership import Membership as Membership
from quintain.guesses.membership import MembershipQuestion as MembershipQuestion
from quintain.guesses.membership import members_and_scores as members_and_scores
from quintain.guesses.membership_set import MembershipSet as MembershipSet
from quintain.guesses.membership_set import MembershipSetQuestion as MembershipSetQuestion
from quintain.guesses.predicates import Condition as Condition
from quintain.guesses.predicates import Conditions as Conditions
from quintain.guesses.predicates import Predicate as Predicate
from quintain.guesses.published_row import PublishedRow as PublishedRow
from quintain.guesses.published_row import PublishedRowQuestion as PublishedRowQuestion
from quintain.guesses.published_row import rows_and_guesses as rows_and_guesses
from quintain.guesses.singling_out import SinglingOut as SinglingOut
from quintain.guesses.singling_out import SinglingOutQuestion as SinglingOutQuestion
