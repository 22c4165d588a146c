# Written by scripts/list_parts.py: do not edit.

from quintain import attacks as attacks
from quintain import contests as contests
from quintain import data as data
from quintain import guesses as guesses
from quintain import measures as measures
from quintain import rankings as rankings
from quintain import releases as releases
from quintain import samples as samples
from quintain import sanitizers as sanitizers
from quintain.api import attack as attack
from quintain.api import audit as audit
from quintain.api import audit_everybody as audit_everybody
from quintain.api import audit_sanitizer as audit_sanitizer
from quintain.api import learn_schema as learn_schema
from quintain.api import measure as measure
from quintain.api import part as part
from quintain.api import parts as parts
from quintain.api import sanitize as sanitize
from quintain.attacks import Attack as Attack
from quintain.attacks import Knowledge as Knowledge
from quintain.contests import Edition as Edition
from quintain.contests import load as load
from quintain.data import Column as Column
from quintain.data import Schema as Schema
from quintain.data import Series as Series
from quintain.data import Table as Table
from quintain.data import Transactions as Transactions
from quintain.data import from_frame as from_frame
from quintain.data import read as read
from quintain.data import write as write
from quintain.guesses import Goal as Goal
from quintain.guesses import Guess as Guess
from quintain.measures import GuessMeasure as GuessMeasure
from quintain.measures import Reading as Reading
from quintain.measures import ReleaseMeasure as ReleaseMeasure
from quintain.noise import Noise as Noise
from quintain.rankings import RankingRule as RankingRule
from quintain.registry import register as register
from quintain.releases import Claim as Claim
from quintain.releases import Release as Release
from quintain.samples import Design as Design
from quintain.samples import Sample as Sample
from quintain.sanitizers import Sanitizer as Sanitizer
from quintain.seeds import SeedTree as SeedTree

__version__: str
