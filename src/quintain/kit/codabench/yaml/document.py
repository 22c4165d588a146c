"""Document: a ``competition.yaml`` with the lines of its keys, and its faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from typing import Any

from pydantic import BaseModel, ValidationError

from quintain.errors import Fault, MissingExtra

CONFIG = "competition.yaml"
Path = tuple[str | int, ...]
_MESSAGES = {
    "missing": "is missing",
    "none_required": "leave it out: nobody can know before the upload whether it exists",
    "too_short": "there must be at least one",
}


def require_yaml() -> Any:
    """PyYAML, or the line that installs it."""
    try:
        return import_module("yaml")
    except ImportError:
        raise MissingExtra("a CodaBench bundle", "pyyaml", "codabench") from None


@dataclass(slots=True)
class Document:
    """The content of the file, the lines of its keys, and the faults so far.

    A *path* leads to a value: ``("phases", 0, "end")`` is written ``phases[0].end``.
    """

    data: dict[Any, Any] | None = None
    root: Any = None
    faults: list[Fault] = field(default_factory=list)

    def add(self, message: str, path: Path = (), got: Any = None) -> None:
        """Note a fault, unless there is one about the same value."""
        column = spelled(path) or None
        if all(column != fault.column or column is None for fault in self.faults):
            shown = str(got) if isinstance(got, str | int | float | date) else None
            self.faults.append(Fault(message, CONFIG, self.line(path), column, shown))

    def check(self, model: type[BaseModel]) -> None:
        """Note every difference between the file and the model."""
        try:
            model.model_validate(self.data)
        except ValidationError as problem:
            for error in problem.errors(include_url=False):
                given = error["input"]
                message = _MESSAGES.get("missing" if given is None else error["type"], error["msg"])
                self.add(message.removeprefix("Value error, "), error["loc"], given)

    def at(self, path: Path) -> Any:
        """The value at a path; None if there is none."""
        value: Any = self.data
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def tables(self, place: str | Path) -> Iterator[tuple[int, dict[Any, Any]]]:
        """The tables of a list, each with its position."""
        items = self.at((place,) if isinstance(place, str) else place)
        for i, item in enumerate(items if isinstance(items, list) else []):
            if isinstance(item, dict):
                yield i, item

    def unique(self, place: str | Path, key: str) -> list[Any]:
        """The values of a key in a list of tables; a value that appears twice is a fault."""
        head: Path = (place,) if isinstance(place, str) else place
        seen: list[Any] = []
        for i, table in self.tables(place):
            value = table.get(key)
            if not isinstance(value, str | int | float):
                continue
            if value in seen:
                self.add("appears twice", (*head, i, key), value)
            seen.append(value)
        return seen

    def line(self, path: Path) -> int | None:
        """The line of a key, or of the nearest table around it."""
        node, line = self.root, 1 if self.root is not None else None
        for step in path:
            child = _child(node, step)
            if child is None:
                break
            line, node = child
        return line


def _child(node: Any, step: str | int) -> tuple[int, Any] | None:
    """The line of a key or list item, and what it holds."""
    items = getattr(node, "value", None)
    if not isinstance(items, list):
        return None
    if isinstance(step, int):
        if step >= len(items) or isinstance(items[step], tuple):
            return None
        return items[step].start_mark.line + 1, items[step]
    pairs = [pair for pair in items if isinstance(pair, tuple) and pair[0].value == step]
    return (pairs[-1][0].start_mark.line + 1, pairs[-1][1]) if pairs else None


def spelled(path: Path) -> str:
    """A path as people write it, with brackets around positions.

    >>> spelled(("phases", 0, "end"))
    'phases[0].end'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def read_document(files: Mapping[str, bytes]) -> Document:
    """The ``competition.yaml`` of a bundle; without data if it is missing or cannot be read."""
    yaml = require_yaml()
    document = Document()
    if CONFIG not in files:
        wrapped = [name for name in files if name.endswith(f"/{CONFIG}")]
        place = wrapped[0].rpartition("/")[0] if wrapped else ""
        hint = f"; it is in {place}/: zip the contents of that folder" if wrapped else ""
        document.add(f"must be in the root of the zip{hint}")
        return document
    try:
        loader = yaml.SafeLoader(files[CONFIG].decode())
        root = loader.get_single_node()
        data = None if root is None else loader.construct_document(root)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as problem:
        mark = getattr(problem, "problem_mark", None)
        what = getattr(problem, "problem", None) or str(problem)
        line = None if mark is None else mark.line + 1
        document.faults.append(Fault(f"cannot be read as YAML: {what}", CONFIG, line))
        return document
    if isinstance(data, dict):
        document.data, document.root = data, root
    else:
        document.add("must contain keys and values")
    return document
