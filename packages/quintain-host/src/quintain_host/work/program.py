"""Programs: make one call of a team's program, on a worker whose sandbox was tested."""

from __future__ import annotations

from typing import Any

from quintain.programs.choice import ability
from quintain.programs.failures import SandboxError
from quintain.programs.remote import run_sealed
from quintain_host.programs.call_files import calls_of, site_seal
from quintain_host.work.handler import HandlerTask, handler


@handler("program")
def program(task: HandlerTask) -> dict[str, Any]:
    """Make the call, and store its sealed result under the number of this attempt."""
    name, attempt = str(task.claim.arguments["call"]), task.claim.attempt
    here = ability(trust=task.site.settings.trust_programs)
    if here.sandbox is None:
        raise SandboxError(here.why)
    seal, files = site_seal(task.site), calls_of(task.site)
    sealed = b"".join(files.input(name))
    files.keep_result(name, attempt, run_sealed(name, sealed, seal, here.sandbox))
    return {"attempt": attempt}
