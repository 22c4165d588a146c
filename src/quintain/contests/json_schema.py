"""The JSON Schema of edition files, with the parameters of every registered part."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from quintain.contests.edition import Edition
from quintain.contests.fields import Tie
from quintain.contests.loading.load import SET_BY_LOADING, TRACK_KEYS
from quintain.registry import Part, families, find, parts

_EXTRA: dict[str, dict[str, Any]] = {
    "measure": {
        "name": {"type": "string"},
        "at_least": {"type": "number"},
        "at_most": {"type": "number"},
        "gates": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Gate"}},
        "goal": {"type": "string"},
    },
    "goal": {
        "id": {"type": "string"},
        "knowledge": {"$ref": "#/$defs/KnowledgeGiven"},
        "targets": {"type": "number"},
    },
    "ranking": {
        "id": {"type": "string"},
        "title": {"type": "string"},
        "ties": TypeAdapter(tuple[Tie, ...]).json_schema(),
    },
}
_SPLIT = {"MeasuredPrivacy": "measure", "MeasuredUtility": "measure", "RankedBoard": "ranking"}


def edition_schema() -> dict[str, Any]:
    """The JSON Schema with which an editor or a validator checks edition files."""
    schema = Edition.model_json_schema(ref_template="#/$defs/{model}")
    defs = schema["$defs"]
    for family in families():
        for part in parts(family):
            defs |= part.model_json_schema(ref_template="#/$defs/{model}").get("$defs", {})
        defs[f"part-{family}"] = _family(family)
    for model, family in _SPLIT.items():
        defs[model] = {"$ref": f"#/$defs/part-{family}"}
    # Keys at the top of the file hold for every track, so a track need not repeat them.
    track = defs["Track"]
    track["required"] = []
    for key in sorted(TRACK_KEYS):
        schema["properties"][key] = track["properties"][key]
    del schema["properties"][SET_BY_LOADING]
    schema["properties"]["include"] = {"type": "string", "description": "another edition"}
    schema["properties"]["quick"] = {"type": "object", "description": "overrides for --quick"}
    schema["properties"]["profile"] = {
        "type": "object",
        "description": "for each name, overrides for --profile",
        "additionalProperties": {"type": "object"},
    }
    schema["properties"]["add"] = {
        "type": "object",
        "description": "further items for arrays of an included edition",
        "additionalProperties": {"type": "array"},
    }
    schema["required"] = []
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    linked: dict[str, Any] = _link_families(schema)
    return linked


def _family(family: str) -> dict[str, Any]:
    known = [_part(part) for part in parts(family)]
    return {"oneOf": [{"enum": _names(family)}, *known]}


def _names(family: str) -> list[str]:
    return [name for part in parts(family) for name in _ways_to_name(part)]


def _ways_to_name(part: type[Part]) -> list[str]:
    """The names that mean this part; a name without a version means the newest version."""
    name = part.id.removeprefix(f"{part.family}/")
    bare = name.rpartition("-v")[0]
    newest = find(part.family, bare) is part
    return [*([bare] if newest else []), name, part.id]


def _part(part: type[Part]) -> dict[str, Any]:
    schema = part.model_json_schema(ref_template="#/$defs/{model}")
    schema.pop("$defs", None)
    schema["properties"] = {
        **schema.get("properties", {}),
        **_EXTRA.get(part.family, {}),
        "use": {"enum": _ways_to_name(part)},
    }
    schema["required"] = [*schema.get("required", []), "use"]
    schema["description"] = part.summary()
    return schema


def _link_families(value: Any) -> Any:
    """The schema in which every place for a part refers to the family of the part."""
    if isinstance(value, dict):
        if "x-part" in value:
            return {"$ref": f"#/$defs/part-{value['x-part']}"}
        return {key: _link_families(item) for key, item in value.items()}
    return [_link_families(item) for item in value] if isinstance(value, list) else value
