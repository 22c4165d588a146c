"""Part card: what a part does, its parameters with types and bounds, and lines to copy."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from quintain.contests.plain import toml_value
from quintain.figures.format import count
from quintain.guesses import Question
from quintain.registry import Part

_TYPES = {int: "integer", float: "number", str: "text", bool: "true or false"}
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
_LENGTHS = {"min_length": "at least", "max_length": "at most"}
_FACTS = {
    "shapes": "works on",
    "answers": "answers",
    "asks": "asks",
    "needs": "needs",
    "reads": "reads",
    "uses": "ranks by",
    "follows": "follows the boards",
    "licence": "licence",
    "obtain": "real data",
}
"""Attributes of parts that the card shows, with their labels."""
_TABLES = {
    "attack": '[[baseline]]\nid = "{name}"\nattack = {inline}',
    "contract": "[[phase]]\ncontract = {inline}",
    "goal": "goal = {inline}",
    "ranking": '[[board]]\nid = "{name}"\n{lines}',
    "rule": "[[rule]]\n{lines}",
    "sample": "sample = {inline}",
    "sanitizer": "[[sanitizer]]\n{lines}",
    "source": "dataset = {inline}",
    "tie": "[[board]]\nties = [{inline}]",
}
"""How an edition file names a part of each family; a measure's ``about`` gives its table."""
_ELSEWHERE = {
    "risk": ["Every audit of such data asks it; edition files do not name it."],
    "kind": ["In a column of a schema:", "", '    "kind": "{name}"'],
    "shape": ["In the file of a schema:", "", '    "shape": "{name}"'],
}
"""What to do with parts that edition files do not name."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a part: its type and bounds, its default and its meaning, in words."""

    name: str
    kind: str
    default: str
    meaning: str


def parameters(part: type[Part]) -> list[Parameter]:
    """Every parameter of a part, in the order of its fields."""
    _, meanings = split_docstring(part)
    return [
        Parameter(name, kind_of(field), default_of(field), meanings.get(name, ""))
        for name, field in part.fields().items()
    ]


def card(part: type[Part]) -> str:
    """Everything about one part, for a terminal."""
    story, _ = split_docstring(part)
    lines = [part.id, "", story, ""]
    example = part.examples()[0]
    lines += [f"{label}: {value}" for label, value in _facts(example)]
    lines += ["", "Parameters:"] if part.model_fields else ["", "It has no parameters."]
    for parameter in parameters(part):
        lines.append(f"  {parameter.name}: {parameter.kind}; {parameter.default}")
        lines += wrap(parameter.meaning, 96, initial_indent=" " * 6, subsequent_indent=" " * 6)
    if part.family in _ELSEWHERE:
        return "\n".join([*lines, "", *_ELSEWHERE[part.family]]).replace("{name}", part.name())
    lines += ["", "In an edition file:", ""]
    lines += [f"    {line}" for line in edition_lines(example).split("\n")]
    return "\n".join(lines)


def split_docstring(part: type[Part]) -> tuple[str, dict[str, str]]:
    """The description of a part, and the meaning of each parameter, inherited ones too."""
    meanings: dict[str, str] = {}
    for cls in reversed(part.__mro__):
        text = inspect.cleandoc(cls.__doc__ or "") if issubclass(cls, Part) else ""
        section = re.search(r"^Parameters\n-+\n((?:.+\n?)*)", text, re.MULTILINE)
        for names, meaning in re.findall(
            r"^(\w+(?:, \w+)*) : ((?:.+\n?(?:    .+\n?)*))",
            section[1] if section else "",
            re.MULTILINE,
        ):
            meanings |= dict.fromkeys(names.split(", "), " ".join(meaning.split()))
    story = inspect.cleandoc(part.__doc__ or "")
    story = re.sub(r"^Parameters\n-+\n((?:.+\n?)*)\n?", "", story, flags=re.MULTILINE)
    return story.strip(), meanings


def default_of(field: FieldInfo) -> str:
    """A parameter's default as an edition file would write it."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json", exclude_none=True)
    return "not set" if value is None else f"default {toml_value(value)}"


def kind_of(field: FieldInfo) -> str:
    """What may be given: the type, then the bounds."""
    return _with_bounds(_kind(field.annotation), field.metadata)


def _kind(annotation: Any) -> str:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _with_bounds(_kind(args[0]), args[1:])
    if origin is Literal:
        return " or ".join(toml_value(arg) for arg in args)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_kind(a) for a in args if a is not type(None)))
    if origin in (tuple, list, frozenset, set) or (origin and issubclass(origin, Collection)):
        if issubclass(origin, Mapping):
            return f"table of {_kind(args[-1])}"
        return f"list of {_kind(args[0])}"
    return _TYPES.get(annotation, "table")


def _with_bounds(kind: str, metadata: Collection[Any]) -> str:
    # Bounds are beside the type, or in a separate Field inside a union.
    limits = [limit for item in metadata for limit in getattr(item, "metadata", (item,))]
    bounds = [
        f"{word} {getattr(limit, key):g}"
        for limit in limits
        for key, word in _BOUNDS.items()
        if getattr(limit, key, None) is not None
    ]
    lengths = [
        f"{word} {count(getattr(limit, key), 'item')}"
        for limit in limits
        for key, word in _LENGTHS.items()
        if getattr(limit, key, None) is not None
    ]
    return ", ".join([kind, *bounds, *lengths])


def _facts(example: Part) -> Iterator[tuple[str, str]]:
    for name, label in _FACTS.items():
        value = getattr(example, name, None)
        if value:
            yield label, _words(value)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, type) and issubclass(value, Question):
        return value.about()
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ({better} is better)" for name, better in value.items())
    return ", ".join(sorted(_words(item) for item in value))


def edition_lines(part: Part) -> str:
    """The lines of an edition file that name a part, with its required parameters only."""
    required = [name for name, field in part.fields().items() if field.is_required()]
    table = {"use": part.name(), **{name: part.parameters()[name] for name in required}}
    about = getattr(part, "about", "privacy")
    shape = _TABLES.get(part.family, f"[[{about}]]\n{{lines}}")
    lines = "\n".join(f"{key} = {toml_value(value)}" for key, value in table.items())
    return shape.format(name=part.name(), inline=toml_value(table), lines=lines)
