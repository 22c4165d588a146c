"""One play: what an attack must be given, what counts as a refusal, and who may call an attack."""

import ast
from typing import ClassVar

import numpy as np
import pytest

from quintain import errors
from quintain.attacks import Attack, ExactMatch, Random, ThreatModel
from quintain.guesses import Attribute, Membership, Question
from quintain.plays import LASTING, REFUSALS, Refusal, Situation, play, play_or_raise
from quintain.releases import Claim, Method, Release
from quintain.samples.targets import Targets
from quintain.sanitizers.identity import Identity
from quintain.sanitizers.sanitizer import Shadow
from quintain.testing import example, example_table
from tests.sources import SOURCES, short_name

SAMPLE = Targets(targets=20, background=50).draw(example_table(), rng=np.random.default_rng(0))
RELEASE = Release(SAMPLE.private, Claim(epsilon=1), (Method(name="none"),))
EVERYTHING = {
    "base": SAMPLE.population,
    "parameters": {"use": "identity"},
    "code": Shadow(Identity()),
}


class Greedy(Attack):
    """An attack that needs every fact."""

    id: ClassVar[str] = "attack/greedy-v1"
    answers: ClassVar[tuple[type[Question], ...]] = (Question,)
    needs: ClassVar[frozenset] = frozenset({"base", "parameters", "code", "methods", "claim"})

    def infer(self, knowledge, release, *, rng):
        """Answer blindly."""
        return knowledge.question.blind(rng=rng)


class Failing(Attack):
    """An attack that raises what the test says."""

    id: ClassVar[str] = "attack/failing-v1"
    answers: ClassVar[tuple[type[Question], ...]] = (Question,)
    error: ClassVar[Exception]

    def infer(self, knowledge, release, *, rng):
        """Raise the error."""
        raise self.error


def situation(goal=None, facts=(), release=RELEASE):
    goal = Membership() if goal is None else goal
    question, truth = goal.ask(SAMPLE, RELEASE)
    threat = ThreatModel.giving(goal, facts)
    knowledge = threat.knowledge(question, **EVERYTHING)
    return Situation(goal, threat.show(release), knowledge, truth)


def refusal_of(attack, played):
    outcome = play(attack, played, rng=np.random.default_rng(0))
    assert isinstance(outcome, Refusal)
    with pytest.raises(type(outcome.error)) as caught:
        play_or_raise(attack, played, rng=np.random.default_rng(0))
    assert str(caught.value) == outcome.reason
    return outcome


def test_an_attack_that_is_given_all_it_needs_is_played():
    played = situation(facts=Greedy.needs)
    guess = play(Greedy(), played, rng=np.random.default_rng(0))
    again = play_or_raise(Greedy(), played, rng=np.random.default_rng(0))
    assert len(guess.table) == 20
    assert guess.table.equals(again.table)


def test_an_attack_is_not_played_on_a_question_it_cannot_answer():
    refusal = refusal_of(ExactMatch(), situation(Attribute(column="colour")))
    assert (refusal.part, refusal.lasting) == ("exact-match", True)
    assert refusal.reason == (
        "attack/exact-match-v1 answers questions about membership or membership-set, "
        "not about attribute"
    )


def test_an_attack_is_refused_with_everything_that_it_is_not_given():
    refusal = refusal_of(Greedy(), situation(facts=["base"]))
    assert refusal.reason == (
        "attack/greedy-v1 needs parameters (the sanitizer's name and parameters), code (the "
        "sanitizer's code to run on other data), methods (the methods applied), claim (the privacy "
        "claimed); the threat model does not give it"
    )


def test_an_attack_is_not_played_on_data_that_it_cannot_read():
    refusal = refusal_of(ExactMatch(), situation(release=Release(example("series"))))
    assert refusal.reason == "attack/exact-match-v1 is for table, not for series"


@pytest.mark.parametrize(
    ("error", "lasting"),
    [
        (errors.PartError("no"), True),
        (errors.KnowledgeError("no"), True),
        (errors.NoiseError("no"), True),
        (errors.DataError([errors.Fault("no")]), True),
        (errors.SubmissionError([errors.Fault("no")]), True),
        (errors.MissingExtra("it", "torch", "torch"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_part_says_of_itself_and_its_data_is_a_refusal(monkeypatch, error, lasting):
    monkeypatch.setattr(Failing, "error", error, raising=False)
    refusal = refusal_of(Failing(), situation())
    assert refusal.error is error
    assert (refusal.part, refusal.reason, refusal.lasting) == ("failing", str(error), lasting)


@pytest.mark.parametrize("error", [TypeError("a mistake"), errors.FolderError("damaged")])
def test_a_mistake_is_not_a_refusal(monkeypatch, error):
    monkeypatch.setattr(Failing, "error", error, raising=False)
    with pytest.raises(type(error), match=str(error)):
        play(Failing(), situation(), rng=np.random.default_rng(0))


def test_the_attack_gets_no_truth():
    class Curious(Random):
        def infer(self, knowledge, release, *, rng):
            assert not hasattr(knowledge, "truth") and not hasattr(release, "truth")
            return super().infer(knowledge, release, rng=rng)

    assert play(Curious(), situation(), rng=np.random.default_rng(0)).table is not None


def calls_of_infer(path):
    """The lines on which something calls ``infer``.

    An attack may call its parent, or the attack that it has as a parameter.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "infer":
            owner = node.func.value
            parent = isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "super"
            if not parent and ast.unparse(owner) != "inner":
                yield f"{short_name(path)}:{node.lineno}"


def test_nothing_else_calls_an_attack(tmp_path):
    paths = [path for path in SOURCES if ".infer(" in path.read_text()]
    calls = [call for path in paths for call in calls_of_infer(path)]
    assert [call.partition(":")[0] for call in calls] == ["plays.py"]


def test_the_list_of_refusals_stands_in_one_place():
    """No other module catches two or more of these errors together."""
    names = {error.__name__ for error in REFUSALS}
    assert set(LASTING) < set(REFUSALS)
    lists = [
        short_name(path)
        for path in SOURCES
        if sum(name in path.read_text() for name in names) >= 3  # parsing all is slow
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Tuple)
        if len(names & {getattr(element, "id", "") for element in node.elts}) >= 3
    ]
    assert lists == ["plays.py"]
