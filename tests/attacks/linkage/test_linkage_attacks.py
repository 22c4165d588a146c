"""Attacks on pseudonyms: they agree with plain loops, and find what they can and no more."""

import time
from collections import Counter, defaultdict
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from quintain.attacks import Knowledge
from quintain.attacks.linkage.evidence_assignment import Compared, _sizes, learn_trust
from quintain.attacks.linkage.profile_assignment import item_similarity
from quintain.attacks.linkage.swap_aware import sources
from quintain.attacks.linkage.view import LinkageView, assign, best_owners
from quintain.data.sources.retail import PREPARED, Retail
from quintain.errors import KnowledgeError
from quintain.guesses.linkage import Linkage
from quintain.kernels.purchases import Purchases, months_of
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.reidentification import Reidentification
from quintain.measures.privacy.row_baselines import ATTACKS, ShoppingBaselines
from quintain.plays import Situation, play_or_raise
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.releases import Release, Sanitized, publish
from quintain.samples.sample import Whole
from quintain.sanitizers import sanitize

NOISE = (
    {"use": "date-noise"},
    {"use": "price-noise"},
    {"use": "quantity-noise"},
    {"use": "item-swap", "characters": 2},
    {"use": "suppression", "share": 0.4, "choose": "random"},
)
GOAL = Linkage(first="2010-12", months=13)
ROLES = ("item", "day", "price", "quantity")


class Game:
    """A shop, a release of it by some steps, and what attackers are given."""

    def __init__(self, *steps, customers=100, data=None, seed=1):
        rng = np.random.default_rng(seed)
        self.data = stand_in(customers) if data is None else data
        self.part = build("sanitizer", {"use": "pipeline", "steps": list(steps)})
        self.release = sanitize(self.part, self.data, rng=rng, noise=Noise.for_test(seed)).release
        self.question, self.truth = GOAL.ask(Whole().draw(self.data, rng=rng), self.release)
        self.shown = Release(publish(self.release.data, rng=rng))
        self.knowledge = Knowledge(self.question, self.data, code=self.run)

    def run(self, data, *, rng):
        return sanitize(self.part, data, rng=rng, noise=Noise.for_test(rng))

    def guess(self, use, **parameters):
        part = build("attack", {"use": use, **parameters})
        return part.infer(self.knowledge, self.shown, rng=np.random.default_rng(0))

    def reid(self, use, **parameters):
        return self.share(self.guess(use, **parameters))

    def share(self, guess):
        case = Case(self.truth, guess)
        return Reidentification().measure([case], rng=reading_rng())["reid"].value

    def view(self):
        return LinkageView.of(self.knowledge, self.shown)


@cache
def stand_in(customers=100):
    return Retail(customers=customers, rows=50 * customers).data(np.random.default_rng(3))


# --- matching -------------------------------------------------------------------------------------


def test_each_person_is_matched_once_and_the_others_share_a_pseudonym():
    game = Game({"use": "pseudonyms"})
    month = next(game.view().months())
    count = len(month.known.everyone)
    score = np.zeros((2, count))
    score[0, 0], score[1, 0], score[0, 1], score[1, 2:] = 9, 8, 7, 1
    owner = best_owners(score)
    assert owner[0] == 1 and owner[1] == 0
    pseudonym_of = game.view().nothing()
    assign(month, score, pseudonym_of)
    got = pseudonym_of[month.known.everyone, month.number]
    wanted = [1, 0, *[1] * (count - 2)]
    assert got.tolist() == month.shown.everyone[wanted].tolist()


def test_an_attack_that_is_not_given_the_purchases_is_refused():
    game = Game({"use": "pseudonyms"})
    part = build("attack", "profile-assignment")
    with pytest.raises(KnowledgeError, match="needs base"):
        situation = Situation(GOAL, game.shown, Knowledge(game.question))
        play_or_raise(part, situation, rng=np.random.default_rng(0))


# --- profiles -------------------------------------------------------------------------------------


def test_item_similarity_is_the_cosine_of_tf_idf():
    game = Game({"use": "suppression", "share": 0.3}, {"use": "pseudonyms"}, customers=30)
    for month in game.view().months():
        known, shown = (counts(side) for side in (month.known, month.shown))
        buyers = Counter(item for bought in known for item in bought)
        weight = {item: np.log((len(known) + 1) / buyers[item]) for item in buyers}
        got = item_similarity(month)
        for p, c in np.ndindex(got.shape):
            dot = sum(shown[p][i] * known[c][i] * weight[i] ** 2 for i in known[c])
            length = [
                np.sqrt(sum((n * weight.get(i, np.log(len(known) + 1))) ** 2 for i, n in b.items()))
                for b in (shown[p], known[c])
            ]
            wanted = dot / (length[0] * length[1]) if min(length) > 0 else 0
            assert got[p, c] == pytest.approx(wanted)


def counts(side):
    out = [Counter() for _ in side.everyone]
    for owner, item in zip(side.owner, side.bought.item, strict=True):
        out[owner][item] += 1
    return out


@pytest.mark.parametrize("use", ["profile-assignment", "evidence-assignment"])
@pytest.mark.parametrize("period", ["month", "whole"])
def test_pseudonyms_alone_protect_nobody(use, period):
    assert Game({"use": "pseudonyms", "period": period}).reid(use) > 0.99


# --- row keys -------------------------------------------------------------------------------------


def looked_up(game, attributes):
    """Guess the pseudonym of the last published row that agrees with a person's last purchase."""
    known, shown = Purchases.of(game.data), Purchases.of(game.shown.data)
    entry = {
        key(shown, row, attributes): str(shown.persons[shown.person[row]])
        for row in range(len(shown))
    }
    wanted = defaultdict(lambda: "")
    first = int(np.datetime64("2010-12", "M").astype(int))
    for row, month in enumerate(months_of(known.day) - first):
        if key(known, row, attributes) in entry:
            wanted[int(known.person[row]), int(month)] = entry[key(known, row, attributes)]
    months = range(len(game.question.months))
    people = range(len(known.persons))
    return game.question.answer([[wanted[person, month] for month in months] for person in people])


def key(bought, row, attributes):
    values = [getattr(bought, name)[row].item() for name in attributes]
    return tuple(
        bought.items[value][:2] if name == "item" else value
        for name, value in zip(attributes, values, strict=True)
    )


def test_row_keys_score_what_the_baselines_expect():
    game = Game(*NOISE[:3], {"use": "pseudonyms"}, customers=300)
    expected = ShoppingBaselines().measure(game.data, game.release.data, None, rng=reading_rng())
    for name, attributes in ATTACKS.items():
        share = game.share(looked_up(game, attributes))
        # The published order is one of many; a share of 900 cells has an error of up to 0.017.
        assert share == pytest.approx(expected[name].value, abs=0.06)


# --- evidence -------------------------------------------------------------------------------------


def test_evidence_is_a_sum_of_log_likelihood_ratios():
    game = Game(*NOISE[:2], {"use": "pseudonyms"}, customers=15)
    month = next(game.view().months())
    compared = Compared.of(month, ("item", "price"))
    trust = dict.fromkeys(compared.values, 0.7) | {"item": 0.4}
    sizes = Compared(month, {}).score({})
    got = compared.score(trust) - sizes
    wanted = np.zeros_like(got)
    for name, (known, shown, _) in compared.values.items():
        odds = trust[name] / (1 - trust[name])
        for row, value in enumerate(shown):
            for person in range(got.shape[1]):
                values = known[month.known.owner == person]
                p, q = (values == value).mean(), max((known == value).mean(), 1 / len(known))
                wanted[month.shown.owner[row], person] += np.log1p(odds * p / q)
    np.testing.assert_allclose(got, wanted, atol=1e-9)


def test_trust_is_learned_from_the_release():
    steps = ({"use": "date-noise", "scale": 8}, {"use": "price-noise"}, {"use": "pseudonyms"})
    months = [Compared.of(month, ROLES) for month in Game(*steps).view().months()]
    trust = learn_trust(months, {})
    assert trust["item"] > 0.8
    assert trust["quantity"] > 0.6
    assert trust["price"] < 0.5
    assert trust["item and price"] < trust["item and quantity"]
    assert trust["day"] < 0.3


@pytest.mark.slow
def test_evidence_resists_noise_swaps_and_deletion_better_than_profiles():
    game = Game(*NOISE, {"use": "pseudonyms"}, customers=300)
    profile, evidence = game.reid("profile-assignment"), game.reid("evidence-assignment")
    assert evidence > 0.9
    assert evidence > profile


@pytest.mark.slow
def test_pseudonyms_that_stay_are_followed_through_the_months():
    steps = (
        {"use": "date-noise", "scale": 30},
        {"use": "price-noise", "scale": 1.0},
        {"use": "quantity-noise", "scale": 20},
        {"use": "item-swap", "share": 1.0, "characters": 1},
        {"use": "suppression", "share": 0.45, "choose": "random"},
    )
    game = Game(*steps, {"use": "pseudonyms", "period": "whole"}, customers=200)
    alone = game.reid("evidence-assignment", linked=False)
    assert game.reid("evidence-assignment") > alone + 0.1
    monthly = Game(*steps, {"use": "pseudonyms"}, customers=200)
    same = [monthly.guess("evidence-assignment", linked=linked) for linked in (True, False)]
    assert same[0].table.equals(same[1].table)


# --- swaps ----------------------------------------------------------------------------------------


def test_a_swap_misleads_the_other_attacks_and_not_the_swap_aware_one():
    game = Game({"use": "customer-swap", "block": 4}, customers=200)
    assert game.reid("profile-assignment") < 0.02
    assert game.reid("evidence-assignment") < 0.02
    assert game.reid("swap-aware", block=4) > 0.25


def test_the_source_of_a_pseudonym_is_the_owner_of_its_purchases():
    game = Game({"use": "customer-swap"}, customers=100)
    view = game.view()
    source = sources(list(view.months()), view)
    wrong = 0
    for name, person in enumerate(source):
        items = set(view.shown.item[view.shown.person == name].tolist())
        wrong += not items <= set(view.known.item[view.known.person == person].tolist())
    assert wrong <= 2


@pytest.mark.slow
def test_an_attacker_with_the_sanitizer_finds_the_cohorts_and_no_more():
    game = Game({"use": "cohort-swap", "smallest": 4}, customers=300)
    bought, after = Purchases.of(game.data), Purchases.of(game.release.data)
    cell = bought.person * np.int64(1000) + months_of(bought.day)
    shown = defaultdict(list)
    for row in np.flatnonzero(after.live):
        shown[cell[row]].append((after.day[row], after.price[row]))
    cohorts = len({tuple(sorted(rows)) for rows in shown.values()})
    share = game.reid("shadow-evidence")
    # One hit per cohort is expected, with a standard deviation of at most its root.
    error = 4 * np.sqrt(cohorts) / len(shown)
    assert abs(share - cohorts / len(shown)) < error
    for use in ("profile-assignment", "evidence-assignment", "swap-aware"):
        assert game.reid(use) < cohorts / len(shown) + error


def test_a_shadow_must_keep_its_rows():
    game = Game({"use": "pseudonyms"}, customers=20)

    def short(data, *, rng):
        return Sanitized(Release(data.take(np.arange(10))))

    knowledge = Knowledge(game.question, game.data, code=short)
    part = build("attack", "shadow-evidence")
    with pytest.raises(KnowledgeError, match="only if the sanitizer keeps one row per row"):
        part.infer(knowledge, game.shown, rng=np.random.default_rng(0))


# --- the data of DARC -----------------------------------------------------------------------------


def test_profiles_find_everybody_in_the_data_of_darc_soon(real_data):
    if not (real_data / PREPARED).is_file():
        pytest.skip(f"no {PREPARED}")
    game = Game({"use": "pseudonyms"}, data=Retail(real=True).load())
    begin = time.process_time()
    share = game.reid("profile-assignment")
    assert time.process_time() - begin < 50  # 1 second on a quiet machine
    # An independent tf-idf with the Hungarian method had 0.9983.
    assert share == pytest.approx(0.9983, abs=0.001)


def test_sizes_are_compared_even_if_more_rows_are_published_than_known():
    def side(*sizes):
        return SimpleNamespace(sizes=lambda: np.array(sizes), owner=np.zeros(int(sum(sizes))))

    month = SimpleNamespace(known=side(1.0, 3.0), shown=side(20.0, 20.0))
    assert np.isfinite(_sizes(month)).all()
