"""Where the code of the repository lies: the engine, and the site above it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "src/quintain"
SITE = ROOT / "packages/quintain-host/src/quintain_host"
SOURCES = sorted([*ENGINE.rglob("*.py"), *SITE.rglob("*.py")])


def code_at(name: str) -> Path:
    """A file or folder by its short name: ``data/table.py``, ``quintain_host/access.py``."""
    return (SITE.parent if name.startswith(SITE.name) else ENGINE) / name


def short_name(path: Path) -> str:
    """The name of a file as pages and tests write it; see :func:`code_at`."""
    return path.relative_to(ENGINE if path.is_relative_to(ENGINE) else SITE.parent).as_posix()


def module_name(path: Path) -> str:
    """The name with which a file of code is imported."""
    above = (ENGINE if path.is_relative_to(ENGINE) else SITE).parent
    parts = path.relative_to(above).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
