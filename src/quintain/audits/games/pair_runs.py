"""Pair runs: plays calls on both data sets of a pair, and keeps the facts of each in files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from quintain.audits.games.calls import PlayedCall, ReadyCall, same_kinds
from quintain.audits.games.neighbours import NeighbourPair
from quintain.audits.games.published import Seen, facts_of
from quintain.data.arrays import Array, Floats, Mask
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job, run_live
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.releases import Claim

STAMPS = "done"
MOST_PER_JOB = 100


@dataclass(frozen=True, slots=True, eq=False)
class PairGame:
    """A call, and the pairs of data sets on which it is played.

    Parameters
    ----------
    seeds : where the noise of each run comes from; pair, side and number are the path.
    """

    call: PlayedCall
    pairs: Sequence[NeighbourPair]
    seeds: SeedTree
    _ready: dict[tuple[int, bool], ReadyCall] = field(default_factory=dict, repr=False)

    def ready(self, pair: int, inside: bool) -> ReadyCall:
        """The call on one side of a pair. Its data are read once: chance plays no part in that."""
        if (pair, inside) not in self._ready:
            chosen = self.pairs[pair]
            records = chosen.with_it if inside else chosen.without
            self._ready[pair, inside] = self.call.ready(records)
        return self._ready[pair, inside]

    def within(self, claim: Claim | None) -> PairGame:
        """The game with the pairs that a claim compares."""
        if claim is None or claim.kinds == "stated":
            return self
        places = range(len(self.pairs))
        kept = [i for i in places if same_kinds(self.ready(i, False), self.ready(i, True))]
        return PairGame(self.call, [self.pairs[i] for i in kept], self.seeds)

    def play(self, pair: int, inside: bool, run: int) -> Seen:
        """One run: everything that it shows."""
        ready, path = self.ready(pair, inside), ("pair", pair, int(inside), run)
        noise = Noise(self.seeds.key("noise", *path), test=True)
        published = ready.publish(rng=self.seeds.rng("call", *path), noise=noise)
        aligned = ready.part is not None and ready.part.aligned
        return facts_of(published, self.pairs[pair].person, aligned=aligned)


@dataclass(frozen=True, slots=True, eq=False)
class PairRuns:
    """The facts of some runs on one pair.

    Parameters
    ----------
    inside : which runs had the person in the data.
    numbers : runs x names; 0 where a run has no such fact.
    texts : runs x names, as numbers that are equal for equal texts; 0 where there is none.
    words : the texts behind these numbers, as far as they are few.
    """

    inside: Mask
    names: tuple[str, ...]
    numbers: Floats
    text_names: tuple[str, ...]
    texts: Array
    words: dict[int, str]


def play_pair(
    game: PairGame,
    root: Path,
    key: str,
    wanted: Sequence[tuple[int, range]],
    *,
    executor: Executor,
    label: str,
    per_job: int,
) -> None:
    """Play runs on both sides of some pairs, as far as the folder does not have them.

    Parameters
    ----------
    wanted : pairs, each with the numbers of its runs.
    """
    for pair, _ in wanted:  # before workers get the game, so that none of them reads again
        game.ready(pair, False), game.ready(pair, True)
    jobs = [
        Job(
            _file(pair, inside, first),
            "quintain.audits.games.pair_runs:play",
            (pair, inside, first, min(per_job, runs.stop - first)),
            key,
        )
        for pair, runs in wanted
        for inside in (False, True)
        for first in range(runs.start, runs.stop, per_job)
    ]
    run_live(root, jobs, partial(_play, game), stamps=STAMPS, executor=executor, label=label)


def read_pair(root: Path, pair: int, runs: Iterable[range], per_job: int) -> PairRuns:
    """The facts of runs on both sides of a pair."""
    batches, inside = [], []
    for span in runs:
        for side in (False, True):
            for first in range(span.start, span.stop, per_job):
                batch = _decode((root / _file(pair, side, first)).read_bytes())
                batches.append(batch)
                inside += [side] * len(batch.inside)
    return _join(batches, np.array(inside, bool))


def runs_per_job(runs: int) -> int:
    """How many runs are one piece of work: one if there are few, so that workers share them."""
    return max(1, min(MOST_PER_JOB, runs // 50))


def _file(pair: int, inside: bool, first: int) -> str:
    return f"pairs/{pair}-{'with' if inside else 'without'}-{first:06d}.facts"


def _play(game: PairGame, job: Job) -> dict[str, bytes]:
    pair, inside, first, count = job.args
    assert isinstance(pair, int) and isinstance(first, int) and isinstance(count, int)
    seen = [game.play(pair, bool(inside), run) for run in range(first, first + count)]
    return {job.name: _encode(seen)}


def _fingerprint(text: str | None) -> int:
    """A number that is equal for equal texts; 0 for none."""
    if text is None:
        return 0
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") + 1


_LONGEST = 200


def _encode(runs: Sequence[Seen]) -> bytes:
    """The names, then the numbers and the fingerprints of texts, run by run."""
    names = sorted({name for seen in runs for name in seen.numbers})
    texts = sorted({name for seen in runs for name in seen.texts})
    words = {
        _fingerprint(text): text
        for seen in runs[:2]
        for text in seen.texts.values()
        if len(text) <= _LONGEST
    }
    head = {"runs": len(runs), "names": names, "texts": texts, "words": words}
    numbers = np.array([[seen.numbers.get(name, 0.0) for name in names] for seen in runs], "<f8")
    prints = np.array([[_fingerprint(seen.texts.get(name)) for name in texts] for seen in runs])
    return json.dumps(head).encode() + b"\n" + numbers.tobytes() + prints.astype("<i8").tobytes()


def _decode(content: bytes) -> PairRuns:
    line, _, rest = content.partition(b"\n")
    head = json.loads(line)
    runs, names, texts = head["runs"], tuple(head["names"]), tuple(head["texts"])
    size = 8 * runs * len(names)
    numbers = np.frombuffer(rest[:size], "<f8").reshape(runs, len(names))
    prints = np.frombuffer(rest[size:], "<i8").reshape(runs, len(texts))
    words = {int(number): text for number, text in head["words"].items()}
    return PairRuns(np.zeros(runs, bool), names, numbers, texts, prints, words)


def _join(batches: Sequence[PairRuns], inside: Mask) -> PairRuns:
    names = tuple(dict.fromkeys(name for batch in batches for name in batch.names))
    texts = tuple(dict.fromkeys(name for batch in batches for name in batch.text_names))
    numbers = [_under(names, batch.names, batch.numbers) for batch in batches]
    prints = [_under(texts, batch.text_names, batch.texts) for batch in batches]
    words = {number: text for batch in batches for number, text in batch.words.items()}
    return PairRuns(inside, names, np.vstack(numbers), texts, np.vstack(prints), words)


def _under(names: Sequence[str], own: Sequence[str], values: Array) -> Array:
    """The values of one batch in the columns of all batches."""
    if tuple(names) == tuple(own):
        return values
    place = {name: number for number, name in enumerate(names)}
    out = np.zeros((len(values), len(names)), values.dtype)
    out[:, [place[name] for name in own]] = values
    return out
