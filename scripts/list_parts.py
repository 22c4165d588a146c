"""Write what is known of the built-in parts before they are imported.

That is their table, src/quintain/parts.json, and the stubs (``__init__.pyi``) of ``quintain`` and
of the stages. The stubs tell type checkers and editors the names that are imported on first use.

python scripts/list_parts.py [FOLDER]
"""

import ast
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import quintain
from quintain import builtin, registry

TARGET = Path(__file__).resolve().parent.parent / "src" / "quintain"
WIDTH = 100  # of a line, as the formatter has it


def defined_parts() -> dict[str, str]:
    """Where each built-in part is defined, as ``module:Class`` by id."""
    for stage in builtin.STAGES:
        package = importlib.import_module(f"quintain.{stage}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    return {part.id: f"{part.__module__}:{part.__qualname__}" for part in registry.imported()}


def quintain_stub() -> str:
    """The stub of ``quintain``: its public names, and the stages as modules."""
    names = {name: f"quintain.{package}" for name, package in quintain.PUBLIC.items()}
    rooms = dict.fromkeys(quintain.ROOMS, "quintain")
    return _stub(names | rooms, ["__version__: str"])


def stage_stub(stage: str, parts: Mapping[str, str]) -> str:
    """The stub of a stage: what its ``__init__.py`` imports, and the classes of its parts."""
    package = f"quintain.{stage}"
    names = _imported_names(TARGET / stage / "__init__.py")
    places = (place.split(":") for place in parts.values())
    names |= {name: module for module, name in places if module.startswith(f"{package}.")}
    return _stub(names)


def _imported_names(path: Path) -> dict[str, str]:
    """The module of each name that a package offers in ``__all__``."""
    tree = ast.parse(path.read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    modules = {alias.name: str(node.module) for node in imports for alias in node.names}
    package = importlib.import_module(f"quintain.{path.parent.name}")
    places = getattr(package, "_PLACES", {})
    modules |= {name: f"{package.__name__}.{module}" for name, module in places.items()}
    return {name: modules[name] for name in package.__all__}


def _stub(modules: Mapping[str, str], more: Iterable[str] = ()) -> str:
    """A stub with one import per name; ``X as X`` says that the name is offered."""
    lines = ["# Written by scripts/list_parts.py: do not edit.", ""]
    lines += [
        _import_line(module, name) for name, module in sorted(modules.items(), key=_by_module)
    ]
    return "\n".join([*lines, *(f"\n{line}" for line in more)]) + "\n"


def _by_module(item: tuple[str, str]) -> tuple[str, int, str]:
    """The order of ruff: by module, then constants, classes and other names."""
    name, module = item
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return module, kind, name


def _import_line(module: str, name: str) -> str:
    line = f"from {module} import {name} as {name}"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n    {name} as {name},\n)"


def main() -> None:
    """Write the table, one line per part, and the stubs."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    parts = dict(sorted(defined_parts().items()))
    files = {builtin.TABLE: json.dumps(parts, indent=1) + "\n", "__init__.pyi": quintain_stub()}
    files |= {f"{stage}/__init__.pyi": stage_stub(stage, parts) for stage in builtin.OPEN_STAGES}
    for name, text in files.items():
        path = target / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
