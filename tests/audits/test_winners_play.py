"""Who wins a row of a published table plays in every audit, or the audit says why it does not."""

import re
from pathlib import Path

import pytest
from benchmarks.tournament.best import best_attacks
from benchmarks.tournament.results import TournamentResults

from quintain import registry
from quintain.audits.release import audit_release
from quintain.testing import example, unique_people

ROOT = Path(__file__).resolve().parents[2]
GIVEN = {"base"}
"""What an audit gives attacks beside the release."""


def winners_of_the_standing_table():
    """The attack that each row names as the strongest."""
    page = (ROOT / "docs/reference/standing-table.md").read_text()
    rows = re.findall(r"^\| `[^`]+` \| `([^`]+)` \|", page, re.MULTILINE)
    assert len(rows) == page.count("\n| `")
    return set(rows)


def winners_of_the_tournament():
    """The attacks that no other beats on an entry, by any measure; equals of the best as well."""
    arenas = TournamentResults.read(ROOT / "docs/tournament.json").arenas.values()
    return {
        arena.attacks[name].part
        for arena in arenas
        for measure in arena.measures
        for best in best_attacks(arena, measure).values()
        for name in (best.attack, *best.equal)
    }


def parts():
    """The winners as parts."""
    ids = {part.removeprefix("attack/") for part in winners_of_the_tournament()}
    winners = ids | winners_of_the_standing_table()
    return {part.name(): part for part in (registry.find("attack", use) for use in winners)}


def audit_of_people():
    table = unique_people(rows=300)
    sides = table.take(range(100)), table.take(range(50, 150)), table.take(range(200, 300))
    return audit_release(*sides, permutations=19)


def audit_of_series():
    stays = example("series", rows=400)
    sides = stays.take(range(15)), stays.take(range(10, 25)), stays.take(range(25, 40))
    return audit_release(*sides, permutations=19)


def audit_of_transactions():
    purchases = example("transactions", rows=60)
    return audit_release(purchases, purchases)


AUDITS = {
    "table": audit_of_people,
    "series": audit_of_series,
    "transactions": audit_of_transactions,
}


@pytest.mark.parametrize("shape", AUDITS)
def test_winners_play_by_default_or_have_a_reason(shape):
    winners = {name: part for name, part in parts().items() if shape in part.shapes}
    assert winners
    audit = AUDITS[shape]()
    plays = {finding.attack for finding in audit.readings}
    reasons = {one.what: one.reason for one in audit.not_computed}
    needs = {name: part.needs - GIVEN for name, part in winners.items()}
    assert {name for name in winners if not needs[name]} <= plays
    for name in (name for name in winners if needs[name]):
        assert all(f"{fact} (" in reasons[name] for fact in needs[name])


def test_every_winner_has_a_shape_that_is_audited_here():
    assert all(set(part.shapes) & set(AUDITS) for part in parts().values())
