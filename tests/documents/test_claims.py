"""Claims of the contest pages, beside the kept figures of the tournament."""

from pathlib import Path

import pytest
from benchmarks.tournament.arena import arena_names, read_arena
from benchmarks.tournament.claims import DRAWS, has_figures, read_claims, refuted
from benchmarks.tournament.players import players_of
from benchmarks.tournament.results import TournamentResults
from benchmarks.tournament.tournament import SEED

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = read_claims(ROOT / "docs/claims.toml")
KEPT = ROOT / "docs/tournament.json"
DRAWN = TournamentResults.read(ROOT / "docs/draws/claims.json")
NEAR = 0.02
"""How far a bound may be from the figure that it is about."""
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


def figures_of(claim, kept):
    return DRAWN if claim.draws >= DRAWS else kept


def test_the_figures_refute_no_claim(kept):
    assert not [str(one) for one in refuted(CLAIMS, kept)]
    assert not [str(one) for one in refuted([c for c in CLAIMS if c.draws >= DRAWS], DRAWN)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda one: f"{one.sanitizers[0]}-{one.attack}")
def test_a_claim_rests_on_its_draws_and_its_bound_is_near_the_figure(claim, kept):
    results = figures_of(claim, kept)
    assert results.arenas[claim.arena].sizes.repeats == claim.draws
    strongest: dict[str, float] = {}
    for entry, _, reading in claim.figures(results):
        strongest[entry] = max(reading.value, strongest.get(entry, 0.0))
    if claim.at_least is not None:
        assert 0 <= min(strongest.values()) - claim.at_least <= NEAR
    if claim.at_most is not None:
        assert 0 <= claim.at_most - max(strongest.values()) <= NEAR


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


def not_yet_played(arena, players):
    """The parts that could play, or have a reason not to, and that the figures do not have."""
    played = {player.part for player in (*arena.entries.values(), *arena.attacks.values())}
    able = {part for part, _ in (*players.sanitizers, *players.attacks)} - played
    return able | ({unable.part for unable in players.unable} - set(arena.unable) - played)


@pytest.mark.parametrize("name", arena_names())
def test_every_part_is_in_the_figures_or_named_as_not_yet_played(kept, name):
    """A new part is a note, not a failure: it must not need the whole tournament."""
    assert name in kept.arenas, AGAIN
    if new := not_yet_played(kept.arenas[name], players_of(read_arena(name), "default")):
        pytest.skip(f"not yet played in {name}: {', '.join(sorted(new))}; {AGAIN}")


def test_a_part_that_the_figures_do_not_have_is_noticed(kept):
    arena, players = kept.arenas["snake"], players_of(read_arena("snake"), "default")
    attacks = {name: attack for name, attack in arena.attacks.items() if name != "nearest"}
    without = arena.model_copy(update={"attacks": attacks})
    new = not_yet_played(without, players) - not_yet_played(arena, players)
    assert new == {"attack/nearest-v1"}
