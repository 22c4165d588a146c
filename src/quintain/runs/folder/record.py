"""Record: append an event to the journal of a folder, and sign what the journal has become."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

from quintain.commitment import Commitment, canonical_json, unsalted_sums
from quintain.contests import Edition
from quintain.errors import FolderError, NotVerified, Refused
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import (
    Event,
    HandedOver,
    Joined,
    Prepared,
    Revealed,
    Rules,
    SecondRun,
    Submitted,
    read_event,
)
from quintain.journal.journal import Journal
from quintain.journal.receipt import Receipt
from quintain.journal.signing import SigningKey
from quintain.journal.state import State, require_running
from quintain.journal.tree import Tree, inclusion_proof, leaf_hash
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, parse_file
from quintain.runs.folder.paths import write

# Commitments of a folder: hashes that bind the organisers, one file per stage.
#
# Each stage belongs to one event of the journal, which names the root. So nobody can add a stage or
# replace one without changing the journal.


DERIVED = (
    *(paths.RULES, paths.EVENTS, paths.CHECKPOINT, paths.BEACON),
    *(paths.SIGNING_KEY, paths.WITHHELD),
)
"""Files beside committed ones that no commitment covers: copies, the signing key, nonces."""


def stage_of(event: Event) -> tuple[str, str] | None:
    """The stage that an event commits to, and the root; None if it commits to no files.

    >>> stage_of(Prepared(track="main", commitment="ab"))
    ('prepare-main', 'ab')
    """
    match event:
        case Rules():
            return f"rules-{event.version}", event.commitment
        case Prepared():
            return f"prepare-{event.track}", event.commitment
        case Joined() if event.commitment:
            return f"join-{event.team}", event.commitment
        case HandedOver():
            return f"handover-{event.track}", event.commitment
    return None


def roots(state: State) -> dict[str, str]:
    """The root of each commitment made so far, by stage."""
    events: list[Event] = [*state.rules, *state.prepared.values(), *state.joined.values()]
    stages = map(stage_of, [*events, *state.handed_over.values()])
    return dict(sorted(stage for stage in stages if stage is not None))


def commit(folder: Folder, stage: str, names: Iterable[str]) -> str:
    """Publish a commitment to some files; returns its root. The event that names it comes next."""
    files = {name: folder.at(name).read_bytes() for name in sorted(names)}
    if folder.rules().commitment.algorithm == "sha512-unsalted":
        sums = unsalted_sums(files)
        files[paths.checksums(stage)] = sums
        write(folder.root, paths.checksums(stage), sums, durable=True)
    commitment = Commitment.over(files, folder.committed_secrets().nonce_key())
    write(folder.root, paths.commitment(stage), commitment.to_bytes(), durable=True)
    return commitment.root


def committed_files(root: Path) -> list[str]:
    """Every file that commitments must cover: all of public/, secret/ and teams/ that is data."""
    files = paths.files_below(root, paths.PUBLIC, paths.SECRET, paths.TEAMS)
    data = (name for name in files if name not in DERIVED and not is_feedback(name))
    signed = (f"{paths.COMMITMENTS}/", f"{paths.CHECKPOINTS}/")
    return sorted(name for name in data if not name.startswith(signed))


def is_feedback(name: str) -> bool:
    """Whether a file says what was shown of the scores; every scoring may change it."""
    team = name.removeprefix(f"{paths.TEAMS}/").partition("/")[0]
    return name in (paths.BOARD, paths.FEEDBACK, paths.team_board(team))


E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Recorded(Generic[E]):
    """An event of the journal, and the signed proof that it is there."""

    event: E
    receipt: Receipt


@contextmanager
def writing(folder: Folder) -> Iterator[Journal]:
    """The journal of a folder, to which nobody else can append inside the block."""
    path = folder.at(paths.JOURNAL)
    if folder.state().rules and not path.is_file():  # else a submission would become public
        raise FolderError(f"{path} is missing; restore it from a copy before anything else happens")
    journal = folder.journal()
    with journal.locked():
        _require_newest(folder, journal)
        yield journal


def _require_newest(folder: Folder, journal: Journal) -> None:
    """Refuse a journal that is older than the last checkpoint, or has another history.

    Others may have kept the checkpoint and receipts: to go on from a copy of yesterday would be to
    sign two histories.
    """
    try:
        shown = Checkpoint.read(folder.at(paths.CHECKPOINT).read_text(), folder.state().key)
    except (OSError, ValueError, NotVerified):
        return  # a power failure may have left half of it; the next event writes it again
    size, known = journal.size(), _known_tree(folder, journal)
    if shown.size > size or (known.size == shown.size and known.root() != shown.root):
        raise FolderError(
            f"{folder.at(paths.JOURNAL)} has {size} events and is not the journal of "
            f"{folder.at(paths.CHECKPOINT)}, which has {shown.size}: restore the newest copy"
        )


def record(folder: Folder, journal: Journal, event: E, *, now: datetime) -> Recorded[E]:
    """Append an event inside of ``writing``, and publish the new checkpoint."""
    if not isinstance(event, Revealed):
        require_running(folder.state())
    key, known = signing_key(folder), _known_tree(folder, journal)
    before = journal.tree(known)
    event = journal.append(event, now=now, salts=folder.committed_secrets().nonce_key())
    line = event.line()
    after = before.append(leaf_hash(line))
    checkpoint = _checkpoint(folder, after).signed(key)
    with _publishing(folder, event):
        # The tree is kept last. If it lags behind, a crash came before everything was published.
        if not isinstance(event, Submitted) or known != before:
            publish_events(folder)
        _publish_tree(folder, after, event.hash, checkpoint)
    # The proof of the newest leaf is the peaks of the tree before it, from the smallest on.
    return Recorded(event, Receipt(line, before.peaks[::-1], checkpoint))


def record_all(folder: Folder, journal: Journal, events: Sequence[Event], *, now: datetime) -> None:
    """Append several events inside of ``writing``, and publish them together."""
    if events:
        require_running(folder.state())
    key, salts = signing_key(folder), folder.committed_secrets().nonce_key()
    appended = [journal.append(event, now=now, salts=salts) for event in events]
    if appended:
        with _publishing(folder, appended[-1]):
            publish_events(folder)
            tree = journal_tree(folder, journal)
            checkpoint = _checkpoint(folder, tree).signed(key)
            _publish_tree(folder, tree, appended[-1].hash, checkpoint)


@contextmanager
def _publishing(folder: Folder, event: Event) -> Iterator[None]:
    """Publish an event, which is in the journal whatever the disk says now.

    A team gets its receipt in any case: the next event publishes this one, too.
    """
    try:
        yield
    except OSError as problem:
        if not isinstance(event, Submitted):
            raise FolderError(
                f"event {event.number} is in the journal, but {problem.filename} could not be "
                f"written: {problem.strerror}; do not repeat it, but mend that and run quintain "
                f"checkpoint {folder.root}"
            ) from None


def _publish_tree(folder: Folder, tree: Tree, last: str, checkpoint: str) -> None:
    """Publish the checkpoint of a tree and keep the tree; ``last`` is the hash of its last line."""
    write(folder.root, paths.CHECKPOINT, checkpoint.encode())
    _keep_tree(folder, tree, last)


def publish(folder: Folder) -> str:
    """Write what everybody may read of the contest now; returns the signed checkpoint."""
    with writing(folder) as journal:
        publish_events(folder)
        tree = journal_tree(folder, journal)
        checkpoint = _checkpoint(folder, tree).signed(signing_key(folder))
        _publish_tree(folder, tree, journal.hash_at(tree.size), checkpoint)
        return checkpoint


def sign_journal(folder: Folder, journal: Journal, extension: tuple[str, ...]) -> str:
    """Sign the journal as it is, with further lines, inside of ``writing``."""
    checkpoint = _checkpoint(folder, journal_tree(folder, journal))
    return replace(checkpoint, extension=extension).signed(signing_key(folder))


def receipt_again(folder: Folder, number: int) -> Receipt:
    """The receipt of an event, in the journal as it is now."""
    lines = folder.journal().lines()
    known = 0 < number <= len(lines)
    if not known or not isinstance(read_event(lines[number - 1]), Submitted | SecondRun):
        raise Refused(
            f"event {number} is not a submission, nor a second run of a program; quintain log "
            "--all lists them"
        )
    leaves = list(map(leaf_hash, lines))
    checkpoint = _checkpoint(folder, Tree.of(lines)).signed(signing_key(folder))
    proof = inclusion_proof(leaves, number - 1)
    return Receipt(lines[number - 1], tuple(proof), checkpoint)


def publish_events(folder: Folder) -> None:
    """Write the events that everybody may read, and the rules that they put in force."""
    _publish_rules(folder)
    lines = b"".join(line + b"\n" for line in folder.journal().public_lines())
    # Durable, because a tree that is kept must not be newer than this.
    write(folder.root, paths.EVENTS, lines, durable=True)


def _publish_rules(folder: Folder) -> None:
    last = folder.at(paths.rules(len(folder.state().rules))).read_bytes()
    if folder.at(paths.RULES).read_bytes() != last:
        write(folder.root, paths.RULES, last, durable=True)


def signing_key(folder: Folder) -> SigningKey:
    """The key with which the organisers sign."""
    path = folder.at(paths.SIGNING_KEY)
    if not path.is_file():
        raise FolderError(
            f"{path} is missing: without it nobody can add to this contest; the archive of a "
            "contest never has it"
        )
    key = parse_file(path, _signing_key)
    public = folder.state().key
    if public not in ("", key.public):
        raise FolderError(
            f"{path} is the key of another contest: nobody could check what it signs; the public "
            f"key of this one is {public}"
        )
    return key


def _signing_key(content: bytes) -> SigningKey:
    return SigningKey.from_seed(bytes.fromhex(content.decode().strip()))


def journal_tree(folder: Folder, journal: Journal) -> Tree:
    """The tree over the journal; what is known of an earlier tree is not hashed again."""
    return journal.tree(_known_tree(folder, journal))


def _known_tree(folder: Folder, journal: Journal) -> Tree:
    """The tree of the cache, if it is a tree of this journal."""
    try:
        kept = json.loads(folder.at(paths.TREE).read_bytes())
        tree = Tree(int(kept["size"]), tuple(map(bytes.fromhex, kept["peaks"])))
        return tree if journal.hash_at(tree.size) == kept["last"] else Tree.EMPTY
    except (OSError, ValueError, LookupError, TypeError):
        return Tree.EMPTY


def _keep_tree(folder: Folder, tree: Tree, last: str) -> None:
    kept = {
        "format": "quintain.tree/1",
        "size": tree.size,
        "last": last,
        "peaks": [peak.hex() for peak in tree.peaks],
    }
    write(folder.root, paths.TREE, canonical_json(kept))


def _checkpoint(folder: Folder, tree: Tree) -> Checkpoint:
    return Checkpoint(origin(folder.rules()), tree.size, tree.root())


def origin(rules: Edition) -> str:
    """The name under which the organisers of a contest sign."""
    return f"quintain/{rules.id}"
