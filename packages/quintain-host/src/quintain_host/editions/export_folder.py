"""Export: the edition folder of a hosted contest, as the command line would have written it.

The journal comes from the database, which is the record. The files are those of the host, and each
of them has to be the one that the journal or a commitment names.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from quintain.errors import FolderError, NotVerified
from quintain.journal.database_store import DatabaseStore
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import make_root, write
from quintain.runs.verification.chain import read_chain
from quintain.runs.verification.committed import check_commitments, read_inputs
from quintain_host.access import NotThere
from quintain_host.database.contests import HostedEdition
from quintain_host.site import Site

_TOPS = (paths.PUBLIC, paths.SECRET, paths.TEAMS, paths.SUBMISSIONS, paths.RESULTS)


def export_folder(site: Site, edition: str, target: Path) -> Folder:
    """Write the edition folder of a contest, and check it.

    Raises ``NotVerified`` with every problem if the folder is not what the journal names; then
    nothing is left of it.
    """
    if target.exists():
        raise FolderError(f"{target} exists; export into a new folder")
    with site.database.reading() as session:
        row = session.get(HostedEdition, edition)
    if row is None:
        raise NotThere(f"there is no contest {edition!r} on this site")
    make_root(target)
    try:
        _write(site, row, target)
        exported = Folder(target)
        problems = list(_problems(exported))
        if problems:
            raise NotVerified("the folder is not what the journal names:\n" + "\n".join(problems))
    except BaseException:
        shutil.rmtree(target)
        raise
    return exported


def _write(site: Site, row: HostedEdition, target: Path) -> None:
    root = site.edition_root(row.id)
    if not root.is_dir():  # a draft that nobody has prepared
        write(target, paths.EDITION, row.toml.encode())
        return
    with site.folder(row.id).store.locked():  # no event comes while the files are copied
        lines = list(DatabaseStore(site.database.engine, row.id).lines())
        if lines:
            write(target, paths.JOURNAL, b"".join(line + b"\n" for line in lines), durable=True)
        for name in (paths.EDITION, paths.GITIGNORE, *paths.files_below(root, *_TOPS)):
            if (root / name).is_file():
                write(target, name, (root / name).read_bytes())


def _problems(folder: Folder) -> Iterator[str]:
    if not folder.prepared:
        return
    chain = read_chain(folder.at(paths.JOURNAL))
    yield from chain.problems
    key = folder.committed_secrets().nonce_key()
    yield from check_commitments(folder, chain.events, key).all_problems()
    yield from read_inputs(folder, chain.events).problems
