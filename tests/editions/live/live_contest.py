"""A live contest under a clock that moves: every step looks for what must still be hidden."""

import io
import zipfile
from datetime import UTC, datetime, timedelta

from quintain.kit.archive import archive_bytes
from quintain.kit.kit import kit_bytes
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import publish
from quintain.runs.new_folder import new_folder
from quintain.runs.organising.freeze import reveal
from quintain.runs.organising.prepare import prepare
from quintain.runs.verification.chain import KeptEvidence
from quintain.runs.verification.verify import verify

BEACON = "8 15 23 31 40 44"


def day(number: float) -> datetime:
    """A moment of the contest; it begins on day 1."""
    return datetime(2026, 4, 30, tzinfo=UTC) + timedelta(days=number)


def dates(opens: float, closes: float) -> str:
    """The dates of a phase in an edition file."""
    return f"opens = {day(opens):%Y-%m-%dT%H:%M:%SZ}\ncloses = {day(closes):%Y-%m-%dT%H:%M:%SZ}\n"


def three_teams(contract: str = "") -> str:
    """Three teams that train models, under a contract if there is one, and then attack them."""
    teams = "".join(f'[[team]]\nid = "{team}"\n\n' for team in ("red", "blue", "green"))
    train = f'[[phase]]\nid = "train"\nsubmit = "release"\n{contract}{dates(1, 2)}'
    attack = f'[[phase]]\nid = "attack"\nsubmit = "guess"\n{dates(3, 4)}'
    return f"\n{teams}{train}\n{attack}\n"


def started(root, edition, changes, text, seed=None) -> Folder:
    """A new folder whose rules are committed to, and whose first round is drawn with a beacon.

    With a seed, everything drawn is the same each time: what a gate says of a few people is luck.
    """
    new_folder(edition, root, changes)
    with (root / "edition.toml").open("a") as file:
        file.write(f'[commitment]\nbeacon = "the lottery numbers of day 0.9"\n{text}')
    folder = Folder(root)
    assert not prepare(folder, seed=seed, now=day(0.5))
    assert not [path for path in root.rglob("*") if path.suffix in (".parquet", ".csv")]
    publish(folder)
    assert prepare(folder, seed=seed, beacon=BEACON, now=day(1))
    return folder


def kit(folder, team, now):
    """The kit of a team as files by name."""
    with zipfile.ZipFile(io.BytesIO(kit_bytes(folder, team, now=now))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def shown(folder, now):
    """Everything that anybody but the organisers has: all kits, and what is public."""
    public = (folder.root / "public").rglob("*")
    names = {path.relative_to(folder.root).as_posix() for path in public if path.is_file()}
    for team in folder.state().roster.ids:
        names |= set(kit(folder, team, now))
    return names


def files_of(names, track):
    """The files of a track among these names."""
    return sorted(name for name in names if f"/{track}/" in name)


def revealed(folder, now, target, **options):
    """Reveal, then verify as a stranger who has only the archive and one published checkpoint."""
    checkpoint = publish(folder)
    reveal(folder, now=now, **options)
    with zipfile.ZipFile(io.BytesIO(archive_bytes(folder))) as archive:
        archive.extractall(target)
    evidence = KeptEvidence(checkpoints={"checkpoint.txt": checkpoint.encode()})
    return verify(Folder(target), evidence=evidence, **options)
