"""The files of a bundle for a release phase: teams submit tables, and the site checks them.

The bundle has no private data. CodaBench gives everybody the same files and does not tell a scoring
program who submitted, so it could not measure a release beside its own original anyway.
"""

from __future__ import annotations

from quintain.commitment import canonical_json
from quintain.contests import Track
from quintain.kit.codabench.competition import release_competition
from quintain.kit.codabench.pages.organisers import release_note
from quintain.kit.codabench.pages.release_phase import release_pages, release_readme
from quintain.kit.codabench.plan import release_plan
from quintain.kit.codabench.scripts import RELEASES, scripts
from quintain.kit.codabench.site import CodabenchSite
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import roots


def release_site(folder: Folder, track: Track) -> CodabenchSite:
    """What CodaBench gets for the release phase of a track."""
    edition = folder.edition()
    program = scripts(RELEASES)
    program["plan.json"] = canonical_json(release_plan(folder, track))
    return CodabenchSite(
        config=release_competition(edition, track),
        program=program,
        starting_kit={**program, "README.md": release_readme(edition)},
        pages=release_pages(edition, track, roots(folder.state())),
        note=release_note(track),
    )
