"""The distances to the closest records of SDMetrics; runs in an environment of its own.

    .venv-peers/bin/python benchmarks/audit/sdmetrics_dcr.py FOLDER

FOLDER has queries.csv and base.csv. Writes distances.txt there and prints the CPU seconds.
"""

import sys
import time
from pathlib import Path


def measure(folder):
    """Time the search, without reading the files."""
    import pandas as pd
    from sdmetrics.single_table.privacy.dcr_utils import calculate_dcr

    queries, base = (pd.read_csv(Path(folder) / f"{name}.csv") for name in ("queries", "base"))
    kinds = {
        name: {"sdtype": "numerical" if base[name].dtype.kind in "if" else "categorical"}
        for name in base
    }
    start = time.process_time()
    away = calculate_dcr(queries, base, {"columns": kinds})
    seconds = time.process_time() - start
    (Path(folder) / "distances.txt").write_text("\n".join(repr(float(d)) for d in away))
    return seconds


if __name__ == "__main__":
    print(measure(sys.argv[1]))
