"""The areas of code that decide what somebody is told: each of their functions is broken."""

from pathlib import Path

from tests.sources import code_at

AREAS = {
    "access": ["quintain_host/access.py"],
    "accounting": ["accounting"],
    "commitment, exact, noise": ["commitment.py", "randomness/exact.py", "randomness/noise.py"],
    "counting": ["runs/submissions/counting.py"],
    "formulas": ["rankings/formulas", "rankings/formula.py"],
    "guesses": ["guesses"],
    "journal": ["journal"],
    "pooled": ["measures/pooled"],
    "privacy": ["measures/privacy"],
    "rankings": ["rankings"],
    "sign_on": ["quintain_host/sign_on"],
    "verdict": ["audits/verdict.py"],
}


def files_of(area: str) -> list[Path]:
    """Its files of code; a file belongs to the first area that names it."""
    earlier = set[Path]()
    for known, names in AREAS.items():
        files = {file for name in names for file in _files(code_at(name))} - earlier
        if known == area:
            return sorted(files)
        earlier |= files
    raise KeyError(area)


def all_files() -> list[Path]:
    """The files of every area."""
    return [file for area in AREAS for file in files_of(area)]


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]
