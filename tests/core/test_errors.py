"""Errors are the same on both sides of a process border, and each has an HTTP status."""

import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

from quintain.errors import (
    DataError,
    Fault,
    JobFailed,
    MissingDistribution,
    MissingExtra,
    QuintainError,
    Refused,
    Rejected,
)
from quintain.programs.failures import ProgramError, Reason
from quintain_host.access import SecondFactorNeeded
from quintain_host.organising.guide.typed import FieldFaults


def every_error(root=QuintainError):
    return [root, *(error for child in root.__subclasses__() for error in every_error(child))]


def made(cls):
    """An error as the library would raise it."""
    if issubclass(cls, Rejected):
        return cls([Fault("expected a number", "a.csv", 3, "age", "x"), Fault("too short")], 7)
    if issubclass(cls, MissingExtra):
        return cls("training", "torch", "torch")
    if issubclass(cls, MissingDistribution):
        return cls("quintain serve", "quintain-host")
    if issubclass(cls, ProgramError):
        return cls(Reason.FAILED, "it failed with ValueError", b"Traceback ...")
    if issubclass(cls, JobFailed):
        return cls("attack/main/mine/task failed", "Traceback ...")
    if issubclass(cls, SecondFactorNeeded):
        return cls()
    if issubclass(cls, FieldFaults):
        return cls({"age": "a sentence"}, ("another one",))
    return cls("a sentence")


def fail(module, name):
    """Raise the error of this name, in whatever process this runs."""
    raise made(getattr(importlib.import_module(module), name))


@pytest.fixture(scope="module")
def pool():
    """Two fresh processes, which share nothing with this one."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as workers:
        yield workers


@pytest.mark.slow
@pytest.mark.parametrize("cls", every_error(), ids=lambda cls: cls.__name__)
def test_an_error_comes_out_of_a_worker_as_it_was_raised(pool, cls):
    expected = made(cls)
    with pytest.raises(cls) as caught:
        pool.submit(fail, cls.__module__, cls.__name__).result()
    assert type(caught.value) is cls
    assert str(caught.value) == str(expected)
    assert caught.value.args == expected.args
    assert vars(caught.value) == vars(expected)


def test_a_rejection_out_of_a_worker_still_lists_its_faults(pool):
    with pytest.raises(DataError) as caught:
        pool.submit(fail, DataError.__module__, "DataError").result()
    assert caught.value.faults[0].line == 3
    assert caught.value.total == 7
    assert str(caught.value).splitlines() == [
        "a.csv:3 age='x': expected a number",
        "too short",
        "... and 5 more",
    ]


def test_an_error_class_of_a_plugin_needs_no_care_to_cross_the_border():
    import pickle

    copy = pickle.loads(pickle.dumps(OfAPlugin("red", 3)))
    assert (str(copy), copy.team, copy.number) == ("team red: 3", "red", 3)


class OfAPlugin(Refused):
    def __init__(self, team, number):
        super().__init__(f"team {team}: {number}")
        self.team, self.number = team, number


@pytest.mark.parametrize("cls", every_error(), ids=lambda cls: cls.__name__)
def test_every_error_has_the_http_status_of_a_failed_request(cls):
    assert 400 <= cls.status <= 599


def test_what_teams_do_wrong_is_never_the_servers_fault():
    assert all(cls.status < 500 for cls in (*every_error(Refused), *every_error(Rejected)))


def test_the_tree_in_the_documentation_names_every_error():
    import quintain.errors

    tree = quintain.errors.__doc__
    modules = ("quintain.errors", "quintain.programs.failures")
    classes = [cls for cls in every_error() if cls.__module__ in modules]
    assert len(classes) == 24
    for cls in classes:
        assert f"{cls.__name__} " in tree
