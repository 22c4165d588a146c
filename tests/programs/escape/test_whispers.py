"""Pairs of programs that whisper: they are heard where nothing stops them."""

from dataclasses import replace

import numpy as np

from quintain.programs import CallLimits
from quintain.programs.escape import calls as module
from quintain.programs.escape import whispers
from quintain.programs.escape.program import attack_program
from quintain.programs.escape.whispers import PAIRS, listen
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.sandbox.process import Process


def test_a_pair_is_heard_without_a_sandbox(monkeypatch):
    # The other pairs measure time, or count with the rest of the machine: a busy one disturbs them.
    monkeypatch.setattr(whispers, "PAIRS", {"locks": PAIRS["locks"]})
    (whisper,) = listen(Process(), np.random.default_rng(1))
    assert whisper.heard, f"{whisper.right} of 300 bits"


def test_what_cannot_be_read_is_guessed(monkeypatch):
    monkeypatch.setattr(whispers.Speaker, "say", lambda *_: "")
    heard = {w.pair: w.right for w in listen(Process(), np.random.default_rng(7))}
    assert set(heard) == set(PAIRS)
    assert all(110 < right < 190 for right in heard.values())
    again = {w.pair: w.right for w in listen(Process(), np.random.default_rng(7))}
    assert heard == again, "the same seed gives the same guesses"


def test_many_turns_of_a_pair_need_one_call_of_each_side(monkeypatch):
    calls = []
    real = module.call

    def counted(*given):
        calls.append(given[2])
        return real(*given)

    monkeypatch.setattr(module, "call", counted)
    pairs = {name: PAIRS[name] for name in ("sockets", "locks")}
    monkeypatch.setattr(whispers, "PAIRS", pairs)
    heard = {w.pair: w.heard for w in listen(Process(), np.random.default_rng(1))}
    assert heard["locks"] and set(heard) == set(pairs)
    assert calls == ["take_turns"] * 2, "20 turns of sockets and one of locks"


def test_a_pair_that_fails_or_ends_its_call_does_not_silence_the_next(monkeypatch):
    locks = PAIRS["locks"]
    broken = {
        "refused": replace(locks, writer="no_such_function"),
        "ended": replace(locks, reader="_end_call", together=False, writer="read_counts"),
        "locks": locks,
    }
    text = attack_program()["attacks/whispers.py"] + b"\n\ndef _end_call(given):\n    os._exit(3)\n"
    program = {**attack_program(), "attacks/whispers.py": text}
    monkeypatch.setattr(module, "attack_program", lambda: program)
    monkeypatch.setattr(whispers, "PAIRS", broken)
    heard = {w.pair: w.heard for w in listen(Process(), np.random.default_rng(1))}
    assert heard == {"refused": False, "ended": False, "locks": True}


def test_functions_share_a_call_and_one_that_ends_it_is_named(monkeypatch):
    text = b"""import os, time
def good(given):
    return "one"
def bad(given):
    raise PermissionError(given["token"])
def full(given):
    raise MemoryError
def crashes(given):
    os.abort()
def leaves(given):
    if os.fork() == 0:
        time.sleep(5)
        os._exit(0)
    return "left a child"
def ends(given):
    os.kill(given["parent"] if os.getppid() == given["parent"] else os.getppid(), 9)
    time.sleep(5)
def odd(given):
    return [1]
"""
    program = {**attack_program(), "odd.py": text}
    monkeypatch.setattr(module, "attack_program", lambda: program)
    names = ["good", "bad", "full", "crashes", "leaves", "ends", "odd", "missing"]
    limits = CallLimits(seconds=30, memory_gib=0.25)
    given = {"token": "t"}
    returned = module.call_together(Process(), [f"odd.{n}" for n in names], given, limits)
    assert [name.rpartition(".")[2] for name in returned] == names
    seen = [r.reason if isinstance(r, ProgramError) else r for r in returned.values()]
    reasons = [Reason.FAILED, Reason.OUT_OF_MEMORY, Reason.CRASHED]
    assert seen[:6] == ["one", *reasons, "left a child", Reason.CRASHED]
    assert seen[6] is Reason.NOT_NUMBERS and seen[7] is Reason.FAILED
