"""Checks of contracts: their example programs are accepted and give valid results."""

from __future__ import annotations

import numpy as np

from quintain.data import Data, as_model, as_table
from quintain.data.files import read_bytes, to_bytes
from quintain.data.models import distinct_records
from quintain.errors import Faults
from quintain.guesses import Goal
from quintain.kernels.classifiers import is_answered
from quintain.programs import (
    AnswerContract,
    Contract,
    Draws,
    GuessContract,
    ReleaseContract,
    Role,
)
from quintain.programs.choice import sandbox_for_own
from quintain.programs.contract import Queries
from quintain.registry import parts
from quintain.samples import Sample
from quintain.testing.examples import example, exercise, experiment

ROLES: tuple[Role, ...] = ("release", "guess")


def check_contract(part: Contract) -> None:
    """The example programs pass the contract's check, run, are reproducible, give valid files."""
    for role in part.roles:
        assert not _faults(part, role, role), f"{part.id} refuses its own example {role} program"
        faults = Faults("program.zip")
        part.check(role, {}, faults)
        assert faults, f"{part.id} accepts an empty {role} program"
    if part.roles == ROLES:
        other = _faults(part, "guess", "release")
        assert other, f"{part.id} accepts a program of the other role"
    sample, _ = experiment(part.shape)
    if isinstance(part, ReleaseContract):
        _check_release(part, sample)
    if isinstance(part, AnswerContract):
        _check_answers(part, sample)
    if isinstance(part, GuessContract):
        _check_guess(part)


def _faults(part: Contract, role: Role, program: Role) -> Faults:
    faults = Faults("program.zip")
    part.check(role, part.example(program), faults)
    return faults


def _check_release(part: ReleaseContract, sample: Sample) -> None:
    program, before = part.example("release"), sample.private.digest()
    draws, sandbox = Draws.for_test(1), sandbox_for_own()
    once, again = (
        part.release(program, sample.private, draws=draws, sandbox=sandbox).data for _ in range(2)
    )
    assert sample.private.digest() == before, f"{part.id} changed the private data"
    assert once.schema == sample.private.schema, f"{part.id} changed the schema"
    _check_made(part, once, again)


def _check_answers(part: AnswerContract, sample: Sample) -> None:
    form = as_model(example("model")).form
    queries = Queries(form, distinct_records(form, as_table(sample.private)))
    program, draws, sandbox = part.example("release"), Draws.for_test(1), sandbox_for_own()
    once, again = (part.answer(program, queries, draws=draws, sandbox=sandbox) for _ in range(2))
    every = is_answered(once, queries.records).all()
    assert every, f"{part.id} left queries without an answer"
    _check_made(part, once, again)


def _check_made(part: Contract, once: Data, again: Data) -> None:
    assert once.digest() == again.digest(), f"{part.id}: the same seed gives different releases"
    faults = Faults("release.csv")
    read_bytes(to_bytes(once, ".csv"), "release.csv", once.schema, faults=faults)
    assert not faults, f"{part.id}: a release outside its domain: {faults.findings[:3]}"


def _check_guess(part: GuessContract) -> None:
    answered = 0
    for goal in (goal for cls in parts("goal") for goal in cls.examples()):
        assert isinstance(goal, Goal)
        if part.shape not in goal.shapes or not issubclass(goal.asks, part.answers):
            continue
        answered += 1
        question, _, _, release = exercise(goal, part.shape)
        program = part.example("guess")
        once, again = (
            part.guess(program, question, release.data, seed=1, sandbox=sandbox_for_own())
            for _ in range(2)
        )
        same = np.array_equal(once.table.row_keys(), again.table.row_keys())
        assert same, f"{part.id}: the same seed gives different guesses"
        faults = Faults("guess.csv")
        goal.check(once, question, faults)
        assert not faults, f"{part.id} gives an invalid guess: {faults.findings[:3]}"
    assert answered, f"{part.id} can answer no registered goal"
