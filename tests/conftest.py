"""Shared fixtures."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


# Real data sets are looked for beside the repository unless the environment says otherwise.
os.environ.setdefault("QUINTAIN_DATA", str(ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real data sets; tests that need one of them skip without it."""
    folder = Path(os.environ["QUINTAIN_DATA"])
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (set QUINTAIN_DATA)")
    return folder
