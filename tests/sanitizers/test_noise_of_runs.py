"""Which noise a run gets: never the same twice, and from other tools as much as they take."""

import random
from typing import ClassVar

import numpy as np
import pytest

import quintain as q
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.sanitizers import adapters, sanitize
from quintain.sanitizers.adapters.adapter import SHORT_SEED
from quintain.sanitizers.adapters.global_seeds import global_seeds
from quintain.testing import example_table, people

KEY = SeedTree.from_int(1).key("noise")
TABLE = people(example_table(rows=200)).select(["colour", "flag"])
SANITIZERS = [
    q.part("sanitizer/independent", epsilon=1),
    q.part("sanitizer/mst", epsilon=1),
    q.part("sanitizer/privbayes", epsilon=1),
]


class Streams(Noise):
    """Noise that writes down the streams from which a sanitizer draws first."""

    first: ClassVar[list[bytes]] = []

    def for_run(self, *facts):
        stream = super().for_run(*facts)
        self.first.append(stream._key)
        return stream


def first_streams(*runs):
    Streams.first.clear()
    for part, table in runs:
        sanitize(part, table, rng=np.random.default_rng(1), noise=Streams.from_key(KEY))
    return list(Streams.first)


@pytest.mark.parametrize("part", SANITIZERS, ids=lambda part: part.name())
def test_a_key_gives_neighbouring_tables_other_noise(part):
    streams = first_streams((part, TABLE), (part, TABLE.take(np.arange(199))))
    assert len(set(streams)) == 2


def test_a_key_gives_other_parameters_other_noise():
    others = [(part.with_parameter("epsilon", 2), TABLE) for part in SANITIZERS]
    assert len(set(first_streams(*others, *((part, TABLE) for part in SANITIZERS)))) == 6


def test_a_key_gives_the_same_release_again():
    one, again = (
        q.sanitize("mst", TABLE, epsilon=1, domain="public", noise=Noise.from_key(KEY), seed=1)
        for _ in range(2)
    )
    assert one.data.equals(again.data)
    assert not one.test


def test_a_key_twice_tells_nothing_of_the_row_that_joined():
    less = TABLE.take(np.arange(199))
    differences = {
        len(run(TABLE, key).data) - len(run(less, key).data)
        for key in (SeedTree.from_int(number).key("noise") for number in range(6))
    }
    assert len(differences) > 3  # one stream for both gives 1 or 0, whatever the key is


def run(table, key):
    part = q.part("sanitizer/independent", epsilon=0.5)
    return sanitize(part, table, rng=np.random.default_rng(1), noise=Noise.from_key(key)).release


def test_the_global_generators_take_every_bit_of_a_seed():
    drawn = []
    for seed in (5, 5 + 2**32, 5 + 2**200):
        with global_seeds(seed):
            drawn.append((random.random(), float(np.random.rand())))  # noqa: NPY002 - theirs
    for numbers in zip(*drawn, strict=True):
        assert len(set(numbers)) == 3


def test_tools_draw_from_the_privacy_noise_and_from_no_public_generator():
    part = adapters.function(lambda frame: frame.sample(frac=0.5))
    releases = [
        sanitize(part, TABLE, rng=np.random.default_rng(1), noise=Noise.for_test(seed)).release
        for seed in (1, 1, 2)
    ]
    one, again, other = (release.data for release in releases)
    assert one.equals(again)
    assert not one.equals(other)


@pytest.mark.parametrize(
    "call", [lambda frame, seed: frame, lambda frame, random_state: frame], ids=["seed", "state"]
)
def test_the_card_says_that_a_short_seed_can_be_guessed(call):
    (method,) = q.sanitize(adapters.function(call), TABLE, seed=1).methods
    assert SHORT_SEED in method.detail


def test_the_card_of_a_command_says_that_its_seed_can_be_guessed():
    assert adapters.command("tool {input} {output}").has_short_seed()
    assert adapters.standing_command("tool {requests}").has_short_seed()


def test_an_object_that_draws_from_global_generators_has_a_long_seed(monkeypatch):
    monkeypatch.delitem(__import__("sys").modules, "torch", raising=False)

    class Plain:
        def fit(self, frame):
            self.frame = frame

        def sample(self, num_rows):
            return self.frame.sample(num_rows)

    class Seeded(Plain):
        seed = 1

    assert not adapters.fit_sample(Plain()).has_short_seed()
    assert adapters.fit_sample(Seeded()).has_short_seed()
