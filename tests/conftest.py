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


@pytest.fixture(scope="session")
def cluster():
    """A real scheduler with two worker processes."""
    distributed = pytest.importorskip("distributed", reason="needs distributed (quintain[cluster])")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as local:
        yield local
