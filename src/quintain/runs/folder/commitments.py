"""Commitments of a folder: hashes that bind the organisers, one file per stage."""

from __future__ import annotations

import json

from quintain.commitment import Commitment, unsalted_sums
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.privacy import write


def roots(folder: Folder) -> dict[str, str]:
    """The root of each commitment made so far, by stage."""
    published = sorted(folder.at(paths.COMMITMENTS).glob("*.json"))
    return {path.stem: json.loads(path.read_bytes())["root"] for path in published}


def commit(folder: Folder, stage: str) -> None:
    """Publish a commitment to every file that no earlier commitment covers."""
    covered: set[str] = set()
    for earlier in roots(folder):
        if earlier == stage:
            return
        content = folder.at(paths.commitment(earlier)).read_bytes()
        covered |= set(Commitment.model_validate_json(content).leaves)
    names = [name for name in paths.committed_files(folder.root) if name not in covered]
    files = {name: folder.at(name).read_bytes() for name in names}
    if folder.edition().commitment.algorithm == "sha512-unsalted":
        sums = unsalted_sums(files)
        files[paths.checksums(stage)] = sums
        write(folder.root, paths.checksums(stage), sums, durable=True)
    commitment = Commitment.over(files, folder.secrets().nonce_key())
    write(folder.root, paths.commitment(stage), commitment.to_bytes(), durable=True)
