"""Sandboxes: where a program runs, and what of this machine it can reach from there."""

from quintain.programs.sandbox.provider import Ending, Sandbox

__all__ = ["Ending", "Sandbox"]
