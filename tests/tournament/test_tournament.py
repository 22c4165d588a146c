"""The tournament: everybody plays who can, and the rest is listed with a reason."""

import json
import re

import pytest
from benchmarks.tournament.__main__ import main
from benchmarks.tournament.arena import arena_names, read_arena
from benchmarks.tournament.best import best_attacks
from benchmarks.tournament.changes import changes
from benchmarks.tournament.correction import corrected
from benchmarks.tournament.page import tournament_page
from benchmarks.tournament.players import players_of
from benchmarks.tournament.results import TournamentResults
from benchmarks.tournament.tournament import play_tournament

from quintain import registry
from quintain.attacks import Random
from quintain.errors import EditionError, Refused
from quintain.registry import parts
from tests.registered import copy_registered_parts
from tests.tournament.conftest import PLAYERS


@pytest.mark.parametrize("name", arena_names())
def test_every_registered_part_plays_or_has_a_reason(name):
    players = players_of(read_arena(name), "default")
    playing = {part for part, _ in (*players.sanitizers, *players.attacks)}
    unable = {one.part for one in players.unable}
    registered = {cls.id for family in ("sanitizer", "attack") for cls in parts(family)}
    assert playing | unable == registered and not playing & unable
    assert len(players.sanitizers) >= 6 and len(players.attacks) >= 5
    assert all(one.reason for one in players.unable)


def test_every_arena_loads_in_both_sizes():
    for name in arena_names():
        arena = read_arena(name)
        for size in ("default", "quick"):
            (track,) = [arena.track(size)]
            assert track.goal is not None


def test_a_pair_has_a_figure_with_an_interval(small):
    _, outcome = small
    arena = outcome.results.arenas["small"]
    assert set(arena.cells) == {"identity", "rr", "independent-1", "independent-100"}
    reading = arena.reading("identity", "nearest", "auc")
    assert reading.low < reading.value <= 1 and reading.n == 4 * 40
    assert arena.unable["attack/exact-match-v1"] == "the test wants to see its reason"
    assert arena.sizes.repeats == 4 and arena.sizes.cpu_seconds > 0


def test_the_strongest_attack_stands_beside_what_blind_ones_reach(small):
    _, outcome = small
    best = best_attacks(outcome.results.arenas["small"])
    assert best["identity"].attack == "nearest" and not best["identity"].luck
    assert best["independent-1"].luck
    assert 0.5 < best["identity"].floor < 0.8


def test_an_attack_that_is_always_perfect_is_surely_above_chance(small):
    # Four times the AUC 1 have no spread. A t interval would be stretched down to chance.
    _, outcome = small
    arena = outcome.results.arenas["small"]
    assert arena.measures["auc"].method == "t over 4 repetitions"
    perfect = arena.reading("identity", "nearest", "auc")
    assert (perfect.value, perfect.method) == (1.0, "DeLong")
    assert corrected(perfect, looks=20)[0] > 0.65


def test_a_second_call_computes_nothing_again(small, arena_file, monkeypatch):
    out, outcome = small
    monkeypatch.setattr("quintain.runs.tasks.baselines.play", pytest.fail)
    before = outcome.figures.read_text()
    again = play_tournament([str(arena_file)], out, only=PLAYERS)
    seconds = re.compile(r'"cpu_seconds": [0-9.]+')
    assert seconds.sub("", again.figures.read_text()) == seconds.sub("", before)


def test_results_are_read_as_they_were_written(small, tmp_path):
    _, outcome = small
    (tmp_path / "results.json").write_bytes(outcome.results.to_bytes())
    assert TournamentResults.read(tmp_path / "results.json") == outcome.results
    with pytest.raises(Refused, match="no file of tournament results"):
        TournamentResults.read(outcome.page)


def test_the_page_has_every_figure_and_asks_nobody_for_anything(small):
    _, outcome = small
    page = outcome.page.read_text()
    assert "does not prove privacy" in page and "the test wants to see its reason" in page
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page) and "<script" not in page
    assert page.count("could be luck") > 2


def test_a_new_attack_shows_what_it_moves(small):
    _, outcome = small
    now, small_arena = outcome.results, outcome.results.arenas["small"]
    fewer = {name: one for name, one in small_arena.attacks.items() if name != "nearest"}
    cells = {
        entry: {name: one for name, one in row.items() if name != "nearest"}
        for entry, row in small_arena.cells.items()
    }
    cells["identity"]["guess"] = {"auc": (0.55, 0.5, 0.6, 160), "membership_advantage": (0,) * 4}
    fewer["guess"] = small_arena.attacks["nearest"]
    before = small_arena.model_copy(update={"attacks": fewer, "cells": cells})
    earlier = now.model_copy(update={"arenas": {"small": before}})
    found = changes(now, earlier, "small")
    assert found.attacks == ("nearest",) and found.missing == ("guess",) and found.paired
    (moved,) = (one for one in found.moved if one.entry == "identity")
    assert moved.clear and moved.now.attack == "nearest"
    page = tournament_page(now, earlier=earlier).decode()
    assert "New attacks:" in page and "What moved against the earlier results" in page


def test_unknown_names_are_answered_with_the_nearest(tmp_path):
    with pytest.raises(EditionError, match="snake"):
        play_tournament(["snak"], tmp_path)
    with pytest.raises(Refused, match="did you mean 'nearest'"):
        play_tournament(["snake"], tmp_path, only=["neares"])


def test_a_part_joins_by_being_registered(arena_file, monkeypatch):
    monkeypatch.setattr(registry, "_parts", copy_registered_parts())

    @registry.register("newcomer-v1")
    class Newcomer(Random):
        """Guesses like everybody who knows nothing."""

    players = players_of(read_arena(str(arena_file)), "default")
    assert ("attack/newcomer-v1", "newcomer") in [(id, one["id"]) for id, one in players.attacks]


def test_the_command_saves_the_figures_and_fails_for_a_refuted_claim(
    arena_file, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.toml").write_text(
        '[[claim]]\npage = "a.md"\nsentence = "Nobody can tell."\narena = "small"\n'
        'sanitizers = ["identity"]\nat_most = 0.5\n'
    )
    players = [f"--only={name}" for name in ("identity", "nearest", "random")]
    command = [str(arena_file), *players, "--claims=claims.toml", "--workers=1"]
    with pytest.raises(SystemExit) as done:
        main([*command, "--save=kept.json", "--check"])
    assert done.value.code == 1
    shown = capsys.readouterr()
    assert "small: 1 entry, 2 attacks, 4 repetitions" in shown.out
    assert "REFUTED a.md: “Nobody can tell.”" in shown.out
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert set(kept["arenas"]["small"]["attacks"]) == {"nearest", "random"}
