"""No method that writes a file replaces one unless somebody asks for it."""

import ast
import inspect
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import quintain
import quintain as q
from quintain.api.auditing import ShownAudit
from quintain.api.comparing import ShownComparison
from quintain.api.dossiers import ShownDossier
from quintain.audits.split import split_file, split_people
from quintain.data import Series, write
from quintain.data.people_files import write_people
from quintain.errors import QuintainError
from quintain.guesses import Guess
from tests.audits.games.planted import small_table

ROOT = Path(quintain.__file__).parent
OF_OUR_OWN = ("cli", "jobs", "journal", "kit", "programs", "runs", "testing")
"""Folders without doors for notebooks: commands have another test, others keep files of ours."""


def doors():
    """Every public function that writes to a path which its caller names."""
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        if place.parts[0] not in OF_OUR_OWN:
            yield from _doors_of(path, ".".join(("quintain", *place.with_suffix("").parts)))


def _doors_of(path, module):
    for node in ast.walk(ast.parse(path.read_text())):
        within = node.body if isinstance(node, ast.ClassDef | ast.Module) else []
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        for function in within:
            if isinstance(function, ast.FunctionDef) and _writes(function):
                yield module, owner, function.name


def _writes(function):
    verb = function.name.split("_")[0]
    named = [argument.annotation for argument in function.args.args if argument.annotation]
    paths = any("Path" in ast.unparse(annotation) for annotation in named)
    return paths and verb in ("save", "to", "write", "export", "split", "store", "dump")


DOORS = sorted(set(doors()))


@pytest.mark.parametrize(("module", "owner", "name"), DOORS)
def test_every_door_asks_before_it_replaces(module, owner, name):
    place = import_module(module)
    function = getattr(getattr(place, owner) if owner else place, name)
    asked = inspect.signature(function).parameters.get("replace")
    assert asked is not None, "say replace: bool = False, and write with quintain.jobs.files"
    assert asked.default is False and asked.kind is asked.KEYWORD_ONLY


def _people_file(folder):
    folder.with_name("control.csv").write_text("age,sex\n40,f\n41,m\n42,f\n43,m\n")
    return folder.with_name("control.csv")


def _people_folder(folder):
    source = folder.with_name("source")
    source.mkdir(exist_ok=True)
    (source / "patients.csv").write_text("patient,age\na,40\nb,41\nc,42\nd,43\n")
    (source / "visits.csv").write_text("visit,patient,day\n1,a,3\n2,b,4\n3,a,5\n4,d,6\n")
    return source


def _writers():
    """How each door is used, with a path to write to."""
    table = small_table()
    trees = q.part("clinic", rows=20).data(np.random.default_rng(1))
    trips = q.part("trips", rows=40, days=7).data(np.random.default_rng(1))
    shown = SimpleNamespace(page=lambda: "x", to_json=lambda: "x", to_csv=lambda: "x")
    return {
        "ShownAudit": partial(ShownAudit.save, shown),
        "ShownComparison": partial(ShownComparison.save, shown),
        "ShownDossier": partial(ShownDossier.save, SimpleNamespace(_write=lambda _: "x")),
        "Columns": table.to_csv,
        "Data": table.to_csv,
        "Series": partial(Series.to_csv, SimpleNamespace(to_rows=lambda: table)),
        "Trees": trees.to_csv,
        "Trajectories": trips.to_csv,
        "Release": q.sanitize("rr", table, keep=0.5).to_csv,
        "Guess": Guess(table).to_csv,
        "write": lambda path, **given: write(table, path, **given),
        "write_people": lambda path, **given: write_people(trees, path.parent, **given),
        "split_file": lambda path, **given: split_file(
            _people_file(path.parent), path.parent, **given
        ),
        "split_people": lambda path, **given: split_people(
            _people_folder(path.parent), path.parent, **given
        ),
    }


WRITERS = _writers()


def test_every_door_is_tried():
    assert WRITERS.keys() == {owner or name for _, owner, name in DOORS}


@pytest.mark.parametrize("door", WRITERS)
def test_what_is_there_stays_unless_somebody_asks(door, tmp_path):
    places = [tmp_path / "out" / name for name in ("control.csv", "patients.csv", "visits.csv")]
    for path in places:
        path.parent.mkdir(exist_ok=True)
        path.write_text("of somebody")
    with pytest.raises(QuintainError, match="replace=True"):
        WRITERS[door](places[0])
    assert [path.read_text() for path in places] == ["of somebody"] * 3
    assert sorted(path.name for path in places[0].parent.iterdir()) == [p.name for p in places]
    WRITERS[door](places[0], replace=True)
    after = [path.read_text() for path in places[0].parent.rglob("*") if path.is_file()]
    assert after != ["of somebody"] * 3
