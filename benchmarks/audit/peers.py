"""What other tools say of the releases of one seed; runs in an environment of its own.

    sh scripts/peers.sh
    .venv-peers/bin/python benchmarks/audit/peers.py FOLDER [--rows N] NAME ...
    .venv-peers/bin/python benchmarks/audit/peers.py FOLDER --deep EPOCHS

These tools need older libraries than quintain, so this file imports nothing of it. FOLDER has
original.csv and control.csv; each NAME is a release beside them, without ".csv". The result is
one line of JSON; a tool that fails on a release says so there. With --deep it trains TVAE (of the
package ctgan) and writes deep.csv.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

SECRET = "income"
ATTACKS = {"singling-out": 500, "linkability": 2000, "inference": 2000}
ROWS = 1000
"""SDMetrics compares every pair of records, so it gets a part of them, or what --rows says."""


def anonymeter(original, release, control):
    """The three risks with their 95 % intervals."""
    from anonymeter.evaluators import (
        InferenceEvaluator,
        LinkabilityEvaluator,
        SinglingOutEvaluator,
    )

    names = list(original.columns)
    most = {name: min(attacks, len(original), len(control)) for name, attacks in ATTACKS.items()}
    given = {"ori": original, "syn": release, "control": control}
    known = [name for name in names if name != SECRET]
    singling = SinglingOutEvaluator(**given, n_attacks=most["singling-out"], n_cols=4, seed=0)
    halves = (names[::2], names[1::2])
    linking = LinkabilityEvaluator(
        **given, n_attacks=most["linkability"], aux_cols=halves, n_neighbors=10
    )
    guessing = InferenceEvaluator(
        **given, n_attacks=most["inference"], aux_cols=known, secret=SECRET, regression=False
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


def sdmetrics(original, release, control, rows):
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
        num_rows_subsample=rows,
    )
    disclosure = DisclosureProtectionEstimate.compute_breakdown(
        real_data=original,
        synthetic_data=release,
        known_column_names=[name for name in original if name != SECRET],
        sensitive_column_names=[SECRET],
        num_rows_subsample=rows,
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


def attempt(tool, *tables):
    """What a tool says, or its error, and its CPU seconds."""
    start = time.process_time()
    try:
        said = tool(*tables)
    except Exception as error:  # a tool that cannot read a release is a result of its own
        said = {"error": f"{type(error).__name__}: {error}"[:200]}
    return said, time.process_time() - start


def judge():
    """Print what the tools say, and how long they take."""
    import pandas as pd

    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--deep", type=int)
    asked = parser.parse_intermixed_args()
    folder = asked.folder
    original, control = (pd.read_csv(folder / f"{n}.csv") for n in ("original", "control"))
    if asked.deep:
        deep(original, asked.deep).to_csv(folder / "deep.csv", index=False)
        return
    out = {}
    for name in asked.names:
        tables = (original, pd.read_csv(folder / f"{name}.csv"), control)
        risks, first = attempt(anonymeter, *tables)
        scores, second = attempt(sdmetrics, *tables, asked.rows)
        seconds = {"anonymeter": first, "sdmetrics": second}
        out[name] = {"anonymeter": risks, "sdmetrics": scores, "seconds": seconds}
    print(json.dumps(out))


if __name__ == "__main__":
    judge()
