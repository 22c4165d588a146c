"""Plays: one attack on one release. Contests, audits, notebooks and the terminal all play here.

What does not belong here: attacks themselves, how a guess is scored, and the words in which a
caller tells people of a refusal.
"""

from quintain.plays.play import play, play_or_raise
from quintain.plays.refusal import LASTING, REFUSALS, Refusal
from quintain.plays.situation import Situation

__all__ = ["LASTING", "REFUSALS", "Refusal", "Situation", "play", "play_or_raise"]
