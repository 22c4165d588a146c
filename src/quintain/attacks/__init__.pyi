# Written by scripts/list_parts.py: do not edit.

from quintain.attacks.aggregates import Aggregates as Aggregates
from quintain.attacks.attack import Attack as Attack
from quintain.attacks.attribute.linear_reconstruction import (
    LinearReconstruction as LinearReconstruction,
)
from quintain.attacks.attribute.majority_given_known import MajorityGivenKnown as MajorityGivenKnown
from quintain.attacks.attribute.regression import Regression as Regression
from quintain.attacks.each_table import EachTable as EachTable
from quintain.attacks.half_linkage import HalfLinkage as HalfLinkage
from quintain.attacks.histories import WholeHistories as WholeHistories
from quintain.attacks.linkage.evidence_assignment import EvidenceAssignment as EvidenceAssignment
from quintain.attacks.linkage.evidence_assignment import ShadowEvidence as ShadowEvidence
from quintain.attacks.linkage.profile_assignment import ProfileAssignment as ProfileAssignment
from quintain.attacks.linkage.swap_aware import SwapAware as SwapAware
from quintain.attacks.membership.copies import ExactMatch as ExactMatch
from quintain.attacks.membership.copies import NearCopies as NearCopies
from quintain.attacks.membership.copies import Surprise as Surprise
from quintain.attacks.membership.density_ratio import DensityRatio as DensityRatio
from quintain.attacks.membership.diffusion_losses import DiffusionLoss as DiffusionLoss
from quintain.attacks.membership.diffusion_losses import DiffusionShadows as DiffusionShadows
from quintain.attacks.membership.joint_ratio import JointRatio as JointRatio
from quintain.attacks.membership.mama_mia import MamaMia as MamaMia
from quintain.attacks.membership.matched_filter import MatchedFilter as MatchedFilter
from quintain.attacks.membership.moment_tracing import LearnedTracing as LearnedTracing
from quintain.attacks.membership.moment_tracing import MomentTracing as MomentTracing
from quintain.attacks.membership.neighbour_ratios import DcrDifference as DcrDifference
from quintain.attacks.membership.neighbour_ratios import DcrRatio as DcrRatio
from quintain.attacks.membership.neighbour_ratios import GenLra as GenLra
from quintain.attacks.membership.neighbour_ratios import KnnRatio as KnnRatio
from quintain.attacks.membership.neighbour_ratios import LocalDensityRatio as LocalDensityRatio
from quintain.attacks.membership.network_ratio import NetworkRatio as NetworkRatio
from quintain.attacks.membership.record_linkage import RecordLinkage as RecordLinkage
from quintain.attacks.membership.series.averages import SeriesAverages as SeriesAverages
from quintain.attacks.membership.series.binary_classifier import (
    BinaryClassifier as BinaryClassifier,
)
from quintain.attacks.membership.series.fingerprint import Fingerprint as Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching as GreedyMatching
from quintain.attacks.membership.series.learned_moments import LearnedMoments as LearnedMoments
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern as NanPattern
from quintain.attacks.membership.series.lengths_and_gaps import SeriesLength as SeriesLength
from quintain.attacks.membership.series.mikan import PersonsOrRows as PersonsOrRows
from quintain.attacks.membership.series.nearest_series import (
    SeriesDensityRatio as SeriesDensityRatio,
)
from quintain.attacks.membership.series.nearest_series import SeriesKnn as SeriesKnn
from quintain.attacks.membership.series.row_density import RowDensity as RowDensity
from quintain.attacks.membership.shadow_trained import ShadowTrained as ShadowTrained
from quintain.attacks.membership.tracing import Tracing as Tracing
from quintain.attacks.membership.tree_ratio import ForestRatio as ForestRatio
from quintain.attacks.membership.tree_ratio import TreeRatio as TreeRatio
from quintain.attacks.membership.two_sample import TwoSample as TwoSample
from quintain.attacks.membership.value_tracing import ValueTracing as ValueTracing
from quintain.attacks.models.gradient_length import GradientLength as GradientLength
from quintain.attacks.models.likeliest_value import LikeliestValue as LikeliestValue
from quintain.attacks.models.loss_threshold import LossThreshold as LossThreshold
from quintain.attacks.models.shadow_models import ReferenceModels as ReferenceModels
from quintain.attacks.models.shadow_models import ShadowModels as ShadowModels
from quintain.attacks.nearest import Nearest as Nearest
from quintain.attacks.random import Random as Random
from quintain.attacks.reconstruction.belief_propagation import (
    BeliefPropagation as BeliefPropagation,
)
from quintain.attacks.reconstruction.column_models import ColumnModels as ColumnModels
from quintain.attacks.reconstruction.column_models import PublicModels as PublicModels
from quintain.attacks.reconstruction.marginal_program import MarginalProgram as MarginalProgram
from quintain.attacks.reconstruction.most_common import MostCommon as MostCommon
from quintain.attacks.reconstruction.neighbour_vote import NeighbourVote as NeighbourVote
from quintain.attacks.reconstruction.rebuilding_ensemble import (
    RebuildingEnsemble as RebuildingEnsemble,
)
from quintain.attacks.row_linkage import RowLinkage as RowLinkage
from quintain.attacks.singling_out import RowPredicates as RowPredicates
from quintain.attacks.singling_out import ValuePredicates as ValuePredicates
from quintain.attacks.threat import Fact as Fact
from quintain.attacks.threat import Knowledge as Knowledge
from quintain.attacks.threat import ThreatModel as ThreatModel
from quintain.attacks.traces.habit_trace import HabitTrace as HabitTrace
from quintain.attacks.traces.home_and_work import HomeAndWork as HomeAndWork
from quintain.attacks.traces.markov_likelihood import MarkovLikelihood as MarkovLikelihood
from quintain.attacks.traces.usual_places import CrowdPlaces as CrowdPlaces
from quintain.attacks.traces.usual_places import OwnHabits as OwnHabits
from quintain.attacks.traces.visit_likelihood import VisitLikelihood as VisitLikelihood
