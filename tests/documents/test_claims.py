"""Claims of the contest pages, beside the kept figures of the tournament."""

from pathlib import Path

import pytest

from quintain.runs.tournament.arena import arena_names, read_arena
from quintain.runs.tournament.claims import has_figures, read_claims, refuted
from quintain.runs.tournament.players import players_of
from quintain.runs.tournament.results import TournamentResults
from quintain.runs.tournament.tournament import SEED

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = read_claims(ROOT / "docs/claims.toml")
KEPT = ROOT / "docs/tournament.json"
AGAIN = "run make tournament, then cp tournament/results.json docs/tournament.json"


@pytest.fixture(scope="module")
def kept():
    if not KEPT.is_file():
        pytest.skip(f"there are no kept figures: {AGAIN}")
    return TournamentResults.read(KEPT)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: f"{one.page}-{one.sanitizers[0]}")
def test_the_sentence_of_a_claim_stands_on_its_page(claim):
    assert claim.stands_on((ROOT / claim.page).read_text()), "change docs/claims.toml as well"


def test_every_claim_is_about_an_arena():
    assert {claim.arena for claim in CLAIMS} <= set(arena_names())


def test_there_are_figures_for_every_claim(kept):
    unknown = [claim.sentence for claim in CLAIMS if not has_figures(claim, kept)]
    assert not unknown, f"entries or attacks are named wrongly, or {AGAIN}"


def test_the_figures_refute_no_claim(kept):
    assert not [str(one) for one in refuted(CLAIMS, kept)]


def test_a_false_claim_would_be_noticed(kept):
    arena = kept.arenas["snake"]
    false = CLAIMS[0].model_copy(
        update={
            "arena": "snake",
            "sanitizers": ("identity",),
            "attack": "best",
            "measure": arena.first,
            "at_least": None,
            "at_most": 0.5,
        }
    )
    true = false.model_copy(update={"at_most": 1.0})
    assert [one.claim for one in refuted([*CLAIMS, false, true], kept)] == [false]


def test_the_figures_are_those_of_the_default_size(kept):
    assert (kept.size, kept.seed) == ("default", SEED), AGAIN


@pytest.mark.parametrize("name", arena_names())
def test_every_part_that_can_play_is_in_the_figures(kept, name):
    assert name in kept.arenas, AGAIN
    arena, players = kept.arenas[name], players_of(read_arena(name), "default")
    played = {one.part for one in (*arena.entries.values(), *arena.attacks.values())}
    missing = {part for part, _ in (*players.sanitizers, *players.attacks)} - played
    assert not missing, f"{sorted(missing)}: {AGAIN}"
    unknown = {one.part for one in players.unable} - set(arena.unable) - played
    assert not unknown, f"{sorted(unknown)}: {AGAIN}"
