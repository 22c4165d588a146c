"""The table of built-in parts: complete, current, and enough to find a part by."""

import json
import os
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from quintain.builtin import STAGES, builtin_parts, part_classes

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "scripts/list_parts.py"]


def run_python(code: str, path: Path) -> str:
    """What a fresh interpreter prints that imports from ``path`` first."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_the_table_of_parts_and_the_stubs_are_current(tmp_path):
    subprocess.run([*COMMAND, tmp_path], cwd=ROOT, check=True)
    fresh = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*") if path.is_file()}
    assert {"parts.json", "__init__.pyi", "attacks/__init__.pyi"} < {*map(str, fresh)}
    for name, path in fresh.items():
        committed = ROOT / "src/quintain" / name
        assert committed.read_text() == path.read_text(), (
            f"src/quintain/{name} is stale; run: python scripts/list_parts.py"
        )


def test_every_place_in_the_table_holds_the_part_of_that_id():
    for id, place in builtin_parts().items():
        module, _, name = place.partition(":")
        assert getattr(import_module(module), name).id == id


def test_two_parts_of_one_stage_never_share_a_class_name():
    for stage in STAGES:
        package = f"quintain.{stage}"
        below = [p for p in builtin_parts().values() if p.startswith(f"{package}.")]
        assert len(part_classes(package)) == len(below)


def test_classes_of_a_package_are_found_by_their_name():
    assert part_classes("quintain.attacks")["Random"] == "quintain.attacks.random"
    assert "Nearest" not in part_classes("quintain.sanitizers")


def test_asking_for_one_part_imports_no_other_stage(tmp_path):
    code = (
        "import sys; from quintain.registry import find; find('attack', 'random');"
        "print('quintain.attacks.random' in sys.modules, 'quintain.measures' in sys.modules)"
    )
    assert run_python(code, ROOT / "src") == "True False"


@pytest.mark.slow
def test_parts_are_found_in_a_zipped_install(tmp_path):
    archive = tmp_path / "quintain.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted((ROOT / "src").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                file.write(path, path.relative_to(ROOT / "src"))
    code = (
        "import json, quintain; from quintain.registry import families, find;"
        "print(json.dumps([quintain.__file__, find('attack', 'nearest').id, families()]))"
    )
    file, id, families = json.loads(run_python(code, archive))
    assert "quintain.zip" in file
    assert id == "attack/nearest-v1"
    assert families == sorted({name.partition("/")[0] for name in builtin_parts()})
