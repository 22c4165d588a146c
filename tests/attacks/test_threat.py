"""The threat model: what attackers are given under it, and how it reads."""

import numpy as np
import pytest

from quintain.attacks import Knowledge, ThreatModel
from quintain.attacks.threat import FACTS, DataKnowledge, SanitizerKnowledge
from quintain.contests import load
from quintain.data import as_model
from quintain.errors import KnowledgeError
from quintain.guesses import AttributeQuestion, MembershipQuestion
from quintain.guesses.attribute import Attribute
from quintain.guesses.membership import Membership
from quintain.kernels.classifiers import answers_about
from quintain.releases import Claim, ClaimedModel, Method, Release
from quintain.samples.targets import Targets
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.sanitizer import Shadow
from quintain.testing import example, example_table

SAMPLE = Targets(targets=20, background=50).draw(example_table(), rng=np.random.default_rng(0))
RELEASE = Release(SAMPLE.private, Claim(epsilon=1), (Method(name="none"),), test=True)
QUESTION, _ = Membership().ask(SAMPLE, RELEASE)
EVERYTHING = {
    "base": SAMPLE.population,
    "parameters": {"use": "identity"},
    "code": Shadow(Identity()),
}


STATED = [fact for fact in FACTS if fact != "weights"]  # the rules for models say who has them


@pytest.mark.parametrize("fact", STATED)
def test_a_fact_is_handed_out_where_the_model_gives_it_and_nowhere_else(fact):
    for facts in ({fact}, set(STATED) - {fact}):
        threat = ThreatModel.giving(Membership(), facts)
        knowledge = threat.knowledge(QUESTION, **EVERYTHING)
        assert knowledge.facts(threat.show(RELEASE)) == facts == threat.facts
        assert knowledge.question is QUESTION


def test_the_weights_are_known_where_the_released_model_shows_them():
    model = as_model(example("model"))
    answers = answers_about(model, example_table(rows=3), trained_on=100)
    known = [Knowledge(QUESTION).facts(Release(data)) for data in (model, answers, SAMPLE.private)]
    assert known == [{"weights"}, frozenset(), frozenset()]
    threat = ThreatModel.giving(Membership(), ["weights"])
    assert threat.facts == {"weights"}
    assert "the release and the weights of the model" in str(threat)


def test_a_model_by_hand_is_the_one_that_gives_the_same_facts():
    threat = ThreatModel(Membership(), DataKnowledge(base=True), SanitizerKnowledge(claim=True))
    assert threat == ThreatModel.giving(Membership(), ["claim", "base"])


def test_what_is_not_about_knowledge_stays_on_a_shown_release():
    shown = ThreatModel(Membership()).show(RELEASE)
    assert (shown.data, shown.claim, shown.methods, shown.test) == (RELEASE.data, None, (), True)


def test_privacy_models_are_claims_as_well():
    release = Release(SAMPLE.private, models=(ClaimedModel(name="k-anonymity", value=5),))
    assert ThreatModel.giving(Membership(), ["methods"]).show(release).models == ()
    shown = ThreatModel.giving(Membership(), ["claim"]).show(release)
    assert shown.models == release.models
    assert Knowledge(QUESTION).facts(shown) == {"claim"}


def test_a_model_reads_as_three_sentences():
    threat = ThreatModel.giving(Attribute(column="colour"), ["base", "code", "claim"])
    assert str(threat).splitlines() == [
        "The attacker wants to know the value of 'colour' for each target, of whom other columns "
        "are known.",
        "The attacker is given the release and the population the private sample was drawn from.",
        "The attacker is given the sanitizer's code to run on other data and the privacy claimed.",
    ]
    assert [aspect for aspect, _ in threat.rows()] == ["goal", "data", "sanitizer"]


def test_a_model_that_gives_nothing_says_so():
    goal, data, sanitizer = str(ThreatModel(Membership())).splitlines()
    assert goal == "The attacker wants to know which targets were in the private data."
    assert data == "The attacker is given the release."
    assert sanitizer == "The attacker is given nothing about the sanitizer."


def test_the_model_of_a_track_is_what_its_edition_gives():
    (track,) = load("tiny").track
    assert track.aims[0].threat.goal == track.goal
    assert track.gives == {"base", "parameters", "claim", "methods"}


def test_a_question_of_another_kind_is_refused():
    assert Knowledge(QUESTION).question_as(MembershipQuestion) is QUESTION
    with pytest.raises(KnowledgeError, match="a question about attribute, not about membership"):
        Knowledge(QUESTION).question_as(AttributeQuestion)
