"""Recipe: the steps that a team submits as a small TOML file, read with every fault.

::

    [[step]]
    use = "rr"
    keep = 0.8

    [[step]]
    use = "k-anonymity"
    k = 5
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quintain.commitment import canonical_json, sha256
from quintain.data import Schema
from quintain.data.files.toml_lines import KeyPath, key_lines, line_of
from quintain.errors import Fault, Faults, PartError, Rejected
from quintain.recipes.bounds import AllowedPart
from quintain.registry import find
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.pipeline import Pipeline
from quintain.wording.languages import tell
from quintain.wording.suggestion import suggestion

MOST_BYTES = 64_000
"""A recipe has a few steps; a larger file is not one."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps of a team, each a sanitizer that the organisers allow.

    Parameters
    ----------
    lines : the line of each step in its file.
    """

    steps: tuple[Sanitizer, ...]
    lines: tuple[int, ...] = ()

    def pipeline(self) -> Pipeline:
        """The steps as one sanitizer."""
        return Pipeline(steps=self.steps)

    def specs(self) -> list[dict[str, Any]]:
        """The steps as plain tables, with every parameter."""
        return [step.spec() for step in self.steps]

    def digest(self) -> str:
        """A hash of the steps; comments, spaces and the order of keys do not change it."""
        return sha256(canonical_json(self.specs()))

    def check_columns(self, schema: Schema, faults: Faults) -> None:
        """Note every step that cannot work on data with these columns."""
        for number, step in enumerate(self.steps):
            reason = step.refusal(schema)
            if reason:
                faults.add(reason, line=self.lines[number], column=f"step.{number}")


def read_recipe(
    content: bytes, allowed: Sequence[AllowedPart], most_steps: int, faults: Faults
) -> Recipe | None:
    """The recipe in a file; notes every fault, and returns None if there is one.

    >>> faults = Faults("recipe.toml")
    >>> read_recipe(b'[[step]]\\nuse = "rr"\\nkeep = 2', [AllowedPart(use="rr")], 3, faults)
    >>> print(faults.findings[0])
    recipe.toml:3 step.0.keep: recipes may not set this parameter; they may set: none
    """
    before = faults.total
    table, text = _parse(content, faults)
    if table is None:
        return None
    lines = key_lines(text)
    steps = _steps(table, lines, most_steps, faults)
    by_id = {part.use: part for part in allowed}
    made = [
        _step(step, ("step", number), by_id, lines, faults) for number, step in enumerate(steps)
    ]
    if faults.total > before:
        return None
    places = tuple(line_of(lines, ("step", number))[1] for number in range(len(made)))
    return Recipe(tuple(step for step in made if step is not None), places)


def _parse(content: bytes, faults: Faults) -> tuple[dict[str, Any] | None, str]:
    if len(content) > MOST_BYTES:
        faults.add(
            tell("%(n)s bytes; the limit for a recipe is %(most)s", n=len(content), most=MOST_BYTES)
        )
        return None, ""
    try:
        text = content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        faults.add(
            tell(
                "is not UTF-8 text: byte %(start)s is 0x%(byte)s",
                start=problem.start,
                byte=f"{content[problem.start]:02x}",
            )
        )
        return None, ""
    try:
        return tomllib.loads(text), text
    except RecursionError:
        faults.add(tell("is not a recipe: its values are nested too deeply"))
    except ValueError as problem:  # also numbers with too many digits
        _note_toml(str(problem), text, faults)
    return None, text


def _note_toml(problem: str, text: str, faults: Faults) -> None:
    at = re.search(r" [(]at (?:line (\d+), column (\d+)|end of document)[)]$", problem)
    message = problem if at is None else problem[: at.start()]
    if at is None or at[1] is None:
        faults.add(
            tell("is not TOML: %(message)s", message=message), line=len(text.splitlines()) or 1
        )
    else:
        faults.add(
            tell("is not TOML: column %(place)s: %(message)s", place=at[2], message=message),
            line=int(at[1]),
        )


def _steps(
    table: Mapping[str, Any], lines: dict[KeyPath, int], most: int, faults: Faults
) -> list[Any]:
    """The tables of the steps, as far as there are any."""
    for key in table:
        if key != "step":
            hint = suggestion(key, ["step"])
            faults.add(
                tell("unknown key%(hint)s", hint=hint),
                line=line_of(lines, (key,))[1] or None,
                column=key,
            )
    steps = table.get("step")
    if not isinstance(steps, list) or not steps:
        faults.add(
            tell('a recipe has steps: write [[step]] and use = "..." below it'), column="step"
        )
        return []
    if len(steps) > most:
        line = line_of(lines, ("step", most))[1] or None
        faults.add(
            tell("%(n)s steps; the limit is %(most)s", n=len(steps), most=most),
            line=line,
            column="step",
        )
    return steps


def _step(
    step: Any,
    at: KeyPath,
    allowed: Mapping[str, AllowedPart],
    lines: dict[KeyPath, int],
    faults: Faults,
) -> Sanitizer | None:
    """The sanitizer of a step; notes every fault of its table."""

    def note(fault: Fault) -> None:
        path = (*at, *(fault.column.split(".") if fault.column else ()))
        line = line_of(lines, path)[1] or None
        shown = ".".join(str(key) for key in path)
        faults.extend([replace(fault, file=faults.file, line=line, column=shown)])

    if not isinstance(step, dict):
        note(Fault(tell('a step is a table: write [[step]] and use = "..." below it')))
        return None
    use, parameters = step.get("use"), {key: step[key] for key in step if key != "use"}
    part = _allowed_part(use, allowed, note)
    if part is None:
        return None
    outside = list(part.faults(parameters))
    for fault in outside:
        note(fault)
    refused = {fault.column for fault in outside}
    try:
        return part.build({key: parameters[key] for key in parameters if key not in refused})
    except Rejected as problem:
        for fault in problem.faults:
            if not (refused and fault.message == "is required" and fault.column in refused):
                note(fault)
    return None


def _allowed_part(use: Any, allowed: Mapping[str, AllowedPart], note: Any) -> AllowedPart | None:
    """The part that a step names, if recipes may use it."""
    names = [part.name for part in allowed.values()]
    if not isinstance(use, str):
        note(
            Fault(
                tell('name a sanitizer: use = "..."; allowed: %(names)s', names=", ".join(names)),
                column="use",
            )
        )
        return None
    try:
        id = find(Sanitizer.family, use).id
    except PartError:
        hint = suggestion(use, names)
        note(Fault(tell("unknown sanitizer%(hint)s", hint=hint), column="use", got=use))
        return None
    if id not in allowed:
        text = tell(
            "this sanitizer is not allowed here; allowed: %(names)s", names=", ".join(names)
        )
        note(Fault(text, column="use", got=use))
        return None
    return allowed[id]
