"""Parts: everything that an edition can name, and how to find it by its id.

A part is a small frozen object with declared parameters: a source of data, a sample design, a
sanitizer, a goal, an attack, a measure, a ranking rule. Its id is ``family/name-vN``. In an
edition ``use = "rr"`` means the newest version of that name, ``use = "rr-v1"`` that one.

The meaning of a published id never changes. If a change can move a number, the part gets a new
version; the old version can still be run, and it names the version that replaces it.

Parts register themselves where they are defined::

    @register("nearest-v1")
    class Nearest(Attack): ...

The entry-point group ``quintain`` lists where parts are: a plugin names a module there, and
importing the module registers its parts. The built-in parts use the same entry points. A plugin
that cannot be loaded is left out, and the reason stands beside every name that is unknown then.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import platform
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import Distribution, entry_points
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from quintain.errors import Fault, FaultyValue, PartError, Rejected
from quintain.wording.suggestion import suggestion

GROUP = "quintain"
PLUGIN_FILES = "QUINTAIN_PLUGINS"
"""Environment variable with the plugin files to load, separated as in PATH; workers inherit it."""

_NAME = re.compile(r"(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*?)(?:-v(?P<version>[0-9]+))?")


class Part(BaseModel):
    """Base of everything that an edition can name: an object with checked, fixed parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    family: ClassVar[str]
    id: ClassVar[str]
    superseded_by: ClassVar[str | None] = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances on which the generic checks of ``quintain.testing`` run."""
        needed = [name for name, field in cls.fields().items() if field.is_required()]
        if needed:
            names = ", ".join(needed)
            raise PartError(f"{cls.id} needs {names}: give it a class method examples with values")
        return [cls()]

    @classmethod
    def name(cls) -> str:
        """The id without family and version."""
        return cls.id.partition("/")[2].rpartition("-v")[0]

    @classmethod
    def summary(cls) -> str:
        """What the part does in one sentence: the first line of its docstring."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def fields(cls) -> dict[str, FieldInfo]:
        """The parameters, by their names in an edition file."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, as plain data."""
        return self.model_dump(mode="json", by_alias=True)

    def spec(self) -> dict[str, Any]:
        """What an edition file has to say to get this part, with the full id."""
        return {"use": self.id, **self.parameters()}


P = TypeVar("P", bound=Part)

_parts: dict[str, dict[str, dict[int, type[Part]]]] = {}
_later: dict[str, str] = {}
"""Modules that are not imported yet, by the ids of the parts they register."""
_loaded = False
_files: dict[Path, str] = {}
"""The SHA-256 of each plugin file that is loaded; empty if it is being loaded, or is left out."""
_left_out: dict[str, str] = {}
"""Why plugins are left out, by their names."""
_loading = threading.RLock()


def register(name: str) -> Callable[[type[P]], type[P]]:
    """Register a part class under ``name-vN`` in the family of its base class."""

    def decorate(cls: type[P]) -> type[P]:
        match = _NAME.fullmatch(name)
        if match is None or match["version"] is None:
            raise PartError(f"{name!r} is not a part name: write it like 'my-attack-v1'")
        versions = _parts.setdefault(cls.family, {}).setdefault(match["name"], {})
        version = int(match["version"])
        known = versions.get(version)
        place = (cls.__module__, cls.__qualname__)
        if known is not None and (known.__module__, known.__qualname__) != place:
            raise PartError(
                f"{cls.family}/{name} is already registered by {known.__module__}; "
                "choose another name or version"
            )
        cls.id = f"{cls.family}/{name}"
        versions[version] = cls
        return cls

    return decorate


def register_later(id: str, module: str) -> None:
    """Announce that importing a module will register the part ``family/name-vN``.

    Importing all parts takes longer than most commands run, so a part is imported on first use.
    """
    _later[id] = module


def _import_announced(family: str = "", name: str = "") -> None:
    """Import the announced parts: all of them, those of a family, or those of one name in it."""
    start = f"{family}/{name}-v" if name else f"{family}/" if family else ""
    for id, module in list(_later.items()):
        if id.startswith(start):
            importlib.import_module(module)
            _later.pop(id, None)  # afterwards, so that another thread waits for the import


def load() -> None:
    """Load every installed plugin and every plugin file, once; built-in parts are only announced.

    One that cannot be loaded is left out with a warning; :func:`left_out` says why.
    """
    global _loaded
    with _loading:
        if not _loaded:
            _loaded = True
            _load_installed()
        for path in plugin_files():
            if path not in _files:
                try:
                    _load_file(path)
                except PartError as error:
                    _leave_out(path.name, str(error).removeprefix(f"{path}: "))


def _load_installed() -> None:
    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except Exception as error:
            if entry.value.startswith("quintain."):
                raise
            asks = "" if entry.dist is None else _version_asked(entry.dist)
            source = entry.dist.name if entry.dist else entry.value
            _leave_out(source, f"{type(error).__name__}: {error}{asks}")


def _version_asked(plugin: Distribution) -> str:
    """Which versions of this package a plugin asks for, if it names some; else an empty text."""
    from quintain import __version__

    needed = [text for text in plugin.requires or () if re.match(rf"{GROUP}\s*[^\w\s.-]", text)]
    return f" (it asks for {', '.join(needed)}; this is {GROUP} {__version__})" if needed else ""


def _leave_out(source: str, reason: str) -> None:
    _left_out[source] = reason
    warnings.warn(f"plugin {source} cannot be loaded and is left out: {reason}", stacklevel=3)


def left_out() -> list[str]:
    """The plugins that cannot be loaded, each with the reason."""
    load()
    return [f"plugin {source} cannot be loaded: {reason}" for source, reason in _left_out.items()]


def load_file(path: Path) -> None:
    """Load a plugin that is a single file, here and in every process that starts from here."""
    path = path.resolve()
    load()
    files = plugin_files()
    if path not in files:
        before = len(imported())
        _load_file(path)
        if len(imported()) == before:
            raise PartError(
                f'{path}: registers no part; put @register("NAME-v1") before the class of each part'
            )
        os.environ[PLUGIN_FILES] = os.pathsep.join(map(str, [*files, path]))


def loaded_files() -> dict[str, str]:
    """The SHA-256 of each plugin file that is loaded, by its path."""
    load()
    return {str(path): digest for path in plugin_files() if (digest := _files.get(path))}


def load_same_files(files: Mapping[str, str]) -> None:
    """Load the plugin files that another process has loaded, in the order of :func:`loaded_files`.

    A worker may live on another machine, and longer than one command. So the content counts: a file
    that changed since this process has loaded it is loaded again, and raises if it is another one
    than where the work comes from.
    """
    os.environ[PLUGIN_FILES] = os.pathsep.join(files)
    with _loading:
        for path, digest in ((Path(name), digest) for name, digest in files.items()):
            if _files.get(path) == digest:
                continue
            if not path.is_file():
                raise PartError(
                    f"the worker on {platform.node()} does not see the plugin {path}; share it "
                    "with all workers under the same path"
                )
            _load_file(path)
            if _files[path] != digest:
                raise PartError(
                    f"the worker on {platform.node()} reads another plugin {path} than this "
                    "command has loaded; share the same file, then run the command again"
                )


def plugin_files() -> list[Path]:
    """The plugins that are single files, in the order in which they were loaded."""
    return [Path(p) for p in os.environ.get(PLUGIN_FILES, "").split(os.pathsep) if p]


def _load_file(path: Path) -> None:
    name = f"quintain_plugin_{path.stem}"
    _files[path] = ""  # a plugin that looks for parts must not start to load itself again
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise PartError(f"{path}: is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        spec.loader.exec_module(module)
    except Exception as error:
        raise PartError(f"{path}: {type(error).__name__}: {error}") from error
    _files[path] = digest


def families() -> list[str]:
    """The kinds of parts, such as attack and sanitizer, in alphabetical order."""
    load()
    return sorted({*_parts, *(id.partition("/")[0] for id in _later)})


def parts(family: str) -> Iterator[type[Part]]:
    """Every part of a family, in the order of names and versions."""
    load()
    _import_announced(family)
    for _, versions in sorted(_parts.get(family, {}).items()):
        yield from (versions[number] for number in sorted(versions))


def names(family: str) -> list[str]:
    """The names of a family's parts, without importing them."""
    load()
    later = (id.partition("/") for id in _later)
    announced = (name.rpartition("-v")[0] for of, _, name in later if of == family)
    return sorted({*_parts.get(family, {}), *announced})


def imported() -> list[type[Part]]:
    """Every part whose module is imported; parts that are only announced are left out."""
    names = (versions for family in _parts.values() for versions in family.values())
    return [part for versions in names for part in versions.values()]


def find_imported(family: str, name: str) -> type[Part] | None:
    """The newest part of this name among those that are imported, or None.

    This loads no plugin. So it is quick, and it is safe in a process that reads files of strangers.
    """
    versions = _parts.get(family, {}).get(name, {})
    return versions[max(versions)] if versions else None


def find(family: str, use: str) -> type[Part]:
    """The part class that an edition means by ``use``.

    >>> find("attack", "randomm")
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: unknown attack 'randomm'; did you mean 'random'?
    >>> find("attack", "mst")
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: unknown attack 'mst'; sanitizer/mst is another part
    """
    load()
    name = use.removeprefix(f"{family}/")
    match = _NAME.fullmatch(name)
    if match is not None:
        _import_announced(family, match["name"])
    versions = _parts.get(family, {}).get(match["name"]) if match else None
    if match is None or versions is None:
        others = [f"; {one}/{name} is another part" for one in families() if name in names(one)]
        hint = others[0] if others else suggestion(name, names(family))
        missing = "".join(f"; {reason}" for reason in left_out())
        raise PartError(f"unknown {family} {use!r}{missing}{hint}")
    version = max(versions) if match["version"] is None else int(match["version"])
    if version not in versions:
        available = ", ".join(f"{match['name']}-v{v}" for v in sorted(versions))
        missing = "".join(f"; {reason}" for reason in left_out())
        raise PartError(f"unknown {family} {use!r}{missing}; available: {available}")
    part = versions[version]
    if part.superseded_by:
        warnings.warn(f"{part.id} is superseded by {part.superseded_by}", stacklevel=2)
    return part


def build(family: str, spec: str | Mapping[str, Any], *, beside: Sequence[str] = ()) -> Part:
    """Make a part from ``"name"`` or ``{"use": "name", parameter: value, ...}``.

    Raises ``Rejected`` with one fault for every wrong parameter. ``beside`` lists keys that may
    stand in the same table although they are not parameters; messages suggest them as well.
    """
    table = {"use": spec} if isinstance(spec, str) else dict(spec)
    use = table.pop("use", None)
    if not isinstance(use, str):
        raise Rejected([Fault(f'name the {family}: use = "..."', column="use")])
    try:
        cls = find(family, use)
    except PartError as error:
        raise Rejected([Fault(str(error), column="use")]) from None
    try:
        return cls(**table)
    except ValidationError as error:
        raise Rejected(parameter_faults(cls, error, beside)) from None


def parameter_faults(
    cls: type[BaseModel], error: ValidationError, beside: Sequence[str] = ()
) -> list[Fault]:
    """One sentence for each parameter that a part refuses."""
    names = [field.alias or name for name, field in cls.model_fields.items()]
    faults: list[Fault] = []
    items = error.errors()
    for item in (one for one in items if not _follows(one, items)):
        carried = item.get("ctx", {}).get("error")
        if isinstance(carried, FaultyValue):
            column = ".".join(str(step) for step in item["loc"])
            faults += [replace(fault, column=column) for fault in carried.faults]
        else:
            faults.append(fault_of(item, [*names, *beside]))
    return faults


def _follows(item: ErrorDetails, items: Sequence[ErrorDetails]) -> bool:
    """Whether a list is too short only because some of its items were refused."""
    at = item["loc"]
    inner = (other["loc"] for other in items if len(other["loc"]) > len(at))
    return item["type"] == "too_short" and any(path[: len(at)] == at for path in inner)


def fault_of(item: ErrorDetails, known: Sequence[str], kind: str = "parameter") -> Fault:
    """One pydantic error as a sentence; ``known`` lists the names that are allowed."""
    column = ".".join(str(step) for step in item["loc"])
    if item["type"] == "extra_forbidden":
        name = str(item["loc"][-1])
        return Fault(f"unknown {kind}{suggestion(name, known)}", column=column)
    if item["type"] == "missing":
        return Fault("is required", column=column)
    got = str(item["input"]) if column and not isinstance(item["input"], dict) else None
    return Fault(_sentence(item), column=column or None, got=got)


_EXPECTED = {
    "int": "expected a whole number",
    "float": "expected a number",
    "string": "expected a text",
    "bool": "expected true or false",
    "list": "expected a list",
    "tuple": "expected a list",
    "dict": "expected a table",
    "model": "expected a table",
    "datetime": "expected a time in UTC, such as 2027-01-31T12:00:00Z",
    "date": "expected a day, such as 2027-01-31",
}
"""What a value should be, by the type that pydantic names first in its errors."""
_KINDS = ("type", "parsing", "from", "attributes", "object")


def _sentence(item: ErrorDetails) -> str:
    """What pydantic says, in our words where the value has another type than expected."""
    kind, _, rest = item["type"].partition("_")
    if kind in _EXPECTED and rest.split("_")[0] in _KINDS:
        return _EXPECTED[kind]
    message = item["msg"][:1].lower() + item["msg"][1:]
    message = message.removeprefix("value error, ").replace("input should be", "must be", 1)
    for long, short in (
        ("greater than or equal to", "at least"),
        ("less than or equal to", "at most"),
    ):
        message = message.replace(long, short, 1)
    return message
