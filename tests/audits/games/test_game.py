"""The game: fair coins, neighbouring data, and numbers that plain counting gives as well."""

import numpy as np
import pytest

from quintain.audits.games.features import (
    EVIDENCE,
    SHARED,
    FeatureExtractor,
    FocalLens,
    encode_features,
    read_features,
    read_queries,
)
from quintain.audits.games.players import make_players, rarest_record
from quintain.audits.games.record import Game
from quintain.randomness.seeds import SeedTree
from quintain.releases import FocalPoint, Release
from quintain.sanitizers.identity import Identity
from tests.audits.games.planted import small_table


def game(neighbours="add-remove", points=()):
    table = small_table()
    rng = np.random.default_rng(0)
    players = make_players(
        table, np.array([3, 8]), average=20, neighbours=neighbours, canary=True, rng=rng
    )
    lens = FocalLens.of(points, Release(table), table, players.targets(), {})
    extractor = FeatureExtractor.of(players, table.schema.names, lens, rng=rng)
    return Game(Identity(), players, extractor, SeedTree.from_int(5))


def test_the_canary_has_values_of_nobody_and_coins_are_fair_and_independent():
    table = small_table()
    assert rarest_record(table).records() == [{"x": "f", "y": "f", "z": "f"}]
    coins = np.stack([game().coins(run) for run in range(400)])
    assert abs(coins.mean() - 0.5) < 0.02
    assert np.abs(np.corrcoef(coins.T) - np.eye(23)).max() < 0.25


def test_only_targets_are_left_out():
    one = game()
    coins = one.coins(0)
    rows = one.players.private_rows(coins)
    assert len(np.unique(rows)) == len(rows)
    assert set(one.players.inside[coins]) <= set(rows.tolist())
    assert not set(one.players.inside[~coins]) & set(rows.tolist())
    assert set(range(120)) - set(one.players.inside.tolist()) <= set(rows.tolist())


def test_a_replaced_record_keeps_its_place():
    one = game("replace")
    everybody, nobody = np.ones(23, bool), np.zeros(23, bool)
    inside, outside = one.players.private_rows(everybody), one.players.private_rows(nobody)
    assert len(inside) == len(outside) == 120
    assert np.flatnonzero(inside != outside).tolist() == sorted(one.players.slot.tolist())
    assert inside[one.players.slot[0]] == 120  # the canary, in the place of a person


def counted(table, record, names):
    same = np.ones(len(table), bool)
    for name in names:
        same &= table.columns[name] == record.columns[name][0]
    return int(same.sum())


def test_what_is_seen_equals_plain_counts():
    one = game(points=(FocalPoint(("x",), ("y",)),))
    release, private = one.release(1)
    seen = one.extractor.extract(release.data, private, aligned=False, all_targets=True)
    assert seen.shared.shape == (23, len(SHARED))
    for target in range(3):
        record = one.players.targets().take([target])
        for number, names in enumerate(["", "x", "y", "xy", "z", "xz", "yz", "xyz"]):
            expected = np.log(counted(release.data, record, names) + 0.5)
            assert seen.queries[target, number] == pytest.approx(expected, abs=2e-3)
        given = dict(zip(EVIDENCE, seen.evidence[target], strict=False))
        assert given["copies"] == counted(release.data, record, "xyz")
        joint, alone = (np.log(counted(release.data, record, n) + 0.5) for n in ("xy", "y"))
        assert given["focal-share"] == pytest.approx(joint - alone, abs=1e-5)


def test_files_give_back_what_was_seen(tmp_path):
    seen = game().play(0, all_targets=True)
    content = encode_features(seen)
    (tmp_path / "run").write_bytes(content)
    again = read_features(content)
    for part in ("queries", "evidence", "whole", "shared"):
        assert np.array_equal(getattr(seen, part), getattr(again, part))
    assert np.array_equal(read_queries(tmp_path / "run", 2), seen.queries[2].astype(float))
