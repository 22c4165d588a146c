"""Randomized response: the values that stay, their replacements, and the claim."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.data import Column, Schema, Table
from quintain.errors import PartError, Rejected
from quintain.measures.epsilon.thresholds import audited_epsilon
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, Sanitized
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.randomized_response import RandomizedResponse
from quintain.testing import example, example_table, people
from tests.sanitizers.plain_rows import as_rows

YES_NO = Schema(columns=(Column(name="answer", kind="category", values=("no", "yes")),))
FOUR = Schema(columns=(Column(name="answer", kind="integer", low=3, high=6),))


def constant(schema, value, rows=20_000):
    return Table(schema, {"answer": np.full(rows, value)})


def answered(data, seed=1, **parameters):
    sanitizer = RandomizedResponse(**parameters)
    rng = np.random.default_rng(0)
    return sanitizer.sanitize(data, rng=rng, noise=Noise.for_test(seed)).release


def test_keeping_everything_is_the_identity_and_claims_nothing():
    data = people(example_table())
    release = answered(data, keep=1)
    assert release.data.equals(data.take(data.order()))
    assert release.claim is None


def test_keeping_nothing_is_uniform_over_the_domain_whatever_the_data():
    for value in (0, 3):
        release = answered(constant(FOUR, value), keep=0)
        assert chisquare(np.bincount(release.data.columns["answer"], minlength=4)).pvalue > 1e-4


def test_what_comes_out_with_nothing_kept_does_not_depend_on_what_went_in():
    one, other = (answered(constant(FOUR, value), keep=0).data for value in (0, 3))
    assert one.equals(other)


@pytest.mark.parametrize(
    ("schema", "keep", "unchanged"),
    [
        (YES_NO, 0.6, 0.8),  # 0.6 + 0.4 / 2
        (FOUR, 0.6, 0.7),  # 0.6 + 0.4 / 4
        (FOUR, 0.2, 0.4),  # 0.2 + 0.8 / 4
    ],
)
def test_a_value_survives_as_often_as_it_should(schema, keep, unchanged):
    release = answered(constant(schema, 1), keep=keep)
    share = (release.data.columns["answer"] == 1).mean()
    assert abs(share - unchanged) < 5 * math.sqrt(unchanged * (1 - unchanged) / 20_000)


def test_all_other_values_are_equally_likely():
    release = answered(constant(FOUR, 1), keep=0.5)
    counts = np.bincount(release.data.columns["answer"], minlength=4)
    assert chisquare(counts[[0, 2, 3]]).pvalue > 1e-4


def test_a_value_that_nobody_has_can_be_drawn():
    data = people(example_table())
    assert "never seen" not in {record["colour"] for record in data.records()}
    answers = {record["colour"] for record in answered(data, keep=0.5).data.records()}
    assert "never seen" in answers


def test_the_claim_of_one_yes_or_no_question_is_the_textbook_one():
    # keep 1/2: "yes" is said with probability 3/4 or 1/4, so epsilon is ln 3.
    assert answered(constant(YES_NO, 0), keep=0.5).claim.epsilon == pytest.approx(math.log(3))


def test_the_claim_adds_up_the_columns():
    # Domains of 4, 12 and 2 values, keep 1/2: ln(1 + 4) + ln(1 + 12) + ln(1 + 2) = ln 195.
    claim = answered(people(example_table()), keep=0.5).claim
    assert claim.epsilon == pytest.approx(math.log(195))
    assert claim.delta == 0
    assert claim.neighbours == "replace"
    assert claim.unit == "row"


@pytest.mark.parametrize("keep", [0.01, 0.5, 0.9, 0.999])
@pytest.mark.parametrize(("schema", "size"), [(YES_NO, 2), (FOUR, 4)])
def test_the_claim_is_the_largest_ratio_of_probabilities(schema, size, keep):
    same, other = keep + (1 - keep) / size, (1 - keep) / size
    claim = answered(constant(schema, 0, rows=5), keep=keep).claim
    assert claim.epsilon == pytest.approx(math.log(same / other))


def test_nothing_kept_claims_nothing_because_nothing_is_lost():
    assert answered(constant(FOUR, 0), keep=0).claim is None


def test_a_missing_value_is_one_answer_more():
    # Were "missing" said of those alone who said nothing, it would give them away for certain.
    schema = Schema(
        columns=(Column(name="answer", kind="category", values=("no", "yes"), nullable=True),)
    )
    for value, share in ((-1, 2 / 3), (1, 1 / 6)):
        release = answered(constant(schema, value), keep=0.5)
        missing = (release.data.columns["answer"] < 0).mean()
        assert abs(missing - share) < 5 * math.sqrt(share * (1 - share) / 20_000)
    # Two thirds against one sixth: epsilon is ln 4.
    assert release.claim.epsilon == pytest.approx(math.log(4))


def test_some_columns_can_be_left_alone_and_then_nothing_is_claimed():
    data = people(example_table())
    release = answered(data, keep=0.2, columns=("colour", "flag"))
    assert release.claim is None
    old, new = (np.bincount(table.columns["size"]) for table in (data, release.data))
    assert (old == new).all()
    old, new = (np.bincount(table.columns["colour"], minlength=4) for table in (data, release.data))
    assert (old != new).any()
    assert release.methods[0].columns == ("colour", "flag")


def test_naming_every_column_is_the_same_as_naming_none():
    data = people(example_table())
    named = answered(data, keep=0.5, columns=data.schema.names)
    assert named.claim == answered(data, keep=0.5).claim
    assert named.data.equals(answered(data, keep=0.5).data)


def test_columns_are_answered_independently():
    # Two equal columns: kept together with probability 1/4, not 1/2.
    columns = tuple(Column(name=name, kind="integer", low=0, high=999) for name in "ab")
    data = Table(Schema(columns=columns), {"a": np.full(20_000, 5), "b": np.full(20_000, 5)})
    release = answered(data, keep=0.5).data
    kept = [release.columns[name] == 5 for name in "ab"]  # of the same record, wherever it stands
    assert abs((kept[0] & kept[1]).mean() - 0.2505) < 5 * math.sqrt(0.25 * 0.75 / 20_000)


def test_the_questionnaire_says_how_many_records_changed():
    # A record of three columns stays as it is with probability 1/8: 175 of 200 do not.
    (method,) = answered(people(example_table()), keep=0.5).methods
    assert method.name == "randomized response"
    assert method.rows == 175
    assert method.columns == ("colour", "size", "flag")


def test_the_answers_come_from_the_noise_and_not_from_the_seed():
    data, sanitizer = people(example_table()), RandomizedResponse(keep=0.5)
    releases = [
        sanitize(
            sanitizer, data, rng=np.random.default_rng(seed), noise=Noise.for_test(noise)
        ).release
        for seed, noise in ((1, 1), (2, 1), (1, 2))
    ]
    assert releases[0].data.equals(releases[1].data)
    assert not releases[0].data.equals(releases[2].data)


# --- the order of the records ---------------------------------------------------------------------

SIXTY_FOUR = Schema(columns=(Column(name="answer", kind="integer", low=0, high=63),))


class InOrder(RandomizedResponse):
    """A planted bug: the released records keep the order of the input."""

    aligned = True

    def sanitize(self, data, *, rng, noise):
        changed = self.mask(data, self.choose_columns(data.schema), rng=rng, noise=noise)
        claim = self.make_claim(data.schema, data.schema.names)
        return Sanitized(Release(data.replace(changed), claim))


def order_audit(sanitizer, runs=1000):
    """How much record i of the release reveals about record i of the sorted input."""
    scores = []
    for first in (0, 1):  # 0..39 or 1..40: one record replaced, yet every sorted place is another
        data = Table(SIXTY_FOUR, {"answer": np.arange(first, first + 40)})
        releases = [
            sanitize(
                sanitizer, data, rng=np.random.default_rng(0), noise=Noise.for_test(run)
            ).release
            for run in range(first * runs, (first + 1) * runs)
        ]
        scores.append([(r.data.columns["answer"] == np.arange(40)).sum() for r in releases])
    return audited_epsilon(np.array(scores[0]), np.array(scores[1]), delta=0.0, level=0.999).value


@pytest.mark.slow
def test_the_claim_holds_for_the_order_of_the_records_too():
    claim = answered(Table(SIXTY_FOUR, {"answer": np.arange(40)}), keep=0.2).claim
    assert order_audit(RandomizedResponse(keep=0.2)) < claim.epsilon
    assert order_audit(InOrder(keep=0.2)) > claim.epsilon


# --- drawn from the values that occur, as in the sample code of AMIC ------------------------------


def test_only_values_that_occur_are_drawn():
    data = people(example_table())
    release = answered(data, keep=0.1, draw="occurring").data
    for name in data.schema.names:
        assert set(release.columns[name].tolist()) == set(data.columns[name].tolist())


def test_each_value_that_occurs_is_as_likely_as_another_however_rare():
    data = Table(FOUR, {"answer": np.r_[np.zeros(29_999, int), 3]})
    release = answered(data, keep=0, draw="occurring").data
    counts = np.bincount(release.columns["answer"], minlength=4)
    assert counts[[1, 2]].sum() == 0
    assert chisquare(counts[[0, 3]]).pvalue > 1e-4


def test_values_that_occur_depend_on_people_so_nothing_is_claimed():
    assert answered(people(example_table()), keep=0.5, draw="occurring").claim is None


def test_values_that_occur_are_known_without_a_domain():
    data = as_rows(example("transactions", rows=40))
    release = answered(data, keep=0.5, draw="occurring", columns=("price", "day")).data
    assert set(release.columns["price"].tolist()) <= set(data.columns["price"].tolist())
    with pytest.raises(PartError, match="unknown column 'prise'; available: customer"):
        answered(data, draw="occurring", columns=("prise",))


def test_a_column_named_twice_is_refused():
    with pytest.raises(Rejected, match="these columns appear twice: colour"):
        build("sanitizer", {"use": "rr", "columns": ["colour", "size", "colour"]})


def test_a_release_made_with_secret_noise_is_no_test():
    data = people(example_table())
    release = sanitize(
        RandomizedResponse(), data, rng=np.random.default_rng(0), noise=Noise.from_os()
    ).release
    assert not release.test


def test_a_column_without_bounds_is_refused():
    data = as_rows(example("transactions", rows=20))
    with pytest.raises(PartError, match="needs a finite domain or bounds; 'customer' has none"):
        answered(data, keep=0.5)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(PartError, match="colr"):
        answered(people(example_table()), keep=0.5, columns=("colr",))


def test_data_of_another_shape_are_refused():
    with pytest.raises(PartError, match="sanitizer/rr-v1 is for table, not for series"):
        sanitize(
            RandomizedResponse(),
            example("series"),
            rng=np.random.default_rng(0),
            noise=Noise.for_test(1),
        )
