"""Runner: make one call in the sandbox of this machine. Nothing of the contest is known here."""

from __future__ import annotations

from quintain.programs.elsewhere.calls import Call, ending_bytes, input_of, result_of
from quintain.programs.elsewhere.sealing import Seal
from quintain.programs.message import with_process
from quintain.programs.sandbox.provider import Sandbox


def run_sealed(name: str, sealed: bytes, seal: Seal, sandbox: Sandbox) -> bytes:
    """Make a call whose input is sealed; returns the sealed result.

    A program that kills its sandbox, or that does not end, has a result, too: it says so.
    """
    call = Call.from_bytes(seal.open(sealed, input_of(name)))
    message = with_process(call.message, sandbox.settings(call.limits))
    ending = sandbox.run(message, call.limits, call.most)
    return seal.close(ending_bytes(ending), result_of(name))
