"""Empirical epsilon: lower bounds on the privacy loss that successful attacks prove.

An audit can offer each of the methods under its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from quintain.measures.epsilon.bayesian import Bayesian
from quintain.measures.epsilon.gaussian import Gaussian
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import EpsilonMethod
from quintain.measures.epsilon.one_run import OneRun, OneRunGaussian
from quintain.measures.epsilon.thresholds import ClopperPearson, RankedThresholds

DEFAULT = JointExact()
"""The method to decide by. The largest of several bounds is not a bound: choose one beforehand."""

METHODS: Mapping[str, EpsilonMethod] = MappingProxyType(
    {
        method.name: method
        for method in (
            DEFAULT,
            ClopperPearson(),
            RankedThresholds(),
            Bayesian(),
            OneRun(),
            Gaussian(),
            OneRunGaussian(),
        )
    }
)
"""All methods by name. Their ``design`` says which need coins; the Gaussian ones need your word."""
