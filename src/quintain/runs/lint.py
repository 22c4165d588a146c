"""Lint: find what would go wrong with a contest before it is launched.

Each check looks for a fault that a real contest had, and says what it would cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from quintain.contests import Edition, Track
from quintain.data import Data, Series, Table
from quintain.data.schema import Shape
from quintain.errors import QuintainError
from quintain.noise import Noise
from quintain.progress import track as tracked
from quintain.registry import parts
from quintain.runs.finding import Finding
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.launch import (
    ignored_changes,
    nobody_can_submit,
    public_seeds,
    world_readable_secrets,
)
from quintain.runs.leaks import extractable_scores, hidden_bits
from quintain.runs.scores.cells import gate_failures, measure_release
from quintain.runs.shown_releases import shown_utility, unread_artefacts
from quintain.runs.team_rows import other_samples, too_many_rows, wrong_numbers
from quintain.samples import Sample
from quintain.samples.sample import private_part
from quintain.sanitizers import Sanitizer, sanitize
from quintain.seeds import SeedTree

PROBE_ROWS = 2_000
_NAMED = 8
"""How many columns a finding names."""
LEAST_SHARE = 0.1
"""A release must show at least this share of a real difference between samples."""


def lint_edition(edition: Edition) -> Iterator[Finding]:
    """Find every fault that the rules and a trial draw of the data show."""
    seeds = SeedTree.from_int(0).child("lint")
    for track in edition.track:
        yield from own_data(track)
        base = track.dataset.data(seeds.rng(track.id, "base"))
        sample = track.sample.draw(base, rng=seeds.rng(track.id, "sample"))
        yield from extractable_scores(track, hidden_bits(track, sample))
        yield from open_commitments(edition, track, len(sample.members))
        yield from linked_targets(track, sample)
        yield from known_answers(track)
        test = track.dataset.test_data(seeds.rng(track.id, "test"))
        yield from open_gates(track, sample.private, test, seeds)
        yield from wrong_numbers(track, sample.private, test)
        yield from too_many_rows(track, sample.private, edition.limits.rows)
        if track.samples > 1:
            other = track.sample.draw(base, rng=seeds.rng(track.id, "other")).private
            yield from other_samples(track, sample.private, other, test)
        yield from unread_artefacts(track)
        yield from shown_utility(track, 0 if test is None else len(test))
        entries = track.entries.items()
        label = f"trial releases of {track.id}"
        for entry, sanitizer in tracked(entries, label, len(entries)) if entries else ():
            yield from independent_release(track, entry, sanitizer, sample, seeds)


def lint_folder(folder: Folder, *, now: datetime | None = None) -> Iterator[Finding]:
    """Find the faults of an edition folder: its rules, its phases, and secrets in public files."""
    if folder.prepared:
        folder.require_secrets()
    yield from nobody_can_submit(folder, now or datetime.now(UTC))
    yield from world_readable_secrets(folder)
    yield from ignored_changes(folder)
    yield from lint_edition(folder.edition())
    if folder.prepared:
        yield from public_seeds(folder)
        yield from published_truths(folder)


def known_answers(track: Track) -> Iterator[Finding]:
    """Find goals whose answers are in the population that attackers get."""
    if track.goal.in_population and track.threat.data.base:
        yield Finding(
            "warning",
            "known-answers",
            f"track {track.id} gives attackers the population, which has the answers to "
            f"{track.goal.id}",
            "attackers can look up members and controls alike, and then no release is measured; "
            "leave base out of gives in [knowledge]",
        )


def own_data(track: Track) -> Iterator[Finding]:
    """Find domains that reveal the data, and columns that nobody will see."""
    learned, unread = track.dataset.learned_domains(), track.dataset.unread_columns()
    if learned:
        yield Finding(
            "warning",
            "learned-domains",
            f"track {track.id}: the domains of {_some(learned)} were learned from the data",
            "the published schema shows which values occur, with the smallest and the largest, and "
            "no privacy claim covers that; write public domains into the schema and delete the "
            'marks "learned": true; quintain schema learn TABLE > schema.json makes a start',
        )
    if unread:
        yield Finding(
            "warning",
            "unread-columns",
            f"track {track.id}: the schema leaves out {_some(unread)}",
            "these columns of the file are not part of the contest",
        )


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown


def open_commitments(edition: Edition, track: Track, labels: int) -> Iterator[Finding]:
    """Find hashes that an attacker can undo by trying every possible truth."""
    if edition.commitment.algorithm != "sha512-unsalted":
        return
    exact = track.sample.balanced
    bits = math.log2(math.comb(labels, labels // 2)) if exact else float(labels)
    repair = sum(math.comb(labels // 2, k) ** 2 for k in range(3)) if exact else labels**4 // 24
    yield Finding(
        "stop",
        "open-commitments",
        f"track {track.id}: hashes of the truths are published without a salt",
        f"{bits:.0f} bits for {labels} labels; with a guess that is 4 labels off, about "
        f"{repair:,} hashes restore the truth, which is seconds",
    )


def linked_targets(track: Track, sample: Sample) -> Iterator[Finding]:
    """Find targets whose records are in the data twice, so that non-members are in it as well."""
    base = sample.population
    if isinstance(base, Series) or not len(sample.target_rows):
        return
    people = private_part(base, np.arange(len(base)))
    assert not isinstance(people, Series)
    keys = people.row_keys()
    others = np.setdiff1d(np.arange(len(base)), sample.target_rows)
    twin = np.isin(keys[sample.target_rows], keys[others])
    sizes = np.bincount(sample.target_of)
    share = np.bincount(sample.target_of, twin) / sizes
    # A single person may well have a statistical twin; most of a household may not.
    linked = int((share >= 0.6).sum()) if sizes.max() > 1 else 0
    if linked > 0.02 * len(sizes):
        yield Finding(
            "stop",
            "linked-targets",
            f"track {track.id}: {linked} of {len(sizes)} targets have most of their records "
            "elsewhere in the base data as well",
            f"about {linked / len(sizes) / 2:.0%} of the membership labels are wrong: "
            "non-members are in the private data under another name; remove duplicates",
        )


def open_gates(
    track: Track, private: Data, test: Data | None, seeds: SeedTree
) -> Iterator[Finding]:
    """Find gates that accept a release without any information."""
    if not any(measured.gated for measured in track.release_measures):
        return
    rng = seeds.rng(track.id, "junk")
    junk = _junk(private, rng)
    if junk is None:
        return
    if not gate_failures(track, measure_release(track, private, junk, test)):
        yield Finding(
            "stop",
            "open-gates",
            f"track {track.id}: random values, drawn evenly for each column, pass every gate",
            "a team that publishes noise is not disqualified, and no attack on it can succeed",
        )


def _junk(private: Data, rng: np.random.Generator) -> Data | None:
    """As many records without any information; None for shapes that lint cannot make up."""
    control = _control(private.schema.shape)
    if control is not None:
        return sanitize(control, private, rng=rng, noise=Noise.for_test(rng)).release.data
    if not isinstance(private, Table):
        return None
    drawn = {
        name: rng.choice(np.unique(column), len(private))
        for name, column in private.columns.items()
    }
    return private.replace(drawn)


def _control(shape: Shape) -> Sanitizer | None:
    """A sanitizer that keeps nothing of this shape of data, if there is one."""
    for cls in parts(Sanitizer.family):
        if issubclass(cls, Sanitizer) and cls.keeps_nothing and shape in cls.shapes:
            return cls.examples()[0]
    return None


def independent_release(
    track: Track, entry: str, sanitizer: Sanitizer, sample: Sample, seeds: SeedTree
) -> Iterator[Finding]:
    """Find an entry whose release hardly depends on the private data."""
    private = sample.private
    if not isinstance(private, Table) or not all(c.discrete for c in private.schema.columns):
        return
    try:
        share = shown_share(sanitizer, private, seeds.child(track.id, entry))
    except QuintainError as problem:
        yield Finding(
            "stop",
            "independent-release",
            f"{entry} cannot be made: {problem}",
            "the entry would be missing",
        )
        return
    if share < LEAST_SHARE:
        yield Finding(
            "stop",
            "independent-release",
            f"track {track.id}: {entry} hardly depends on its input: of the difference between "
            f"two very different samples, {max(share, 0):.0%} shows in their releases",
            "no attack can do better than luck on it, so its scores rank luck",
        )


def shown_share(sanitizer: Sanitizer, private: Table, seeds: SeedTree) -> float:
    """How much of the difference between two very different samples their releases show.

    The records are ordered by the sum of their standardised codes and cut in the middle; the
    means of the releases' columns are then regressed on those of the halves.
    """
    probe = private.take(np.arange(min(len(private), 2 * PROBE_ROWS)))
    codes = probe.codes().astype(float)
    spread = codes.std(axis=0)
    order = np.argsort((codes / np.where(spread > 0, spread, 1)).sum(axis=1), kind="stable")
    halves = [probe.take(rows) for rows in np.array_split(order, 2)]
    means = []
    for number, half in enumerate(halves):
        rng = seeds.rng(number)
        release = sanitize(sanitizer, half, rng=rng, noise=Noise.for_test(rng)).release
        assert isinstance(release.data, Table)
        means.append(release.data.codes().mean(axis=0))
    scale = np.array([column.size for column in probe.schema.columns])
    real = (halves[1].codes().mean(axis=0) - halves[0].codes().mean(axis=0)) / scale
    shown = (means[1] - means[0]) / scale
    return float(shown @ real / max(float(real @ real), 1e-12))


def published_truths(folder: Folder) -> Iterator[Finding]:
    """Find secret content in files that participants see."""
    populations = {paths.base(track.id, paths.SECRET) for track in folder.edition().track}
    hidden = {
        folder.at(name).read_bytes(): name
        for name in paths.files_below(folder.root, paths.SECRET)
        # A card may be public in full: then the public card and the secret one are the same.
        if name not in populations
        and not name.startswith(f"{paths.OWN_DATA}/")
        and not name.endswith(f"/{paths.CARD}")
    }
    for name in paths.files_below(folder.root, paths.PUBLIC, paths.TEAMS):
        match = _same(folder.at(name).read_bytes(), hidden)
        if match is not None:
            yield Finding(
                "stop",
                "published-truths",
                f"{name} has the content of {match}",
                "anybody who looks there needs no attack",
            )


def _same(content: bytes, hidden: dict[bytes, str]) -> str | None:
    exact = hidden.get(content)
    if exact is not None:
        return exact
    truths = (name for text, name in hidden.items() if paths.is_truth(name) and text in content)
    return next(truths, None)
