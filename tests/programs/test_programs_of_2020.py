"""Programs of 2020: a hider in the manner of the starting kit runs with the documented extra."""

import ast
import tomllib
from pathlib import Path

import numpy as np
import pytest

from quintain.programs import CallLimits, Draws
from quintain.programs.hide_and_seek import HideAndSeek
from quintain.programs.sandbox.process import Process
from quintain.testing import example

ROOT = Path(__file__).resolve().parents[2]
HIDER = """
from utils.preparation import scaled


def hider(input_dict):
    data, mask = input_dict["data"], input_dict["padding_mask"]
    np_random_seed = input_dict["seed"]
    return scaled(data, np_random_seed), mask
"""
PREPARATION = """
import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler
from tqdm import tqdm


def scaled(data, seed):
    out = np.array(data)
    for i in tqdm(range(len(out))):
        frame = pd.DataFrame(out[i]).bfill().ffill().fillna(0)
        out[i] = MinMaxScaler().fit_transform(frame.to_numpy())
    return out + np.random.default_rng(seed).normal(0, 0.01, out.shape)
"""
PROGRAM = {
    "hider.py": HIDER.encode(),
    "utils/__init__.py": b"",
    "utils/preparation.py": PREPARATION.encode(),
}
PACKAGES = {"sklearn": "scikit-learn"}


def test_the_extra_has_every_package_that_the_starting_kit_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["programs"] + extras["ml"]
    installed = {name.split(">")[0].split("=")[0] for name in wanted}
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(PREPARATION))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    tops = {name.split(".")[0] for name in imported}
    assert {PACKAGES.get(name, name) for name in tops} <= installed
    site = tomllib.loads((ROOT / "packages/quintain-host/pyproject.toml").read_text())["project"]
    assert any("programs" in name for name in site["dependencies"])


@pytest.mark.slow
def test_a_hider_in_the_manner_of_the_starting_kit_runs():
    pytest.importorskip("tqdm", reason="pip install 'quintain[programs]'")
    stays = example("series")
    contract = HideAndSeek(steps=12, limits=CallLimits(seconds=600, memory_gib=4))
    released = contract.release(PROGRAM, stays, draws=Draws.for_test(1), sandbox=Process()).data
    assert len(released) == len(stays)
    assert not np.isnan(released.values).any()
