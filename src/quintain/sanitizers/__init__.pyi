# Written by scripts/list_parts.py: do not edit.

from quintain.sanitizers.identity import Identity as Identity
from quintain.sanitizers.masking.cell_suppression import CellSuppression as CellSuppression
from quintain.sanitizers.masking.deletion import PartialExtraction as PartialExtraction
from quintain.sanitizers.masking.deletion import RecordDeletion as RecordDeletion
from quintain.sanitizers.masking.deletion import SmallClassDeletion as SmallClassDeletion
from quintain.sanitizers.masking.dummy_records import DummyRecords as DummyRecords
from quintain.sanitizers.masking.evasion import Evasion as Evasion
from quintain.sanitizers.masking.generalisation.generaliser import KAnonymity as KAnonymity
from quintain.sanitizers.masking.generalisation.generaliser import LDiversity as LDiversity
from quintain.sanitizers.masking.generalisation.generaliser import TCloseness as TCloseness
from quintain.sanitizers.masking.microaggregation import Microaggregation as Microaggregation
from quintain.sanitizers.masking.noise_addition import IntegerNoise as IntegerNoise
from quintain.sanitizers.masking.noise_addition import NoiseAddition as NoiseAddition
from quintain.sanitizers.masking.pram import Pram as Pram
from quintain.sanitizers.masking.randomized_response import RandomizedResponse as RandomizedResponse
from quintain.sanitizers.masking.randomized_response import (
    RandomizedResponseByFrequency as RandomizedResponseByFrequency,
)
from quintain.sanitizers.masking.swapping import RankSwapping as RankSwapping
from quintain.sanitizers.masking.swapping import Swapping as Swapping
from quintain.sanitizers.masking.top_bottom_coding import TopBottomCoding as TopBottomCoding
from quintain.sanitizers.models.dp_sgd import TrainDpSgd as TrainDpSgd
from quintain.sanitizers.models.plain_trainers import TrainForest as TrainForest
from quintain.sanitizers.models.plain_trainers import TrainLogistic as TrainLogistic
from quintain.sanitizers.models.plain_trainers import TrainNetwork as TrainNetwork
from quintain.sanitizers.models.torch_trainer import TrainTorch as TrainTorch
from quintain.sanitizers.people.family_resampling import FamilyResampling as FamilyResampling
from quintain.sanitizers.people.history_anonymity import HistoryAnonymity as HistoryAnonymity
from quintain.sanitizers.people.marginals import PeopleMarginals as PeopleMarginals
from quintain.sanitizers.people.new_pseudonyms import NewPseudonyms as NewPseudonyms
from quintain.sanitizers.people.period_pseudonyms import PeriodPseudonyms as PeriodPseudonyms
from quintain.sanitizers.people.row_dropping import RowDropping as RowDropping
from quintain.sanitizers.people.time_shift import TimeShift as TimeShift
from quintain.sanitizers.people.value_shuffling import ValueShuffling as ValueShuffling
from quintain.sanitizers.pipeline import Pipeline as Pipeline
from quintain.sanitizers.sanitizer import Sanitizer as Sanitizer
from quintain.sanitizers.sanitizer import sanitize as sanitize
from quintain.sanitizers.series.bin_swap import BinSwap as BinSwap
from quintain.sanitizers.series.controls import FarOut as FarOut
from quintain.sanitizers.series.controls import UniformSeries as UniformSeries
from quintain.sanitizers.series.lagged_gaussian import LaggedGaussian as LaggedGaussian
from quintain.sanitizers.series.neural.adversarial import Adversarial as Adversarial
from quintain.sanitizers.series.neural.genetic import Genetic as Genetic
from quintain.sanitizers.series.neural.timegan import TimeGan as TimeGan
from quintain.sanitizers.series.noise import AddNoise as AddNoise
from quintain.sanitizers.series.noise import NoiseShuffle as NoiseShuffle
from quintain.sanitizers.synthetic.aim import Aim as Aim
from quintain.sanitizers.synthetic.annealed import AnnealedSynthetic as AnnealedSynthetic
from quintain.sanitizers.synthetic.deep.ctgan import Ctgan as Ctgan
from quintain.sanitizers.synthetic.deep.latent_diffusion import LatentDiffusion as LatentDiffusion
from quintain.sanitizers.synthetic.deep.tabddpm import TabDdpm as TabDdpm
from quintain.sanitizers.synthetic.deep.tvae import Tvae as Tvae
from quintain.sanitizers.synthetic.generators.adversarial_forest import (
    AdversarialForest as AdversarialForest,
)
from quintain.sanitizers.synthetic.generators.cart import CartSynthesis as CartSynthesis
from quintain.sanitizers.synthetic.generators.gaussian_copula import (
    GaussianCopula as GaussianCopula,
)
from quintain.sanitizers.synthetic.independent import Independent as Independent
from quintain.sanitizers.synthetic.moments import MomentsGenerator as MomentsGenerator
from quintain.sanitizers.synthetic.mst import Mst as Mst
from quintain.sanitizers.synthetic.pategan.synthesizer import PateGan as PateGan
from quintain.sanitizers.synthetic.privbayes import PrivBayes as PrivBayes
from quintain.sanitizers.trajectories.coarse_places import CoarsePlaces as CoarsePlaces
from quintain.sanitizers.trajectories.common_cells import CommonCells as CommonCells
from quintain.sanitizers.trajectories.dropping import DropPoints as DropPoints
from quintain.sanitizers.trajectories.exchanging import PlaceSwap as PlaceSwap
from quintain.sanitizers.trajectories.exchanging import TraceSwap as TraceSwap
from quintain.sanitizers.trajectories.markov_trips import MarkovTrips as MarkovTrips
from quintain.sanitizers.trajectories.planar_laplace import PlanarLaplace as PlanarLaplace
from quintain.sanitizers.transactions.cohort_swap import CohortSwap as CohortSwap
from quintain.sanitizers.transactions.core_baskets import CoreBaskets as CoreBaskets
from quintain.sanitizers.transactions.customer_swap import CustomerSwap as CustomerSwap
from quintain.sanitizers.transactions.item_swap import ItemSwap as ItemSwap
from quintain.sanitizers.transactions.item_swap import SimilarCustomers as SimilarCustomers
from quintain.sanitizers.transactions.pooled_baskets import PooledBaskets as PooledBaskets
from quintain.sanitizers.transactions.pseudonyms import Pseudonyms as Pseudonyms
from quintain.sanitizers.transactions.suppression import Suppression as Suppression
from quintain.sanitizers.transactions.value_noise import DateNoise as DateNoise
from quintain.sanitizers.transactions.value_noise import PriceNoise as PriceNoise
from quintain.sanitizers.transactions.value_noise import QuantityNoise as QuantityNoise
