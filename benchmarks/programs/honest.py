"""Honest: programs as teams write them; each must make the same bytes in every run.

These functions run inside the sandbox, so they import nothing of quintain.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np


def blas(given: dict[str, Any]) -> np.ndarray:
    """Linear algebra: a product, a solution, singular values."""
    rng = np.random.default_rng(given["seed"])
    a, b = rng.normal(size=(150, 150)), rng.normal(size=150)
    return np.concatenate([np.linalg.solve(a, b), np.linalg.svd(a @ a.T)[1], np.exp(b)])


def threads(given: dict[str, Any]) -> np.ndarray:
    """Four threads, each with a stream of its own."""
    seeds = np.random.SeedSequence(given["seed"]).spawn(8)
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(
            lambda s: np.sin(np.random.default_rng(s).normal(size=20_000)).sum(), seeds
        )
        return np.array(list(parts))


def forest(given: dict[str, Any]) -> np.ndarray:
    """A forest and a logistic regression of scikit-learn."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(given["seed"])
    x = rng.normal(size=(300, 6))
    y = x[:, 0] + x[:, 1] * x[:, 2] > rng.normal(size=300)
    trees = RandomForestClassifier(30, random_state=given["seed"], n_jobs=2).fit(x, y)
    line = LogisticRegression().fit(x, y)
    return np.concatenate([trees.predict_proba(x)[:, 1], line.predict_proba(x)[:, 1]])


def tables(given: dict[str, Any]) -> np.ndarray:
    """Groups, a merge and quantiles of pandas."""
    import pandas as pd

    rng = np.random.default_rng(given["seed"])
    rows = pd.DataFrame({"k": rng.integers(0, 40, 5000), "v": rng.normal(size=5000)})
    groups = rows.groupby("k")["v"].agg(["mean", "std", "sum"]).reset_index()
    merged = rows.merge(groups, on="k").sort_values(["k", "v"])
    quantiles = merged[["mean", "std", "v"]].quantile([0.1, 0.5, 0.9]).to_numpy().ravel()
    return np.concatenate([merged["mean"].to_numpy(), quantiles])


def network(given: dict[str, Any]) -> np.ndarray:
    """A small network of torch."""
    import torch

    torch.manual_seed(given["seed"])
    x = torch.randn(200, 8)
    y = (x[:, :1] * x[:, 1:2]).sin()
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    optimiser = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(30):
        optimiser.zero_grad()
        loss: Any = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimiser.step()
    return np.asarray(model(x).detach().numpy())
