"""A battery of checks for every part, your own parts included.

Use it in a test suite::

    @pytest.mark.parametrize("part, check", battery(MyAttack))
    def test_my_attack(part, check):
        check(part)

A check that fails raises ``AssertionError`` with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quintain.attacks import Attack
from quintain.audits.risk import Risk
from quintain.data.column import ColumnKind
from quintain.data.shape import Shape
from quintain.data.sources.source import Source
from quintain.guesses import Goal
from quintain.measures import GuessMeasure, Measure, ReleaseMeasure
from quintain.programs import Contract
from quintain.rankings import RankingRule, TieRule
from quintain.registry import Part
from quintain.releases import Rule
from quintain.samples import Design
from quintain.sanitizers import Sanitizer
from quintain.testing.checks.attacks import check_attack
from quintain.testing.checks.contracts import check_contract
from quintain.testing.checks.goals import check_goal
from quintain.testing.checks.kinds import check_spelling, check_stored, check_words
from quintain.testing.checks.measures import (
    check_guess_measure,
    check_measure_names,
    check_release_measure,
)
from quintain.testing.checks.parts import check_named, check_refuses_bad_parameters, check_spec
from quintain.testing.checks.rankings import check_ranking, check_tie
from quintain.testing.checks.risks import check_risk
from quintain.testing.checks.rules import check_rule
from quintain.testing.checks.samples import check_sample
from quintain.testing.checks.sanitizers import (
    check_domain_kept,
    check_input_unchanged,
    check_order_irrelevant,
    check_origins_told,
    check_same_seed_same_bytes,
    check_structure_told,
    check_test_noise_marked,
)
from quintain.testing.checks.shapes import check_publishing, check_rows, check_views
from quintain.testing.checks.sources import check_source

Check = Callable[[Any], None]


def battery(cls: type[Part]) -> Iterator[tuple[Part, Check]]:
    """Every check that applies to a part, for every example of the part."""
    for part in cls.examples():
        for family, checks in _CHECKS.items():
            if isinstance(part, family):
                yield from ((part, check) for check in checks)


_CHECKS: dict[type[Part], tuple[Check, ...]] = {
    Part: (check_named, check_spec, check_refuses_bad_parameters),
    Sanitizer: (
        check_same_seed_same_bytes,
        check_input_unchanged,
        check_domain_kept,
        check_order_irrelevant,
        check_origins_told,
        check_structure_told,
        check_test_noise_marked,
    ),
    ColumnKind: (check_spelling, check_stored, check_words),
    Shape: (check_rows, check_publishing, check_views),
    Design: (check_sample,),
    Source: (check_source,),
    Goal: (check_goal,),
    Rule: (check_rule,),
    Attack: (check_attack,),
    Measure: (check_measure_names,),
    GuessMeasure: (check_guess_measure,),
    ReleaseMeasure: (check_release_measure,),
    RankingRule: (check_ranking,),
    TieRule: (check_tie,),
    Risk: (check_risk,),
    Contract: (check_contract,),
}
