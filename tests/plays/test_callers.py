"""A refusal that is planted in an attack, seen from everybody who plays attacks."""

from typing import ClassVar, Literal

import numpy as np
import pytest

import quintain as q
from quintain import registry
from quintain.attacks import Attack
from quintain.cli.main import main
from quintain.contests import load
from quintain.data import write
from quintain.errors import KnowledgeError, MissingExtra
from quintain.guesses import Question
from quintain.runs.play import play
from quintain.runs.standalone.attacking import Files, attack_by_rules, attack_own
from quintain.runs.taking_part import answer
from quintain.runs.tasks.baselines import make_guess
from quintain.testing import example_table, people
from tests.contest_folders import SMALL, small
from tests.registered import copy_registered_parts

REASON = "stubborn does not like\nthese data"
EXTRA = "stubborn needs torch: pip install 'quintain[torch]'"


class Stubborn(Attack):
    """Refuses every release, for good or until an extra is installed."""

    answers: ClassVar[tuple[type[Question], ...]] = (Question,)
    lacks: Literal["knowledge", "extra"] = "knowledge"

    def infer(self, knowledge, release, *, rng):
        """Refuse."""
        if self.lacks == "extra":
            raise MissingExtra("stubborn", "torch", "torch")
        raise KnowledgeError(REASON)


@pytest.fixture(scope="module", autouse=True)
def _stubborn():
    """Register the attack for these tests alone: tests of all parts must not see it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_parts", copy_registered_parts())
        registry.register("stubborn-v1")(Stubborn)
        yield


def baseline(lacks):
    return [
        {"id": "random", "attack": {"use": "random"}},
        {"id": "stubborn", "attack": {"use": "stubborn", "lacks": lacks}},
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("stubborn") / "run"
    return small(out, repeats=1, baseline=baseline("knowledge"))


def test_a_contest_stores_a_refusal_that_everybody_comes_to(folder):
    track = folder.edition().track[0]
    task = folder.tasks(track)[0]
    job = ("stubborn", track.id, task.entry, task.repeat, task.repeats)
    ((path, content),) = make_guess(folder.root, *job).items()
    assert "refused" in path
    assert content == b"stubborn does not like; these data\n"


def test_a_contest_does_not_store_that_an_extra_is_missing_here(tmp_path):
    """A verifier who has the extra would not come to the same result."""
    edition = load("tiny", overrides={**SMALL, "baseline": baseline("extra")})
    with pytest.raises(MissingExtra, match="stubborn needs torch"):
        play(edition, tmp_path / "run", seed=7)
    assert not list((tmp_path / "run").rglob("*refused*"))


@pytest.mark.parametrize(("lacks", "error"), [("knowledge", REASON), ("extra", EXTRA)])
def test_a_team_is_told_why_its_attack_refuses(folder, lacks, error):
    kind = KnowledgeError if lacks == "knowledge" else MissingExtra
    with pytest.raises(kind) as caught:
        answer(folder, folder.edition().track[0], {"use": "stubborn", "lacks": lacks})
    assert str(caught.value) == error


@pytest.mark.parametrize(("lacks", "error"), [("knowledge", REASON), ("extra", EXTRA)])
def test_a_notebook_is_told_why_the_attack_refuses(lacks, error):
    table = people(example_table(rows=20))
    kind = KnowledgeError if lacks == "knowledge" else MissingExtra
    with pytest.raises(kind) as caught:
        q.attack("stubborn", table, targets=table, lacks=lacks, seed=0)
    assert str(caught.value) == error


def test_files_of_ones_own_are_refused_with_the_reason(tmp_path, capsys):
    table = people(example_table(rows=20))
    for name in ("release.csv", "targets.csv"):
        write(table, tmp_path / name)
    files = Files(tmp_path / "release.csv", tmp_path / "targets.csv")
    with pytest.raises(KnowledgeError) as caught:
        attack_own(files, {"use": "stubborn"})
    assert str(caught.value) == REASON
    command = ["attack", files.release, "--with", "stubborn", "--targets", files.targets]
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in [*command, "--out", tmp_path / "guess.csv"]])
    assert done.value.code not in (0, None)
    assert "stubborn does not like" in capsys.readouterr().err
    assert not (tmp_path / "guess.csv").exists()


def test_files_under_the_rules_of_an_edition_are_refused_with_the_reason(tmp_path):
    track = load("amic", quick=True).track[0]
    table = track.dataset.data(np.random.default_rng(0)).take(range(100))
    for name in ("B.csv", "D.csv"):
        write(table, tmp_path / name, header=False)
    files = Files(tmp_path / "D.csv", population=tmp_path / "B.csv")
    with pytest.raises(KnowledgeError) as caught:
        attack_by_rules(track, files, {"use": "stubborn"})
    assert str(caught.value) == REASON
