"""Bundle: a contest as one zip that organisers upload to CodaBench.

::

    competition.yaml     title, pages, one task, phases, one leaderboard
    logo.png, pages/     what visitors see
    public_data/         from the participant's kit: schema, population, releases, questions
    starting_kit/        example answers, a checker, a baseline; README.md
    scoring_program/     score.py, plan.json, metadata.yaml
    reference_data/      the truth, or one half of it
    ORGANISERS.md        what CodaBench has no setting for

What participants can download is a part of their kit. The truth is in the reference data and
nowhere else. It is not among the solutions, because everybody sees those.

With ``truth="worker"`` the bundle has no truth at all. The reference data are random bytes, and the
worker's folder has the truth masked with them. Reference data of CodaBench have leaked before, and
any program that a participant submits can read the worker's folder; either half alone is random.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from datetime import UTC, datetime

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.errors import FolderError, Rejected
from quintain.kit.codabench.cautions import cautions
from quintain.kit.codabench.competition import competition
from quintain.kit.codabench.exported import exported
from quintain.kit.codabench.logo import logo_png
from quintain.kit.codabench.pages import organisers_note, pages, starting_readme
from quintain.kit.codabench.plan import Where, guess_plan
from quintain.kit.codabench.refusals import require_exportable
from quintain.kit.codabench.scripts import GUESSES, scripts
from quintain.kit.codabench.trial import trial_faults
from quintain.kit.codabench.yaml.document import CONFIG, require_yaml
from quintain.kit.codabench.yaml.schema import check_bundle
from quintain.kit.kit import EXAMPLE_TEAM, kit_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.commitments import roots
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.task import Task
from quintain.runs.launch import rehearsal_note
from quintain.runs.submissions.admission import choose_track
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.packing import zip_bytes

_NOTE = b"The truth is not here: one half is random bytes, the other is on the worker.\n"


def bundle_bytes(folder: Folder, *, truth: Where = "bundle", track: str | None = None) -> bytes:
    """The zip to upload; the same folder gives the same bytes.

    Parameters
    ----------
    truth : "bundle" puts the truth into the reference data; "worker" splits it, see
        :func:`worker_bytes`.
    track : the track, if the edition has several. CodaBench has one leaderboard and no parallel
        phases, so a bundle has one track.
    """
    chosen = _exportable(folder, track)
    edition, tasks = folder.edition(), folder.tasks(chosen)
    entries = list(folder.read(chosen).by_entry)
    config = competition(edition, chosen, entries)
    warning = rehearsal_note(folder).encode()
    plan = guess_plan(folder, chosen, truth)
    program = scripts([*GUESSES, f"goals/{exported(chosen).module}.py"])
    program["plan.json"] = canonical_json(plan)
    public, examples = _from_kit(folder, chosen)
    files = {
        CONFIG: _yaml(config),
        "logo.png": logo_png(),
        "ORGANISERS.md": warning + organisers_note(edition, chosen, tasks, truth),
        "scoring_program/metadata.yaml": b"command: python3 score.py\n",
        "starting_kit/README.md": warning + starting_readme(edition, tasks),
        **pages(edition, chosen, tasks, roots(folder.state()), next(iter(examples.values()))),
        **{f"public_data/{name}": content for name, content in public.items()},
        **{f"starting_kit/example/{name}": content for name, content in examples.items()},
        **{f"starting_kit/{name}": content for name, content in program.items()},
        "starting_kit/baseline.py": scripts(["baseline.py"])["baseline.py"],
        **{f"scoring_program/{name}": content for name, content in program.items()},
        **{f"reference_data/{k}": v for k, v in _reference(folder, chosen, truth).items()},
    }
    faults = [*check_bundle(files), *cautions(files), *trial_faults(folder, chosen, plan)]
    if faults:
        raise Rejected(faults)
    return zip_bytes(files)


def worker_bytes(folder: Folder, *, track: str | None = None) -> bytes:
    """The zip for the worker of a bundle made with ``truth="worker"``: the other half of the truth.

    Unpack it where the worker mounts ``/app/data``.
    """
    chosen = _exportable(folder, track)
    place = f"{folder.edition().id}/truth/{chosen.id}"
    return zip_bytes(
        {
            f"{place}/{task.name}.half": _masked(_truth(folder, task), _mask(folder, task))
            for task in folder.tasks(chosen)
        }
    )


def _exportable(folder: Folder, name: str | None) -> Track:
    """The track, if the scoring program of the bundle can score it."""
    folder.require_prepared()
    track = choose_track(folder.edition(), name)
    require_exportable(track, "guess")
    if not folder.tasks(track):
        raise FolderError(
            f"track {track.id} has nothing to attack yet: run quintain hand-over {folder.root} "
            "after the release phase"
        )
    return track


def _from_kit(folder: Folder, track: Track) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The track's public files and example answers, as the participant's kit has them."""
    # The site opens the bundle when the phase begins, so it is made before.
    late = datetime.max.replace(tzinfo=UTC)
    with zipfile.ZipFile(io.BytesIO(kit_bytes(folder, now=late))) as kit:
        files = {name: kit.read(name) for name in kit.namelist()}
    others = tuple(f"{paths.places(t.id)[0]}/" for t in folder.edition().track if t.id != track.id)
    public = {
        name: content
        for name, content in files.items()
        if name.startswith(f"{paths.PUBLIC}/") and name != paths.BOARD
        if not name.startswith(others)
    }
    phase = track.phase_for("guess")
    assert phase is not None  # the schedule has refused a track without one
    head = f"example/{track.id}/{phase.id}/"
    examples = {
        f"{task.name}.csv": files[head + guess_file(track, task, EXAMPLE_TEAM)]
        for task in folder.tasks(track)
    }
    return public, examples


def _reference(folder: Folder, track: Track, truth: Where) -> dict[str, bytes]:
    tasks = folder.tasks(track)
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


def _masked(content: bytes, mask: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(content, mask, strict=True))


def _yaml(config: object) -> bytes:
    """The competition file as YAML, with quotes around strings that look like times."""
    text: str = require_yaml().safe_dump(config, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()
