# Written by scripts/list_parts.py: do not edit.

from quintain.measures.aligned import RecordMeasure as RecordMeasure
from quintain.measures.blind_law import BlindLaw as BlindLaw
from quintain.measures.measure import About as About
from quintain.measures.measure import Case as Case
from quintain.measures.measure import Curve as Curve
from quintain.measures.measure import GuessMeasure as GuessMeasure
from quintain.measures.measure import Measure as Measure
from quintain.measures.measure import Readings as Readings
from quintain.measures.measure import ReleaseMeasure as ReleaseMeasure
from quintain.measures.measure import reading_rng as reading_rng
from quintain.measures.privacy.cells_rebuilt import CellsByRarity as CellsByRarity
from quintain.measures.privacy.cells_rebuilt import CellsExact as CellsExact
from quintain.measures.privacy.cells_rebuilt import CellsNear as CellsNear
from quintain.measures.privacy.content_link import ContentLink as ContentLink
from quintain.measures.privacy.disclosure.disco import Disco as Disco
from quintain.measures.privacy.disclosure.population_uniques import (
    PopulationUniques as PopulationUniques,
)
from quintain.measures.privacy.disclosure.replicated_uniques import (
    ReplicatedUniques as ReplicatedUniques,
)
from quintain.measures.privacy.disclosure.smallest_class import SmallestClass as SmallestClass
from quintain.measures.privacy.disclosure.suda import Suda as Suda
from quintain.measures.privacy.excess_accuracy import ExcessAccuracy as ExcessAccuracy
from quintain.measures.privacy.excess_accuracy import ExcessWithin as ExcessWithin
from quintain.measures.privacy.found import AbsenceFound as AbsenceFound
from quintain.measures.privacy.found import CellsFound as CellsFound
from quintain.measures.privacy.found import HitRate as HitRate
from quintain.measures.privacy.found import PeopleNamed as PeopleNamed
from quintain.measures.privacy.found import RowsFound as RowsFound
from quintain.measures.privacy.generalisation_gap import GeneralisationGap as GeneralisationGap
from quintain.measures.privacy.halves_linked import HalvesLinked as HalvesLinked
from quintain.measures.privacy.isolation import Isolation as Isolation
from quintain.measures.privacy.membership_accuracy import Accuracy as Accuracy
from quintain.measures.privacy.membership_accuracy import ConfidenceWeighted as ConfidenceWeighted
from quintain.measures.privacy.membership_accuracy import MembershipAdvantage as MembershipAdvantage
from quintain.measures.privacy.reidentification import Reidentification as Reidentification
from quintain.measures.privacy.roc_curve import Auc as Auc
from quintain.measures.privacy.roc_curve import TprAtFpr as TprAtFpr
from quintain.measures.privacy.row_baselines import ShoppingBaselines as ShoppingBaselines
from quintain.measures.privacy.traced import Traced as Traced
from quintain.measures.privacy.unicity import Unicity as Unicity
from quintain.measures.reading import Direction as Direction
from quintain.measures.reading import Kind as Kind
from quintain.measures.reading import Reading as Reading
from quintain.measures.reading import average as average
from quintain.measures.utility.model_accuracy import ModelAccuracy as ModelAccuracy
from quintain.measures.utility.people import TreeMarginals as TreeMarginals
from quintain.measures.utility.series.diversity import SeriesDiversity as SeriesDiversity
from quintain.measures.utility.series.recurrent import Recurrent as Recurrent
from quintain.measures.utility.series.skill_retention import SkillRetention as SkillRetention
from quintain.measures.utility.shopping import ShoppingUtility as ShoppingUtility
from quintain.measures.utility.table.association import Association as Association
from quintain.measures.utility.table.covariance import Correlation as Correlation
from quintain.measures.utility.table.covariance import Covariance as Covariance
from quintain.measures.utility.table.cox import Cox as Cox
from quintain.measures.utility.table.decision_tree import DecisionTree as DecisionTree
from quintain.measures.utility.table.equal_cells import EqualCells as EqualCells
from quintain.measures.utility.table.kaplan_meier import KaplanMeier as KaplanMeier
from quintain.measures.utility.table.marginals import Histogram as Histogram
from quintain.measures.utility.table.marginals import KWayMarginals as KWayMarginals
from quintain.measures.utility.table.marginals import Marginals as Marginals
from quintain.measures.utility.table.propensity import Propensity as Propensity
from quintain.measures.utility.table.train_on_release import TrainOnRelease as TrainOnRelease
from quintain.measures.utility.trajectories.movement import Movement as Movement
from quintain.measures.utility.trajectories.place_utility import PlaceUtility as PlaceUtility
