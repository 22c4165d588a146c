"""What the command line says about parts and editions."""

import inspect
import tomllib
from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import Field

from quintain.cli.main import main
from quintain.cli.part_card import card, edition_lines, parameters
from quintain.contests import builtin_names
from quintain.registry import Part, find, parts
from quintain.registry import families as all_families


class Toy(Part):
    """A toy to look at.

    It has more to say.

    Parameters
    ----------
    colour : what it looks like.
    size, weight : how large it is.

    References: the toy shop.
    """

    family: ClassVar[str] = "toy"

    colour: Literal["red", "blue"] = "red"
    size: Annotated[float, Field(gt=0, le=2)]
    weight: Annotated[int, Field(ge=1)] | None = None
    tags: Annotated[tuple[str, ...], Field(min_length=1)] = ("a",)
    lights: bool = False


@pytest.fixture
def printed(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as done:
            main(list(arguments))
        assert done.value.code == 0
        return capsys.readouterr().out

    return run


def test_parameters_are_told_with_type_bounds_default_and_meaning():
    described = {one.name: (one.kind, one.default, one.meaning) for one in parameters(Toy)}
    assert described == {
        "colour": ('"red" or "blue"', 'default "red"', "what it looks like."),
        "size": ("number, above 0, at most 2", "required", "how large it is."),
        "weight": ("integer, at least 1", "not set", "how large it is."),
        "tags": ("list of text, at least 1 item", 'default ["a"]', ""),
        "lights": ("true or false", "default false", ""),
    }


def test_a_card_has_the_whole_docstring_but_the_parameters_once():
    part = find("attack", "nearest")
    text = card(part)
    story = inspect.cleandoc(part.__doc__).partition("\n\nParameters\n")[0]
    assert len(story.splitlines()) > 2
    assert text.startswith(f"attack/nearest-v1\n\n{story}\n")
    assert "Parameters\n---" not in text
    assert (
        "answers: attribute, hidden-columns, linkability, membership, membership-set, published-row"
        in text
    )
    assert 'distance: "euclidean" or "manhattan" or "gower"; default "gower"' in text


@pytest.mark.parametrize("family", all_families())
def test_what_a_card_offers_for_editions_is_toml_that_names_the_part(family):
    for part in parts(family):
        example = part.examples()[0]
        table = tomllib.loads(edition_lines(example))
        inner = next(iter(table.values()))
        part_table = inner[0] if isinstance(inner, list) else inner
        for key in ("attack", "contract", "ties"):
            part_table = part_table.get(key, part_table)
        part_table = part_table[0] if isinstance(part_table, list) else part_table
        assert part_table["use"] == part.name()
        required = {name for name, field in part.fields().items() if field.is_required()}
        assert required <= set(part_table)
        type(example)(**{**example.parameters(), **{name: part_table[name] for name in required}})


def test_parts_explains_one_part_by_name_version_or_id(printed):
    cards = [printed("parts", name) for name in ("nearest", "nearest-v1", "attack/nearest-v1")]
    assert len(set(cards)) == 1
    assert "In an edition file:" in cards[0]


def test_a_card_says_where_parts_stand_that_editions_do_not_name(printed):
    shape, risk = printed("parts", "shape/series"), printed("parts", "naming-risk")
    assert shape.endswith('In the file of a schema:\n\n    "shape": "series"\n')
    assert risk.endswith("Every audit of such data asks it; edition files do not name it.\n")


def test_parts_lists_a_family_or_everything(printed):
    attacks = printed("parts", "attack").splitlines()
    assert [line.split()[0] for line in attacks] == [part.id for part in parts("attack")]
    assert set(attacks) < set(printed("parts").splitlines())


def test_parts_lists_what_is_about_a_goal(printed):
    listed = printed("parts", "--goal", "published-row").splitlines()
    assert [line.split()[0] for line in listed] == [
        "attack/nearest-v1",
        "attack/random-v1",
        "attack/row-linkage-v1",
        "measure/absence-found-v1",
        "measure/rows-found-v1",
    ]


def test_editions_lists_all_or_prints_one(printed):
    assert [line.split()[0] for line in printed("editions").splitlines()] == builtin_names()
    assert tomllib.loads(printed("editions", "tiny"))["id"] == "tiny"
