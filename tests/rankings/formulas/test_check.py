"""Checking formulas: every name and argument that does not fit is found, with its character."""

import pytest

from tests.rankings.formulas.plain_lookup import faults_of

KNOWN = {
    "numbers": {"utility", "teams"},
    "named": {"hit_rate", "auc"},
    "lists": {"found_by"},
    "boards": ["anonymizers", "pre"],
}


@pytest.mark.parametrize(
    "text",
    [
        "utility",
        "max(0, 100 * (1 - max(hit_rate)) - 5) + utility",
        "mean(hit_rate * auc) + mean(top(3, 'pre', hit_rate))",
        "sum(1 / found_by) / teams + score('anonymizers') - rank(\"pre\")",
        "mean(top(3, 'pre', with_own(hit_rate, max(hit_rate))))",
        "default(score('pre'), 0)",
        "sum(highest(2, found_by)) + reading('utility')",
    ],
)
def test_a_formula_whose_names_are_known_has_no_fault(text):
    assert faults_of(text, **KNOWN) == []


@pytest.mark.parametrize(
    ("text", "character", "message"),
    [
        ("1 - utilty", 5, "unknown reading 'utilty'; did you mean 'utility'?"),
        ("reading('utilty')", 9, "unknown reading 'utilty'; did you mean 'utility'?"),
        ("maxx(hit_rate)", 1, "unknown function 'maxx'; did you mean 'max'?"),
        ("best(3, hit_rate)", 1, "unknown function 'best'; write highest"),
        ("hit_rate", 1, "gives one number per attacker; write mean(...), max(...) or sum(...)"),
        ("max + 1", 1, "max is a function: write max(a, b, ...)"),
        ("clamp(utility)", 1, "clamp got 1 arguments; write clamp(x, low, high)"),
        ("clamp(utility, 1, 0)", 16, "the lower bound is above the upper bound"),
        ("sum(highest(0, hit_rate))", 13, "expected a whole number of at least 1"),
        ("sum(highest(hit_rate, auc))", 13, "expected a number: highest(k, list)"),
        ("score(pre)", 7, 'expected a text in quotes: score("board")'),
        ("score('pres')", 7, "unknown board 'pres' among those before it; did you mean 'pre'?"),
        ("'pre' + 1", 1, "expected a number, got a text"),
        ("utility / 0", 11, "division by zero"),
        (
            "sum(hit_rate * found_by)",
            16,
            "these two lists do not have the same items; compute with one list at a time",
        ),
        ("sum(top(1, 'pre', found_by))", 19, 'expected a list: top(k, "board", list)'),
    ],
)
def test_what_does_not_fit_is_found(text, character, message):
    assert faults_of(text, **KNOWN) == [(character, message)]


def test_all_faults_of_a_formula_are_found_at_once():
    faults = faults_of("a + maxx(b) / 0 - score('x')", numbers={"c"}, boards=())
    assert [character for character, _ in faults] == [1, 5, 10, 15, 25]
