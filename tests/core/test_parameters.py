"""Parameters of parts: what build makes of them, and every fault at once."""

from typing import Annotated

import pytest
from pydantic import Field

from quintain.errors import Rejected
from quintain.registry import build, register
from tests.core.registry_cases import Toy, make

pytestmark = pytest.mark.usefixtures("empty_registry")


@pytest.fixture
def kite():
    """A part with a parameter of every sort."""

    @register("kite-v1")
    class Kite(Toy):
        """Flies."""

        colour: str
        length: Annotated[int, Field(ge=1)] = 10
        wind: Annotated[float, Field(ge=0, le=12)] = 3.0

    return Kite


def test_build_makes_a_part_with_its_parameters(kite):
    part = build("toy", {"use": "kite", "colour": "red", "length": 4})
    assert isinstance(part, kite)
    assert part.parameters() == {"colour": "red", "length": 4, "wind": 3.0}


def test_a_spec_gives_the_same_part_again(kite):
    part = kite(colour="red", wind=5)
    assert part.spec() == {"use": "toy/kite-v1", "colour": "red", "length": 10, "wind": 5.0}
    assert build("toy", part.spec()) == part


def test_build_takes_a_bare_name():
    top = make("top-v1")
    assert isinstance(build("toy", "top"), top)


def test_every_parameter_fault_is_reported_at_once(kite):
    with pytest.raises(Rejected) as caught:
        build("toy", {"use": "kite", "length": 0, "wind": "a lot", "colr": "red"})
    sentences = {fault.column: str(fault) for fault in caught.value.faults}
    assert set(sentences) == {"colour", "length", "wind", "colr"}
    assert sentences["colour"] == "colour: is required"
    assert sentences["length"] == "length='0': must be at least 1"
    assert sentences["wind"] == "wind='a lot': expected a number"
    assert sentences["colr"] == "colr: unknown parameter; did you mean 'colour'?"


def test_build_without_a_name_says_how_to_name_a_part():
    for spec in ({}, {"use": 7}, {"used": "top"}):
        with pytest.raises(Rejected, match=r'name the toy: use = "\.\.\."'):
            build("toy", spec)


def test_build_reports_an_unknown_part_as_a_fault_of_use():
    make("top-v1")
    with pytest.raises(Rejected) as caught:
        build("toy", "topp")
    (fault,) = caught.value.faults
    assert fault.column == "use"
    assert "did you mean 'top'" in fault.message


def test_build_does_not_change_the_spec_it_is_given(kite):
    spec = {"use": "kite", "colour": "red"}
    build("toy", spec)
    assert spec == {"use": "kite", "colour": "red"}


def test_a_part_cannot_be_changed(kite):
    part = kite(colour="red")
    with pytest.raises(ValueError, match="frozen"):
        part.length = 5
