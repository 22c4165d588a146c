"""PrivBayes: a Bayesian network that is learned with differential privacy, then sampled."""

from quintain.sanitizers.synthetic.privbayes.synthesizer import PrivBayes, PrivBayesModel

__all__ = ["PrivBayes", "PrivBayesModel"]
