"""PrivBayes: a Bayesian network chosen and counted in private, then sampled."""

from quintain.sanitizers.synthetic.privbayes.synthesizer import PrivBayes, PrivBayesModel

__all__ = ["PrivBayes", "PrivBayesModel"]
