"""Run another implementation of AIM on codes; this file runs in the environment of that program.

    PYTHON aim_peer.py PROGRAM FOLDER EPSILON ROWS WAYS MEGABYTES SEED [MECHANISMS]

FOLDER holds ``codes.npz`` and ``sizes.json``; the release is written to ``peer.npz`` there. Prints
CPU seconds and peak memory as JSON. Seconds include imports and compiling, but not loading.
"""

import itertools
import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

DELTA = 1e-9
MOST_CELLS = 10_000
"""Both programs leave marginals with more cells out of the workload by default."""


def run_mbi(codes, sizes, epsilon, rows, ways, megabytes, seed, mechanisms):
    """Run AIM of the authors, which is beside their package, not in it."""
    sys.path.insert(0, mechanisms)
    import mbi
    from aim import AIM

    domain = mbi.Domain(tuple(sizes), tuple(sizes.values()))
    data = mbi.Dataset({name: codes[name].astype(int) for name in sizes}, domain)
    workload = [
        (names, 1.0)
        for names in itertools.combinations(domain, ways)
        if domain.size(names) <= MOST_CELLS
    ]
    prng = np.random.RandomState(seed)
    aim = AIM(epsilon, DELTA, prng=prng, max_model_size=megabytes)
    made = aim.run(data, workload, num_synth_rows=rows)[1]
    return {name: np.asarray(made.to_dict()[name]) for name in sizes}


def run_dpmm(codes, sizes, epsilon, rows, ways, megabytes, seed, _):
    """Run AIM of dpmm."""
    import pandas as pd
    from dpmm.models.aim import AIMGM

    prng = np.random.RandomState(seed)
    frame = pd.DataFrame({name: codes[name].astype(int) for name in sizes})
    options = {"degree": ways, "max_model_size": megabytes, "n_jobs": 1, "max_cells": MOST_CELLS}
    aim = AIMGM(epsilon=epsilon, delta=DELTA, random_state=prng, domain=sizes, **options)
    aim.set_random_state(prng)
    aim.set_domain(sizes)
    aim.fit(frame)
    made = aim.generate(n_records=rows)
    return {name: np.asarray(made[name]) for name in sizes}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    program, folder, epsilon, *counts = sys.argv[1:8]
    with np.load(f"{folder}/codes.npz") as file:
        codes = dict(file)
    sizes = json.loads(Path(folder, "sizes.json").read_text())
    start = time.process_time()
    run = {"mbi": run_mbi, "dpmm": run_dpmm}[program]
    rows, ways, megabytes, seed = map(int, counts)
    mechanisms = "".join(sys.argv[8:])
    made = run(codes, sizes, float(epsilon), rows, ways, megabytes, seed, mechanisms)
    seconds = time.process_time() - start
    np.savez(f"{folder}/peer.npz", **made)
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
