"""Publishing: workers put what everybody may see where the web process can read it."""

from __future__ import annotations

import json

from quintain.host.site import Site
from quintain.host.views import published
from quintain.jobs.files import write_file
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import write_time
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder


def publish_results(site: Site, edition: str) -> list[str]:
    """Write the results into the published folder; nothing before the secrets are revealed."""
    folder = site.folder(edition)
    if folder.state().revealed is None:
        return []
    for name in published.RESULTS:
        content = folder.at(f"{paths.RESULTS}/{name}").read_bytes()
        write_file(published.place(site, edition) / name, content, public=True)
    return list(published.RESULTS)


def keep_checkpoint(site: Site, folder: Folder, edition: str) -> None:
    """Add the newest checkpoint to the list of all that were signed, if it is not there yet."""
    try:
        text = folder.at(paths.CHECKPOINT).read_text()
        checkpoint = Checkpoint.read(text, folder.state().key)
    except FileNotFoundError:
        return  # nothing is signed before the rules are fixed
    path = published.place(site, edition) / published.CHECKPOINTS
    lines = path.read_text().splitlines() if path.is_file() else []
    if lines and json.loads(lines[-1])["size"] >= checkpoint.size:
        return
    line = {
        "time": write_time(site.clock.now()),
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "checkpoint": text,
    }
    content = "".join(f"{one}\n" for one in [*lines, json.dumps(line, sort_keys=True)])
    write_file(path, content.encode(), public=True)
