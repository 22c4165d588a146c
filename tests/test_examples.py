"""The examples in the docstrings of the package print what they say."""

import doctest
import importlib

import pytest

from tests.sources import SOURCES, module_name

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def documented_modules():
    """The modules with examples, found by reading.

    They are imported when they run: importing the whole package to look for examples would cost
    every process that runs tests half a minute.
    """
    for path in SOURCES:
        if ">>>" in path.read_text():
            yield module_name(path)


@pytest.mark.parametrize("name", list(documented_modules()))
def test_the_examples_of_a_module(name):
    runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
    faults: list[str] = []
    for examples in doctest.DocTestFinder().find(importlib.import_module(name), name):
        runner.run(examples, out=faults.append)
    assert runner.tries, f"{name} has '>>>' but no example"
    assert not faults, "".join(faults)
