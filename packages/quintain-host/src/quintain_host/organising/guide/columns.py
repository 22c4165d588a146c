"""Columns: the schema of a table in a form, and back.

A domain that was learned from the cells tells something about the people in them. Its column is
marked until somebody replaces the domain, or says that everybody knows it anyway.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from quintain.data.column import find_kind
from quintain.wording.languages import in_context, say
from quintain_host.organising.guide.guided import SCHEMA, Changes, GuidedDraft
from quintain_host.organising.guide.learning import LearnedFile
from quintain_host.organising.guide.typed import TypedFields

LEFT_OUT = "left-out"
KINDS = {
    "integer": in_context("a kind of column", "whole number"),
    "real": in_context("a kind of column", "number"),
    "category": in_context("a kind of column", "category"),
    "time": in_context("a kind of column", "time"),
    "coordinates": in_context("a kind of column", "coordinates"),
    LEFT_OUT: in_context("a kind of column", "leave out"),
}
MOST_VALUES = 200_000
"""How many characters the values of a category may have together."""

Learn = Callable[[Collection[str]], LearnedFile]
"""Learns the schema of the table once more, with some columns as words."""


def column_rows(guided: GuidedDraft) -> list[dict[str, Any]]:
    """The columns for a page: those that take part and those that do not, each with its reason."""
    lines = [*guided.columns, *({**line, "kind": LEFT_OUT} for line in guided.left_out)]
    return [{**line, "kind": LEFT_OUT} if _is_id(line) else line for line in lines]


def show_columns(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the schema file fills them in."""
    fields = {}
    for place, line in enumerate(column_rows(guided)):
        at = f"column.{place}"
        fields[f"{at}.kind"] = str(line["kind"])
        for key in ("low", "high", "earliest", "latest"):
            fields[f"{at}.{key}"] = str(line.get(key, ""))
        fields[f"{at}.values"] = "\n".join(map(str, line.get("values", ())))
    return fields


def read_columns(typed: TypedFields, guided: GuidedDraft, learn: Learn) -> Changes:
    """The schema file that somebody chose; raises with the faults of every column."""
    lines, kinds = column_rows(guided), {}
    for place, line in enumerate(lines):
        kinds[line["name"]] = typed.choice(f"column.{place}.kind", KINDS)
    new_words = [
        str(line["name"])
        for place, line in enumerate(lines)
        if _is_listed(kinds[line["name"]])
        and not _is_listed(line["kind"])
        and not typed.sent.get(f"column.{place}.values", "").strip()
    ]
    words = _learned_lines(learn(new_words)) if new_words else {}
    columns: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    ids = {line["name"]: line for line in guided.columns if _is_id(line)}
    for place, line in enumerate(lines):
        kind = kinds[line["name"]]
        if kind == LEFT_OUT and line["name"] in ids:
            columns.append(ids[line["name"]])
        elif kind == LEFT_OUT:
            left_out.append({"name": line["name"], "note": line.get("note", "")})
        elif kind is not None:
            columns.append(_read_line(typed, f"column.{place}", line, kind, words))
    if all(map(_is_id, columns)) and not typed.faults:
        typed.faults["column.0.kind"] = say("a contest needs at least one column")
    typed.raise_if_any()
    return Changes(files={SCHEMA: schema_bytes(columns, left_out)})


def _read_line(
    typed: TypedFields, at: str, line: Mapping[str, Any], kind: str, words: Mapping[str, Any]
) -> dict[str, Any]:
    """One column of the schema file."""
    if line["name"] in words:
        return dict(words[line["name"]])
    made = dict(line) if line["kind"] == kind else _other_kind(line, kind)
    its = find_kind(kind)
    if its.listed:
        values = typed.text(f"{at}.values", most=MOST_VALUES, needed=True).split("\n")
        made["values"] = [value.strip() for value in values if value.strip()]
    elif its.temporal:
        made.setdefault("time_format", "%Y-%m-%d")
        for key in ("earliest", "latest"):
            made[key] = typed.text(f"{at}.{key}", needed=True)
    elif its.numeric:
        for key in ("low", "high"):
            bound = typed.number(f"{at}.{key}")
            made[key] = int(bound) if bound is not None and bound == int(bound) else bound
        bad = f"{at}.low" in typed.faults or f"{at}.high" in typed.faults
        if not bad and made["low"] > made["high"]:
            typed.faults[f"{at}.high"] = say("the highest value is below the lowest")
    if _domain(made) != _domain(line) or typed.is_ticked(f"{at}.public"):
        made.pop("learned", None)
    return made


def _is_id(line: Mapping[str, Any]) -> bool:
    """Whether the cells of a column name people or rows."""
    kind = line.get("kind", LEFT_OUT)
    return kind != LEFT_OUT and find_kind(kind).identifying


def domain_fields(kind: str) -> str:
    """What a form asks about a column of this kind: values, times, a range, or nothing."""
    if kind not in KINDS or kind == LEFT_OUT:
        return ""
    its = find_kind(kind)
    return "values" if its.listed else "times" if its.temporal else "range" if its.numeric else ""


def _is_listed(kind: str | None) -> bool:
    """Whether the values of a column of this kind are listed."""
    return kind is not None and kind != LEFT_OUT and find_kind(kind).listed


def _other_kind(line: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A column that gets another kind than it had."""
    facts = {"name": line["name"], "kind": kind, "note": line.get("note", "")}
    missing = {key: line[key] for key in ("nullable", "missing") if key in line}
    return {**facts, **missing}


def _domain(line: Mapping[str, Any]) -> list[Any]:
    keys = ("kind", "low", "high", "values", "earliest", "latest")
    return [line.get(key) for key in keys]


def _learned_lines(learned: LearnedFile) -> dict[str, Any]:
    return {line["name"]: line for line in json.loads(learned.schema)["columns"]}


def schema_bytes(columns: list[dict[str, Any]], left_out: list[dict[str, Any]]) -> bytes:
    """A schema file with a line for each column."""
    rows = ",\n    ".join(json.dumps(line, ensure_ascii=False) for line in columns)
    others = ",\n    ".join(json.dumps(line, ensure_ascii=False) for line in left_out)
    head = '{\n  "format": "quintain.schema/1",\n  "shape": "table",\n  "columns": [\n    '
    return f'{head}{rows}\n  ],\n  "left_out": [{others}]\n}}\n'.encode()


def kept_columns(guided: GuidedDraft, learned: LearnedFile) -> bytes:
    """The schema of another table, with the domains that somebody has already replaced."""
    schema = json.loads(learned.schema)
    own = {
        (line["name"], line.get("kind")): line
        for line in guided.columns
        if not line.get("learned") and not _is_id(line)
    }
    columns = [own.get((line["name"], line["kind"]), line) for line in schema["columns"]]
    return schema_bytes(columns, schema["left_out"])
