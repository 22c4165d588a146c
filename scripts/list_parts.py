"""Write the table of built-in parts, src/quintain/parts.json.

python scripts/list_parts.py [FILE]
"""

import importlib
import json
import pkgutil
import sys
from pathlib import Path

from quintain import builtin, registry

TARGET = Path(__file__).resolve().parent.parent / "src" / "quintain" / builtin.TABLE


def defined_parts() -> dict[str, str]:
    """Where each built-in part is defined, as ``module:Class`` by id."""
    for stage in builtin.STAGES:
        package = importlib.import_module(f"quintain.{stage}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    return {part.id: f"{part.__module__}:{part.__qualname__}" for part in registry.imported()}


def main() -> None:
    """Write the table, one line per part."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(json.dumps(dict(sorted(defined_parts().items())), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
