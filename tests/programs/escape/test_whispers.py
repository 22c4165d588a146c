"""Pairs of programs that whisper: they are heard where nothing stops them."""

import numpy as np

from quintain.programs.escape import whispers
from quintain.programs.escape.whispers import PAIRS, listen
from quintain.programs.sandbox.process import Process


def test_a_pair_is_heard_without_a_sandbox(monkeypatch):
    # The other pairs measure time, or count with the rest of the machine: a busy one disturbs them.
    monkeypatch.setattr(whispers, "PAIRS", {"locks": PAIRS["locks"]})
    (whisper,) = listen(Process(), np.random.default_rng(1))
    assert whisper.heard, f"{whisper.right} of 300 bits"


def test_what_cannot_be_read_is_guessed(monkeypatch):
    monkeypatch.setattr(whispers, "_run", lambda *_: "")
    heard = {w.pair: w.right for w in listen(Process(), np.random.default_rng(7))}
    assert set(heard) == set(PAIRS)
    assert all(110 < right < 190 for right in heard.values())
    again = {w.pair: w.right for w in listen(Process(), np.random.default_rng(7))}
    assert heard == again, "the same seed gives the same guesses"
