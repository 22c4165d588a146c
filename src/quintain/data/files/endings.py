"""Endings: which names of files promise a format that nobody writes here."""

from pathlib import Path

_OTHER_FORMATS = frozenset(
    {".parquet", ".feather", ".arrow", ".xlsx", ".xlsm", ".xls", ".ods", ".tsv", ".json", ".html"}
    | {".pdf", ".zip", ".gz", ".sqlite", ".db", ".sav", ".dta"}
)
"""Endings that promise something else than a CSV file."""


def wrong_ending(path: Path, *made: str) -> str | None:
    """Why a file cannot have this name; ``made`` are the formats that are written beside CSV.

    >>> wrong_ending(Path("r.xlsx"), ".parquet")
    '.xlsx files are not written here; name one that ends with .csv or .parquet'
    >>> wrong_ending(Path("r.Parquet"), ".parquet")
    """
    suffix = path.suffix.lower()
    if suffix not in _OTHER_FORMATS or suffix in made:
        return None
    known = " or ".join([".csv", *made])
    return f"{suffix} files are not written here; name one that ends with {known}"
