"""Plugins: a package that is installed, and a single file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import quintain
from quintain import __version__, registry
from quintain.errors import PartError

ROOT = Path(__file__).resolve().parent.parent

BATTERY = """
from quintain import registry
from quintain.testing import battery
for part, check in battery(registry.find("attack", "popular")):
    check(part)
    print(check.__name__)
"""

NOTEBOOK = """
import pandas as pd
import quintain as q
people = pd.DataFrame({"job": ["baker"] * 6 + ["smith"], "age": [30] * 6 + [61]})
guess = q.attack("popular", people, targets=people, columns=1, seed=0)
print(guess.to_pandas()["probability"].round(2).tolist())
"""

AUDIT = """
import numpy as np
import pandas as pd
import quintain as q
rng = np.random.default_rng(1)
people = pd.DataFrame({"age": rng.integers(18, 90, 120), "pay": rng.integers(0, 50, 120)})
original, control = people.head(60), people.tail(60)
audit = q.audit(original, original.sample(frac=1), control=control, attacks=["popular"])
print(sorted(set(audit.to_frame()["part"])))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment in which the wheel of the example plugin is installed."""
    wheels, target = (tmp_path_factory.mktemp(name) for name in ("wheels", "site"))
    pip = [sys.executable, "-m", "pip", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*build, wheels, ROOT / "examples/plugin"], check=True, capture_output=True)
    (wheel,) = wheels.glob("quintain_popular-*.whl")
    install = [*pip, "install", "--no-deps", "--no-index", "--target", target, wheel]
    subprocess.run(install, check=True, capture_output=True)
    others = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(target), others]))}


@pytest.mark.slow
def test_an_installed_plugin_is_found(installed):
    listed = subprocess.run(
        [sys.executable, "-m", "quintain", "parts", "attack"],
        env=installed,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "attack/popular-v1" in listed.stdout
    assert "attack/nearest-v1" in listed.stdout


@pytest.mark.slow
@pytest.mark.parametrize("words", [["ranking"], ["rare-cup"]], ids=["list", "name"])
def test_an_installed_plugin_that_is_left_out_is_named_with_the_reason(tmp_path, words):
    facts = tmp_path / "quintain_cup-2.0.dist-info"
    facts.mkdir()
    asks = "Requires-Dist: quintain>=9\nRequires-Dist: pandas"
    (facts / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: quintain-cup\nVersion: 2\n{asks}\n"
    )
    (facts / "entry_points.txt").write_text("[quintain]\ncup = quintain_cup\n")
    (tmp_path / "quintain_cup.py").write_text("from quintain.attacks import Gone\n")
    others = [str(tmp_path), os.environ.get("PYTHONPATH")]
    listed = subprocess.run(
        [sys.executable, "-m", "quintain", "parts", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, others))},
        check=False,
        capture_output=True,
        text=True,
    )
    assert listed.returncode == (words == ["rare-cup"])
    (line,) = (line for line in listed.stderr.splitlines() if "cannot be loaded: " in line)
    assert "plugin quintain-cup cannot be loaded: ImportError" in line or "AttributeError" in line
    assert f"(it asks for quintain>=9; this is quintain {__version__})" in line


@pytest.mark.slow
def test_an_installed_plugin_passes_the_battery(installed):
    checked = subprocess.run(
        [sys.executable, "-c", BATTERY], env=installed, check=True, capture_output=True, text=True
    )
    assert "check_attack" in checked.stdout


@pytest.mark.slow
def test_an_installed_plugin_plays_in_a_notebook(installed):
    played = subprocess.run(
        [sys.executable, "-c", NOTEBOOK], env=installed, check=True, capture_output=True, text=True
    )
    assert played.stdout == "[0.43, 0.43, 0.43, 0.43, 0.43, 0.43, 0.93]\n"


@pytest.mark.slow
def test_an_installed_plugin_plays_in_an_audit(installed):
    played = subprocess.run(
        [sys.executable, "-c", AUDIT], env=installed, check=True, capture_output=True, text=True
    )
    assert "'popular'" in played.stdout


@pytest.mark.slow
def test_an_installed_plugin_can_be_named_by_an_edition(installed, tmp_path):
    edition = tmp_path / "mine.toml"
    edition.write_text(
        'include = "tiny"\nrepeats = 1\n[[baseline]]\nid = "popular"\n'
        'attack = { use = "popular", columns = 3 }\n'
    )
    subprocess.run(
        [
            sys.executable,
            "-m",
            "quintain",
            "play",
            edition,
            "--out",
            tmp_path / "run",
            "--workers",
            "1",
        ],
        env=installed,
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "run/results/report.html").is_file()


@pytest.mark.slow
def test_a_new_attack_is_one_file_of_under_forty_lines(tmp_path):
    """The attack printed in CONTRIBUTING.md, taken from there and played."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (code,) = re.findall(r"```python\n(.*?register.*?)```", text, re.DOTALL)
    (edition,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(code.splitlines()) < 40
    (tmp_path / "attack.py").write_text(code)
    (tmp_path / "mine.toml").write_text(edition)
    command = [sys.executable, "-m", "quintain", "--plugin", tmp_path / "attack.py", "play"]
    played = subprocess.run(
        [*command, tmp_path / "mine.toml", "--seed", "7", "--out", tmp_path / "run"],
        check=True,
        capture_output=True,
        text=True,
    )
    standings = json.loads((tmp_path / "run/results/standings.json").read_bytes())
    places = standings["tracks"]["main"]["boards"][0]["places"]
    assert [(p["team"], p["rank"], p["score"]["value"]) for p in places] == [
        ("rare", 1, 5),
        ("random", 2, 0),
    ]
    (identity,) = (line for line in played.stdout.splitlines() if " identity " in line)
    assert [cell.strip() for cell in identity.strip("│").split("│")] == [
        "identity",
        "rare",
        "0.211",
        "0.048 to 0.365",
    ]
    read = [sys.executable, "-m", "quintain", "verify", tmp_path / "run"]
    refused = subprocess.run(read, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "attack/rare-values-v1" in refused.stdout
    assert "quintain --plugin FILE" in refused.stdout
    read.insert(3, "--plugin")
    read.insert(4, tmp_path / "attack.py")
    subprocess.run(read, check=True, capture_output=True)


def test_a_broken_plugin_file_is_named_with_its_error(tmp_path):
    (tmp_path / "p.py").write_text("1/0\n")
    with pytest.raises(PartError, match=r"p\.py: ZeroDivisionError: division by zero"):
        registry.load_file(tmp_path / "p.py")


def test_importing_our_modules_loads_no_plugin(tmp_path):
    """A plugin that was loaded in the middle of an import could not import what it needs."""
    (tmp_path / "early.py").write_text("raise SystemExit('loaded while modules are imported')")
    package = Path(quintain.__file__).parent
    stages = sorted(path.parent.name for path in package.glob("*/__init__.py"))
    lines = "\n".join(f"import quintain.{name}" for name in [*stages, "recipes.run", "runs.play"])
    done = subprocess.run(
        [sys.executable, "-c", lines],
        capture_output=True,
        text=True,
        env={**os.environ, registry.PLUGIN_FILES: str(tmp_path / "early.py")},
    )
    assert done.returncode == 0, done.stderr
