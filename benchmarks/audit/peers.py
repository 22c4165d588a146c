"""What other tools say of the releases of one seed; runs in an environment of its own.

    sh scripts/peers.sh
    .venv-peers/bin/python benchmarks/audit/peers.py FOLDER NAME ...
    .venv-peers/bin/python benchmarks/audit/peers.py FOLDER --deep EPOCHS

These tools need older libraries than quintain, so this file imports nothing of it. FOLDER has
original.csv and control.csv; each NAME is a release beside them, without ".csv". The result is
one line of JSON. With --deep it trains TVAE (of the package ctgan) and writes deep.csv.
"""

import json
import sys
import time
import warnings
from pathlib import Path

SECRET = "income"
ATTACKS = {"singling-out": 500, "linkability": 2000, "inference": 2000}
ROWS = 1000
"""SDMetrics compares every pair of records, so it gets a part of them."""


def anonymeter(original, release, control):
    """The three risks with their 95 % intervals."""
    from anonymeter.evaluators import (
        InferenceEvaluator,
        LinkabilityEvaluator,
        SinglingOutEvaluator,
    )

    names = list(original.columns)
    given = {"ori": original, "syn": release, "control": control}
    known = [name for name in names if name != SECRET]
    singling = SinglingOutEvaluator(**given, n_attacks=ATTACKS["singling-out"], n_cols=4, seed=0)
    halves = (names[::2], names[1::2])
    linking = LinkabilityEvaluator(
        **given, n_attacks=ATTACKS["linkability"], aux_cols=halves, n_neighbors=10
    )
    guessing = InferenceEvaluator(
        **given, n_attacks=ATTACKS["inference"], aux_cols=known, secret=SECRET, regression=False
    )
    out = {}
    for name, evaluator, options in (
        ("singling-out", singling, {"mode": "multivariate"}),
        ("linkability", linking, {"n_jobs": 1}),
        ("inference", guessing, {"n_jobs": 1}),
    ):
        risk = evaluator.evaluate(**options).risk(confidence_level=0.95)
        out[name] = [risk.value, *risk.ci]
    return out


def sdmetrics(original, release, control):
    """Two scores between 0 and 1; the documentation calls 1 the best."""
    from sdmetrics.single_table import DCROverfittingProtection, DisclosureProtectionEstimate

    kinds = {
        name: {"sdtype": "categorical" if original[name].dtype == object else "numerical"}
        for name in original
    }
    copying = DCROverfittingProtection.compute_breakdown(
        original,
        release,
        control,
        {"tables": {"table": {"columns": kinds}}},
        "table",
        num_rows_subsample=ROWS,
    )
    disclosure = DisclosureProtectionEstimate.compute_breakdown(
        real_data=original,
        synthetic_data=release,
        known_column_names=[name for name in original if name != SECRET],
        sensitive_column_names=[SECRET],
        num_rows_subsample=ROWS,
        num_iterations=1,
        verbose=False,
    )
    return {"dcr-overfitting": copying["score"], "disclosure": disclosure["score"]}


def deep(original, epochs):
    """A plain variational autoencoder for tables."""
    import torch
    from ctgan import TVAE

    torch.manual_seed(0)
    model = TVAE(epochs=epochs, enable_gpu=False)
    model.fit(original, [name for name in original if original[name].dtype == object])
    return model.sample(len(original))


def judge():
    """Print what the tools say, and how long they take."""
    import pandas as pd

    warnings.filterwarnings("ignore")
    folder, *names = sys.argv[1:]
    original, control = (pd.read_csv(Path(folder) / f"{n}.csv") for n in ("original", "control"))
    if names[0] == "--deep":
        deep(original, int(names[1])).to_csv(Path(folder) / "deep.csv", index=False)
        return
    out = {}
    for name in names:
        release = pd.read_csv(Path(folder) / f"{name}.csv")
        start = time.process_time()
        risks = anonymeter(original, release, control)
        middle = time.process_time()
        scores = sdmetrics(original, release, control)
        seconds = {"anonymeter": middle - start, "sdmetrics": time.process_time() - middle}
        out[name] = {"anonymeter": risks, "sdmetrics": scores, "seconds": seconds}
    print(json.dumps(out))


if __name__ == "__main__":
    judge()
