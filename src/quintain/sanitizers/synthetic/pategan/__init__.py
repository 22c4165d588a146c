"""PATE-GAN: a generator that learns from the noisy votes of teachers on disjoint parts."""

from quintain.sanitizers.synthetic.pategan.synthesizer import PateGan, PateGanModel

__all__ = ["PateGan", "PateGanModel"]
