"""AMIC: its edition has the figures of the rules."""

from math import prod

from quintain.contests import load
from quintain.rankings.rule import Points
from quintain.sanitizers.synthetic.moments import MomentsGenerator

TABLE_1 = {
    "workclass": "Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, "
    "Without-pay, Never-worked",
    "education": "Bachelors, Some-college, 11th, HS-grad, Prof-school, Assoc-acdm, Assoc-voc, 9th, "
    "7th-8th, 12th, Masters, 1st-4th, 10th, Doctorate, 5th-6th, Preschool",
    "marital-status": "Married-civ-spouse, Divorced, Never-married, Separated, Widowed, "
    "Married-spouse-absent, Married-AF-spouse",
    "occupation": "Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, "
    "Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, Farming-fishing, "
    "Transport-moving, Priv-house-serv, Protective-serv, Armed-Forces",
    "relationship": "Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried",
    "sex": "Female, Male",
    "income": ">50K, <=50K",
}
EDITION = load("amic")
ROUNDS = {track.id: track for track in EDITION.track}


def gates(track):
    """The readings of a track that disqualify, with their bounds."""
    return {name: (gate.at_least, gate.at_most) for name, gate in track.gates.items()}


def test_a_million_records_are_made_and_a_hundred_thousand_distinct_ones_taken():
    for track in EDITION.track:
        assert isinstance(track.population.generator, MomentsGenerator)
        assert track.population.generator.rows == 1_000_000
        assert track.population.distinct
        assert track.population.take == 100_000


def test_a_tenth_of_the_population_is_sampled_and_a_hundred_rows_are_named():
    for track in EDITION.track:
        assert track.sample.rows == 10_000 == 0.1 * track.population.take
        assert track.goal.guesses == 100


def test_the_thresholds_of_the_preliminary_round():
    assert gates(ROUNDS["pre"]) == {
        "histogram": (0.99, None),
        "covariance": (0.4, None),
        "tree_relationship": (0.85, None),
        "tree_income": (0.85, None),
    }


def test_trees_have_the_depths_and_the_classes_of_the_rules():
    for track in EDITION.track:
        trees = [one.measure for one in track.utility if hasattr(one.measure, "depth")]
        found = {(tree.target, tree.positive, tree.depth) for tree in trees}
        assert found == {("relationship", "Husband", 3), ("income", "<=50K", 5)}


def test_a_release_has_a_thousand_to_a_hundred_thousand_records():
    for track in EDITION.track:
        (rule,) = track.rule
        assert (rule.least, rule.most) == (1_000, 100_000)


def test_three_awards_have_three_places_each_and_none_is_for_the_preliminary_round():
    assert {(award.board, award.places) for award in EDITION.award} == {
        ("overall", 3),
        ("anonymizers", 3),
        ("attackers", 3),
    }
    boards = {board.id: board for board in EDITION.overall}
    assert set(boards["preliminary"].rule.boards) == {"pre/anonymizers", "pre/attackers"}


def test_points_are_thousandths_without_decimals():
    for track in EDITION.track:
        for board in track.board:
            assert board.rule.points == Points(scale=1000, whole="floor")


def test_categories_have_the_values_of_table_1():
    columns = EDITION.track[0].dataset.data_schema().columns
    assert [column.name for column in columns] == [
        *("age", "workclass", "education", "marital-status", "occupation"),
        *("relationship", "sex", "hours-per-week", "income"),
    ]
    found = {column.name: set(column.values) for column in columns if column.values}
    assert found == {name: set(text.split(", ")) for name, text in TABLE_1.items()}


def test_the_rules_count_seventy_three_ages_and_the_table_has_seventy_four():
    sizes = [column.size for column in EDITION.track[0].dataset.data_schema().columns]
    assert prod(sizes) // 74 * 73 == 2_175_731_712


def test_both_rounds_ask_for_the_population_and_the_methods_only():
    for track in EDITION.track:
        (aim,) = track.aims
        assert aim.threat.facts == {"base", "methods", "claim"}
