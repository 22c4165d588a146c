"""Chain: the lines of a journal, each of which must follow from the one before, and evidence.

A folder can only show that its parts fit together. Organisers could make a whole contest anew. What
they cannot do is change a root, a receipt or a checkpoint that somebody has kept from the time of
the contest: this evidence is compared with the journal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import combinations
from pathlib import Path

from quintain.errors import NotVerified
from quintain.figures.format import count, listed
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import GENESIS, Event, Submitted, is_time, read_event, write_time
from quintain.journal.journal import salt_of
from quintain.journal.receipt import Receipt
from quintain.journal.timestamp import LONGEST_TIMESTAMP, Timestamp
from quintain.journal.tree import Tree, consistency_proof, is_consistent, leaf_hash
from quintain.runs.folder.closings import closing_paths, occasions_in
from quintain.runs.folder.paths import CHECKPOINTS, JOURNAL, timestamp

LONGEST_JOURNAL = 500_000_000
"""How many bytes of a journal are read into memory: about a million submissions."""
_ROOT = re.compile("[0-9a-f]{64}")
_AHEAD = timedelta(minutes=1)
"""How far the clock of the organisers may be ahead of the clocks outside."""
_TWO_HISTORIES = "the organisers signed two histories"


@dataclass(frozen=True, slots=True)
class JournalChain:
    """The journal of a folder, as far as it can be read, and what is wrong with its lines."""

    lines: tuple[bytes, ...] = ()
    events: tuple[Event, ...] = ()
    problems: tuple[str, ...] = ()

    def roots(self) -> list[str]:
        """The root of the journal at every size, from no event to all of them."""
        tree, out = Tree.EMPTY, [Tree.EMPTY.root().hex()]
        for line in self.lines:
            tree = tree.append(leaf_hash(line))
            out.append(tree.root().hex())
        return out


def read_chain(path: Path) -> JournalChain:
    """Read a journal; reading stops at the first line that is not an event."""
    if not path.is_file():
        return JournalChain(problems=(f"{JOURNAL}: is missing",))
    size = path.stat().st_size
    if size > LONGEST_JOURNAL:
        return JournalChain(
            problems=(f"{JOURNAL}: has {size} bytes; the limit is {LONGEST_JOURNAL}",)
        )
    content = path.read_bytes()
    chain = chain_of(content.split(b"\n")[:-1])
    if content.endswith(b"\n"):
        return chain
    cut = f"{JOURNAL}: does not end in a line feed; the last line is cut off and does not count"
    return replace(chain, problems=(cut, *chain.problems))


def chain_of(lines: Sequence[bytes]) -> JournalChain:
    """The journal in some lines, wherever they were stored."""
    problems, events = list[str](), []
    for number, line in enumerate(lines, 1):
        try:
            events.append(read_event(line))
        except NotVerified as problem:
            problems.append(f"{JOURNAL}: line {number}: {problem}")
            break
    problems += _faults(events, lines)
    return JournalChain(tuple(lines), tuple(events), tuple(problems))


def _faults(events: list[Event], lines: Sequence[bytes]) -> Iterator[str]:
    previous, last = GENESIS, None
    for number, (event, line) in enumerate(zip(events, lines, strict=False), 1):
        if event.line() != line:
            yield f"{JOURNAL}: line {number} is not written as the journal writes its lines"
        if event.previous != previous or event.number != number:
            yield f"{JOURNAL}: line {number} does not follow the one before"
        moment = event.moment if is_time(event.time) else None
        if moment is None:
            yield f"{JOURNAL}: line {number}: {event.time[:40]!r} is not a time in UTC"
        elif last is not None and moment < last:
            yield f"{JOURNAL}: line {number}: its time is before that of the line before"
        previous, last = leaf_hash(line).hex(), moment or last


def wrong_salts(events: tuple[Event, ...], key: bytes) -> Iterator[str]:
    """Every salt that the revealed key does not give; free salts could hide a second history."""
    for event in events:
        if event.salt != salt_of(key, event.number):
            yield f"{JOURNAL}: line {event.number}: its salt is not the one that the keys give"


# --- evidence -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeptEvidence:
    """Roots as hexadecimal digits; the contents of the other evidence by names.

    Parameters
    ----------
    authorities : certificates (PEM) of the clocks outside that a verifier believes.
    """

    roots: tuple[str, ...] = ()
    receipts: Mapping[str, bytes] = field(default_factory=dict)
    checkpoints: Mapping[str, bytes] = field(default_factory=dict)
    timestamps: Mapping[str, bytes] = field(default_factory=dict)
    authorities: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.roots or self.receipts or self.checkpoints)

    def __str__(self) -> str:
        counts = {
            "root": self.roots,
            "receipt": self.receipts,
            "checkpoint": self.checkpoints,
            "timestamp": self.timestamps,
        }
        return listed([count(len(some), name) for name, some in counts.items() if some])

    def require_readable(self) -> None:
        """Refuse roots and receipts that are none, before anything is computed."""
        faults = [
            _no_root(root) for root in self.roots if not _ROOT.fullmatch(_in_small_letters(root))
        ]
        for name, content in self.receipts.items():
            try:
                Receipt.from_bytes(content)
            except NotVerified as problem:
                faults.append(f"{name}: {problem}")
        if faults:
            raise NotVerified("\n".join(faults))

    @property
    def only_of_the_archive(self) -> bool:
        """Whether nobody kept anything: outside clocks alone say when this history was there."""
        own = all(name.startswith(f"{CHECKPOINTS}/") for name in self.checkpoints)
        return bool(self) and own and not self.roots and not self.receipts

    def with_timestamps_of(self, root: Path) -> KeptEvidence:
        """The same with the timestamps that lie in a folder, if a verifier believes their clocks.

        A checkpoint that an outside clock saw is as good as one that somebody kept since then.
        """
        if not self.authorities:
            return self
        stamped = {
            path: timestamp(path)
            for path in closing_paths(root)
            if (root / timestamp(path)).is_file()
        }
        texts = {path: _read_some(root / path) for path in stamped}
        stamps = {path: _read_some(root / path) for path in stamped.values()}
        return replace(
            self,
            checkpoints={**self.checkpoints, **texts},
            timestamps={**self.timestamps, **stamps},
        )


def _in_small_letters(root: str) -> str:
    return root.strip().lower()


def _no_root(root: str) -> str:
    return f"the root {root[:80]!r} does not have 64 hexadecimal digits"


def _read_some(path: Path) -> bytes:
    """A file as far as it can be evidence; a longer one is refused later."""
    with path.open("rb") as file:
        return file.read(LONGEST_TIMESTAMP + 1)


@dataclass(slots=True)
class Comparison:
    """Evidence beside a journal.

    Parameters
    ----------
    stages : the root of each commitment, by stage.
    key : the public key of the contest.
    origin : the name under which its organisers sign.
    matches : what each piece of evidence is about, in words.
    problems : what contradicts the journal, in words.
    notes : what is odd but contradicts nothing, in words.
    fixed : how many events nobody could change any more once the evidence was out.
    """

    chain: JournalChain
    stages: Mapping[str, str]
    key: str
    origin: str
    matches: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fixed: int = 0
    _signed: dict[str, Checkpoint] = field(default_factory=dict)

    def compare(self, evidence: KeptEvidence) -> Iterator[str]:
        """What contradicts the journal, or another signature of the organisers."""
        roots = self.chain.roots()
        for root in evidence.roots:
            self._root(_in_small_letters(root), roots)
        for name, content in evidence.receipts.items():
            self._note_faults(name, self._receipt(content, roots))
        for name, content in evidence.checkpoints.items():
            self._note_faults(name, self._checkpoint(name, content, roots))
        for name, content in evidence.timestamps.items():
            self._timestamp(name, content, evidence)
        yield from self.problems
        yield from self._contradictions()

    def _root(self, root: str, roots: list[str]) -> None:
        stages = [stage for stage, known in self.stages.items() if known == root]
        if not _ROOT.fullmatch(root):
            self.problems.append(_no_root(root))
        elif stages:
            self.matches.append(f"root {root} is that of the commitment {stages[0]}")
        elif root in roots[1:]:
            self.fixed = max(self.fixed, roots.index(root))
            events = count(roots.index(root), "event")
            self.matches.append(f"root {root} is that of the journal after {events}")
        else:
            self.problems.append(
                f"root {root} is neither that of a commitment nor that of the journal at any size: "
                "the organisers published another history"
            )

    def _note_faults(self, name: str, faults: Iterator[str]) -> None:
        """Note what is wrong with a file; a file with no fault agrees with the journal."""
        try:
            problems = list(faults)
        except NotVerified as problem:
            problems = [f"{problem}; it is from another contest, or somebody changed it"]
        self.problems += [f"{name}: {problem}" for problem in problems]
        if not problems:
            self.matches.append(f"{name} agrees with the journal")

    def _receipt(self, content: bytes, roots: list[str]) -> Iterator[str]:
        receipt = Receipt.from_bytes(content)
        checkpoint = receipt.check(self.key)
        event = read_event(receipt.line)
        owner = f"team {event.team}" if isinstance(event, Submitted) else "somebody"
        lines = self.chain.lines
        if event.number > len(lines):
            journal = count(len(lines), "event")
            yield (
                f"the organisers showed {owner} another history: the receipt is for event "
                f"{event.number}, and this journal has {journal}"
            )
        elif lines[event.number - 1] != receipt.line:
            yield (
                f"the organisers showed {owner} another history: event {event.number} of the "
                "journal is not the one that they signed"
            )
        else:
            yield from self._disagreement(f"the receipt of {owner}", checkpoint, roots)

    def _checkpoint(self, name: str, content: bytes, roots: list[str]) -> Iterator[str]:
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise NotVerified("this is not a checkpoint: it is not text") from None
        checkpoint = Checkpoint.read(text, self.key)
        yield from self._disagreement(name, checkpoint, roots)
        yield from added_later(checkpoint, self.chain.events)

    def _timestamp(self, name: str, content: bytes, evidence: KeptEvidence) -> None:
        """Note when an outside clock saw one of the checkpoints."""
        try:
            stamp = Timestamp.from_bytes(content)
            kept = evidence.checkpoints
            about = next((text for text in kept if stamp.is_about(kept[text])), None)
            if about is None:
                raise NotVerified("it is not about a checkpoint that you gave")
            stamp.check(kept[about], evidence.authorities)
        except NotVerified as problem:
            self.problems.append(f"{name}: {problem}")
            return
        self.matches.append(f"{name}: {stamp.authority} saw {about} at {write_time(stamp.time)}")
        checkpoint = self._signed.get(about)
        if checkpoint is not None and 0 < checkpoint.size <= len(self.chain.events):
            last = self.chain.events[checkpoint.size - 1]
            if last.moment > stamp.time + _AHEAD:
                self.notes.append(
                    f"the journal dates event {last.number} at {last.time}, but {name} shows that "
                    f"it was there at {write_time(stamp.time)}: the clock of the organisers was "
                    "ahead, and deadlines with it"
                )

    def _disagreement(self, name: str, checkpoint: Checkpoint, roots: list[str]) -> Iterator[str]:
        self._signed[name] = checkpoint
        problems = list(disagreement(checkpoint, self.origin, roots))
        if not problems:
            self.fixed = max(self.fixed, checkpoint.size)
        yield from problems

    def _contradictions(self) -> Iterator[str]:
        """Pairs of signed checkpoints that no journal can have; they prove it without a folder."""
        leaves = [leaf_hash(line) for line in self.chain.lines]
        by_size = sorted(self._signed.items(), key=lambda item: item[1].size)
        for (name, earlier), (later_name, later) in combinations(by_size, 2):
            if later.size > len(leaves) or not earlier.size:
                continue
            proof = consistency_proof(leaves[: later.size], earlier.size)
            pair = (earlier.size, earlier.root, later.size, later.root)
            same_size = earlier.size == later.size
            is_of_journal = same_size or later.root.hex() == self.chain.roots()[later.size]
            if is_of_journal and not is_consistent(*pair, proof):
                yield f"{name} and {later_name} contradict each other: {_TWO_HISTORIES}"


def added_later(checkpoint: Checkpoint, events: Sequence[Event]) -> Iterator[str]:
    """Events dated before something closed that the checkpoint of its closing does not have."""
    for occasion in occasions_in(checkpoint):
        for event in events[checkpoint.size :]:
            if event.moment < occasion.time:
                yield (
                    f"was signed after {occasion} had closed at {write_time(occasion.time)}, with "
                    f"{count(checkpoint.size, 'event')}: event {event.number} is dated before, so "
                    "somebody added it afterwards"
                )


def disagreement(checkpoint: Checkpoint, origin: str, roots: list[str]) -> Iterator[str]:
    """Why a signed checkpoint is not about a journal with these roots at its sizes."""
    size = len(roots) - 1
    if checkpoint.origin != origin:
        yield f"is about {checkpoint.origin}, not about {origin}"
    elif not checkpoint.size:
        yield "is about a journal without events, so it proves nothing"
    elif checkpoint.size > size:
        yield (
            f"says that the journal had {count(checkpoint.size, 'event')}; this journal has "
            f"{size}: events are missing"
        )
    elif roots[checkpoint.size] != checkpoint.root.hex():
        yield (
            f"has another root than this journal after {count(checkpoint.size, 'event')}: "
            "somebody changed one of them"
        )
