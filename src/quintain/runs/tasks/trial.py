"""Trial: files of the kinds that a round has, from a public seed, to try programs on."""

from __future__ import annotations

from dataclasses import replace

from quintain.contests import Track
from quintain.data import Data
from quintain.errors import Refused
from quintain.noise import Noise
from quintain.releases import publication
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.submissions.checking import release_file
from quintain.runs.submissions.rounds import TEST
from quintain.runs.tasks.experiments import generate_population
from quintain.sanitizers import Identity, Sanitizer, sanitize
from quintain.seeds import SeedTree

SEED = 0
"""The seed of every trial. Anybody may know it: a trial has nothing to do with a contest."""


def trial_files(track: Track) -> dict[str, bytes]:
    """A data set, a population, one sample with its answer, one release, and test records.

    The names are those of the rules, with "trial" in place of the track and without a team. The
    first baseline that makes releases makes this one.
    """
    if track.dataset.own_files():
        raise Refused("a trial shows the data set, and this one is the organisers' own")
    seeds, noise = SeedTree.from_int(SEED).child("trial", track.id), Noise.for_test(SEED)
    data = track.dataset.data(seeds.rng("base"))
    data = replace(data, schema=track.files.spell_deleted(data.schema))
    population = data
    if track.population is not None:
        population = generate_population(track.population, data, seeds.child("population"), noise)
    sample = track.sample.draw(population, rng=seeds.rng("sample"))
    made = sanitize(_sanitizer(track), sample.private, rng=seeds.rng("sanitize"), noise=noise)
    rng = seeds.rng("publish")
    published = publication(made.release.data, made.trace.origins, rng=rng)
    _, truth = track.goal.ask_published(sample, made.release, published, rng=rng)
    names = track.files
    files: dict[str, Data | None] = {
        names.dataset: data,
        _file_name(names.base): population,
        _file_name(names.private): sample.private,
        _file_name(names.truth): truth.table,
        _file_name(names.release or "{track}_" + release_file(track, "")): made.release.data,
        TEST: track.dataset.test_data(seeds.rng("test")),
    }
    header = names.header
    return {name: csv_bytes(d, header=header) for name, d in files.items() if d is not None}


def _sanitizer(track: Track) -> Sanitizer:
    made = (baseline.sanitizer for baseline in track.baseline if baseline.sanitizer is not None)
    return next(iter(track.entries.values()), None) or next(made, None) or Identity()


def _file_name(template: str) -> str:
    """The name of a file without the number of a team or of a sample.

    >>> _file_name("{track}_samplingdata_{team}.csv")
    'trial_samplingdata.csv'
    """
    for part in ("{team}", "{sample}"):
        template = template.replace(f"_{part}", "").replace(part, "")
    return template.format(track="trial")
