"""AIM: synthetic records from the marginals that a workload needs most."""

from quintain.sanitizers.synthetic.aim.synthesizer import Aim, AimModel

__all__ = ["Aim", "AimModel"]
