# Written by scripts/list_parts.py: do not edit.

from quintain.rankings.board import Board as Board
from quintain.rankings.board import Candidate as Candidate
from quintain.rankings.board import Place as Place
from quintain.rankings.board import order as order
from quintain.rankings.combined import InverseRankSum as InverseRankSum
from quintain.rankings.combined import WeightedSum as WeightedSum
from quintain.rankings.count_wins import CountWins as CountWins
from quintain.rankings.defence import Defence as Defence
from quintain.rankings.earlier_submission import EarlierSubmission as EarlierSubmission
from quintain.rankings.formula import Formula as Formula
from quintain.rankings.mean import Mean as Mean
from quintain.rankings.results import Contestant as Contestant
from quintain.rankings.results import Entry as Entry
from quintain.rankings.results import Refusals as Refusals
from quintain.rankings.results import Results as Results
from quintain.rankings.rule import RankingRule as RankingRule
from quintain.rankings.ties import RankOn as RankOn
from quintain.rankings.ties import TieRule as TieRule
from quintain.rankings.ties import break_ties as break_ties
