"""Formulas of published contests, formulas with faults, and hostile ones: what comes out of each.

The figures of the PWSCup are those that its organisers published: the tables of 2023 in
hamadakoki/pwscup2023 and those of 2024 in pwscup/pwssite on GitHub.
"""

from fractions import Fraction

import pytest

from quintain.contests import load
from quintain.errors import EditionError
from tests.rankings.formulas.plain_lookup import value_of

# --- published ------------------------------------------------------------------------------------

PWSCUP_2024 = "max(0, U + A - 2 * max(0, 50 - U) - 2 * max(0, 50 - A))"
RATES_2023 = (
    "0.10917 0.09942 0.13046 0.11419 0.09972 0.21307 0.09999 "
    "0.10021 0.16665 0.17215 0.09993 0.1913 0.10626 0.11286"
)

PUBLISHED = {
    "AMIC 2020, anonymizers": (
        "floor(1000 * (1 - max(hit_rate)))",
        {"lists": {"hit_rate": {"a": "0.1", "b": "0.12", "c": "0.07"}}},
        880,
    ),
    "AMIC 2020, attackers: the three best anonymizers, the own one skipped": (
        "floor(1000 * mean(top(3, 'anonymizers', hit_rate)))",
        {
            "lists": {"hit_rate": {"b": "0.17", "c": "0.12", "d": "0.09", "e": "0.9"}},
            "places": {"anonymizers": [["c"], ["me"], ["d"], ["b"], ["e"]]},
        },
        126,
    ),
    "AMIC 2020, both rounds": (
        "0.1 * score('pre/anonymizers') + 0.9 * score('main/anonymizers')",
        {"scores": {"pre/anonymizers": 850, "main/anonymizers": 880}},
        877,
    ),
    "AMIC 2020, overall award": (
        "1 / (rank('anonymizers') + rank('attackers'))",
        {"ranks": {"anonymizers": 2, "attackers": 3}},
        Fraction(1, 5),
    ),
    "DARC 2019, anonymizers": (
        "(U + max(reid, baseline)) / 2",
        {"numbers": {"U": "0.31", "baseline": "0.2"}, "lists": {"reid": {"a": "0.25"}}},
        Fraction("0.28"),
    ),
    "Hide-and-Seek 2020, hiders": (
        "1 - max(accuracy)",
        {"lists": {"accuracy": {"a": "0.5", "b": "0.625"}}},
        Fraction("0.375"),
    ),
    "PWSCup 2023, anonymizers, final round, team 01": (
        "(utility + 1 - max(inferred)) / 2",
        {"numbers": {"utility": "0.82451"}, "lists": {"inferred": {"a": "0.10041", "b": "0.05"}}},
        Fraction("0.86205"),
    ),
    "PWSCup 2023, attackers, final round, team 01": (
        "round(100000 * mean(inferred)) / 100000",
        {"lists": {"inferred": dict(enumerate(RATES_2023.split()))}},
        Fraction("0.12967"),
    ),
    "iPWSCup 2023: the harmonic mean of utility and protection": (
        "2 / (1 / utility + 1 / (1 - max(inferred)))",
        {"numbers": {"utility": "0.75"}, "lists": {"inferred": {"a": "0.5", "b": "0.1"}}},
        Fraction("0.6"),
    ),
    "PWSCup 2024, attackers: the own place replaced by the best other": (
        "sum(with_own(right, max(right)))",
        {"lists": {"right": {"a": 10, "b": 31, "c": 25}}, "own": ("me",)},
        97,
    ),
}


@pytest.mark.parametrize("contest", PUBLISHED)
def test_a_formula_of_a_published_contest(contest):
    text, given, expected = PUBLISHED[contest]
    assert value_of(text, **given) == expected


ROWS_2024 = """\
164.5 77.5 87|165.61 80.61 85|142.38 56.38 86|149.38 57.38 92|159.79 77.79 82|156.45 69.45 87
159.31 79.31 80|13.46 86.46 9|141.31 57.31 84|149.61 61.61 88|158.47 68.47 90|0 57.7 11
145.14 58.14 87|147.47 58.47 89|136.51 61.51 75|164.71 89.71 75|182.99 97.99 85|147.98 61.98 86
142.09 58.09 84|161.14 71.14 90|155.35 67.35 88|162.55 80.55 82|165.25 76.25 89|149.19 70.19 79
0 65.73 6|138.56 60.56 78|163.16 77.16 86|1.68 4.56 88|156.42 65.42 91"""


def test_the_published_scores_of_pwscup_and_ipwscup_2024():
    rows = [row.split() for line in ROWS_2024.splitlines() for row in line.split("|")]
    assert len(rows) == 29
    for score, utility, anonymity in rows:
        numbers = {"U": utility, "A": anonymity}
        assert value_of(PWSCUP_2024, numbers=numbers) == Fraction(score)


# --- with faults ----------------------------------------------------------------------------------

FAULTS = {
    "1 - max(membership_advantge)": (
        "column 20: unknown reading 'membership_advantge'; did you mean 'membership_advantage'?"
    ),
    "1 - maximum(tv1)": "column 16: unknown function 'maximum'; did you mean 'max'?",
    "100 * (1 - max(auc)": "column 18: this '(' has no closing ')'",
    "1 - membership_advantage": (
        "column 12: gives one number per attacker; write mean(...), max(...) or sum(...)"
    ),
    "clamp(tv1, 0)": "column 12: clamp got 2 arguments; write clamp(x, low, high)",
    "clamp(tv1, 1, 0)": "column 23: the lower bound is above the upper bound",
    "mean(highest(2.5, auc))": "column 25: expected a whole number of at least 1",
    "score('winers') / 2": (
        "column 18: unknown board 'winers' among those before it; did you mean 'winners'?"
    ),
    "tv1 tv2": "column 16: expected an operator, got 'tv2'",
    "tv1 + 'tv2'": "column 18: expected a number, got a text",
}

EDITION = """\
include = "tiny"
id = "formulas"

[[board]]
id = "winners"
use = "count-wins"

[[board]]
id = "score"
use = "formula"
formula = "{}"
"""


def sentences(tmp_path, text):
    path = tmp_path / "edition.toml"
    path.write_text(EDITION.replace("{}", text), "utf-8")
    with pytest.raises(EditionError) as caught:
        load(path)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("text", FAULTS)
def test_a_formula_with_a_fault_is_refused_with_line_and_column(tmp_path, text):
    assert sentences(tmp_path, text) == [f"edition.toml:11 board.1.formula: {FAULTS[text]}"]


def test_all_faults_of_all_formulas_are_listed_at_once(tmp_path):
    listed = sentences(tmp_path, "a + worst(auc) / 0 - score('me')")
    places = sorted(line.split(": ")[1] for line in listed)
    assert places == ["column 12", "column 16", "column 29", "column 39"]


def test_a_formula_on_several_lines_has_the_line_of_the_fault(tmp_path):
    path = tmp_path / "edition.toml"
    path.write_text(EDITION.replace('"{}"', "'''\n  tv1\n  + utility'''"))
    with pytest.raises(EditionError, match=r"edition.toml:13 board.1.formula: column 5: unknown"):
        load(path)


def test_a_formula_with_escaped_characters_has_the_character_of_the_fault(tmp_path):
    (line,) = sentences(tmp_path, r"1 + \"x\"")
    assert line.endswith("character 5: expected a number, got a text")


# --- hostile --------------------------------------------------------------------------------------

HOSTILE = {
    "9**9**9**9": "column 14: expected a number, a name or '(', got '*'",
    "(" * 900 + "1" + ")" * 900: "column 62: nested too deeply; the limit is 50 levels",
    "-" * 1500 + "1": "column 62: nested too deeply; the limit is 50 levels",
    "()": "column 13: expected a number, a name or '(', got ')'",
    "().__class__.__bases__": (
        "column 14: unexpected '.'; a dot stands between a goal and its reading: member.auc, "
        "without spaces"
    ),
    "tv1.__class__": (
        "column 12: unknown reading 'tv1.__class__'; available: attackers, auc, entries, "
        "found_by, membership_advantage, teams, tpr_at_fpr, tv1, tv2"
    ),
    "__import__('os')": (
        "column 12: unknown function '__import__'; available: abs, clamp, count, default, floor, "
        "highest, lowest, max, mean, median, min, n, quantile, rank, reading, round, score, se, "
        "sqrt, sum, top, trimmed, with_own"
    ),
    "__class__": (
        "column 12: unknown reading '__class__'; available: attackers, auc, entries, "
        "found_by, membership_advantage, teams, tpr_at_fpr, tv1, tv2"
    ),
    "1+" * 500_000 + "1": "a formula of 1,000,001 characters; the limit is 2,000",
    "tv1 + tv\N{FULLWIDTH DIGIT TWO}": (
        "column 20: unexpected character FULLWIDTH DIGIT TWO; formulas are plain ASCII text"
    ),
    "\N{CYRILLIC SMALL LETTER A}uc": (
        "column 12: unexpected character CYRILLIC SMALL LETTER A; formulas are plain ASCII text"
    ),
    "1e999": "column 12: expected an exponent from -15 to 15",
    "0/0": "column 14: division by zero",
    "score('score')": (
        "column 18: unknown board 'score' among those before it; available: winners"
    ),
    "lambda: 1": "column 18: unexpected ':'",
    "[tv1 for tv1 in x]": "column 12: unexpected '['",
    "tv1 if tv2 else auc": "column 16: expected an operator, got 'if'",
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_formula_is_refused_with_a_sentence(tmp_path, text):
    (line,) = sentences(tmp_path, text)
    assert line.endswith(HOSTILE[text])


def test_zero_has_no_sign():
    assert str(float(value_of("-0"))) == "0.0"
    assert value_of("-0 == 0") == 1


def test_products_without_end_are_not_measured():
    assert value_of("x" + " * x" * 450, numbers={"x": "0.123456789012345678"}) == (
        "the numbers in the formula become too long"
    )
