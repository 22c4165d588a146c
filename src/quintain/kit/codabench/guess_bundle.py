"""The files of a bundle for a guess phase: teams answer, and the site scores them.

With ``truth="worker"`` the bundle has no truth at all. The reference data are random bytes, and the
worker's folder has the truth masked with them. Reference data of CodaBench have leaked before, and
any program that a participant submits can read the worker's folder; either half alone is random.
"""

from __future__ import annotations

import hashlib

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.errors import FolderError, Rejected
from quintain.kit.codabench.competition import competition
from quintain.kit.codabench.exported import exported
from quintain.kit.codabench.pages.guess_phase import pages, starting_readme
from quintain.kit.codabench.pages.organisers import guess_note
from quintain.kit.codabench.plan import SITE_TEAM, Where, guess_plan
from quintain.kit.codabench.scripts import GUESSES, scripts
from quintain.kit.codabench.site import CodabenchSite
from quintain.kit.codabench.trial import trial_faults
from quintain.kit.kit import example_files, stand_ins
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.folder.record import roots

_NOTE = b"The truth is not here: one half is random bytes, the other is on the worker.\n"


def guess_site(folder: Folder, track: Track, truth: Where) -> CodabenchSite:
    """What CodaBench gets for the guess phase of a track; raises if an entry cannot be scored."""
    tasks, edition = _tasks(folder, track), folder.edition()
    plan = guess_plan(folder, track, truth)
    faults = trial_faults(folder, track, plan)
    if faults:
        raise Rejected(faults)
    program = scripts([*GUESSES, f"goals/{exported(track).module}.py"])
    program["plan.json"] = canonical_json(plan)
    examples = {f"{task.name}.csv": content for task, content in example_files(folder, track)}
    return CodabenchSite(
        config=competition(edition, track, list(folder.read(track).by_entry)),
        program=program,
        starting_kit={
            **program,
            "baseline.py": scripts(["baseline.py"])["baseline.py"],
            "README.md": starting_readme(edition, tasks),
            **{f"example/{name}": content for name, content in examples.items()},
            **{f"example/{name}": content for name, content in _artefacts(track).items()},
        },
        pages=pages(edition, track, tasks, roots(folder.state()), next(iter(examples.values()))),
        note=guess_note(edition, track, tasks, truth),
        reference=_reference(folder, tasks, truth),
    )


def _artefacts(track: Track) -> dict[str, bytes]:
    """Stand-ins for the artefacts that a submission must have, under their names on the site."""
    phase = track.phase_for("guess")
    return {} if phase is None else stand_ins(track, phase, SITE_TEAM, b"")


def worker_files(folder: Folder, track: Track) -> dict[str, bytes]:
    """The other half of the truth, for the folder that the worker mounts as ``/app/data``."""
    place = f"{folder.edition().id}/truth/{track.id}"
    return {
        f"{place}/{task.name}.half": _mask_bytes(_truth(folder, task), _mask(folder, task))
        for task in _tasks(folder, track)
    }


def _tasks(folder: Folder, track: Track) -> list[Task]:
    tasks = folder.tasks(track)
    if not tasks:
        raise FolderError(f"track {track.id} has nothing to attack")
    return tasks


def _reference(folder: Folder, tasks: list[Task], truth: Where) -> dict[str, bytes]:
    if truth == "bundle":
        return {f"{task.name}.csv": _truth(folder, task) for task in tasks}
    halves = {f"{task.name}.half": _mask(folder, task) for task in tasks}
    return {"README.txt": _NOTE, **halves}


def _truth(folder: Folder, task: Task) -> bytes:
    return folder.at(paths.truth(task)).read_bytes()


def _mask(folder: Folder, task: Task) -> bytes:
    """Random bytes as long as the truth, from a secret key of the folder."""
    key = folder.secrets().seeds(task.track, "codabench", task.entry).key(task.repeat)
    return hashlib.shake_256(key).digest(len(_truth(folder, task)))


def _mask_bytes(content: bytes, mask: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(content, mask, strict=True))
