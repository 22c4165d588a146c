"""PATE-GAN: a generator that learns from noisy votes of teachers, each with part of the data."""

from quintain.sanitizers.synthetic.pategan.synthesizer import PateGan, PateGanModel

__all__ = ["PateGan", "PateGanModel"]
