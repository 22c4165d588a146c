"""Blind cases: 83 kinds of original, release and control, and the verdicts that are right for each.

A statistician chose them who had seen neither the attacks nor the thresholds of the audit, nor any
of its code: only what an audit is for. The safety of each kind is known by its construction, and
the docstring of its function says why, in the words of its author. The cells that a seed gives
must stay what they are. Only the choice of cases is blind: an audit that was changed because of an
outcome here has seen them.

Cases are in files by their truth: ``unsafe_adult``, ``disguised``, ``unsafe_simulated``, ``safe``,
``undecided``.
"""

from benchmarks.audit.blind_kinds import (  # noqa: F401  each adds its kinds
    disguised,
    safe,
    undecided,
    unsafe_adult,
    unsafe_simulated,
)
from benchmarks.audit.blind_kinds.kind import KINDS, Case, Kind

__all__ = ["KINDS", "Case", "Kind"]
