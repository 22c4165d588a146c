"""No output of a command replaces a file unless somebody asks for it."""

import ast
from pathlib import Path

import click
import pytest

import quintain.cli
from quintain.cli.main import cli, main
from quintain.cli.outputs import NewFile, NewFolder, NewPlace
from tests.sources import code_at


def commands(group, words=()):
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


ALL = dict(commands(cli))


# Arguments that name what a command works in or reads.
WORKED_IN = {
    "folder": "the folder of a contest: new refuses one that has files, others keep its history",
    "site": "the folder of a site, which upgrades and restores refuse if it does not fit",
    "places": "the folder of a contest and an upload that is read",
    "upload": "an upload that is read",
    "table": "a table that is read, or the address of a database",
    "original": "data that are read",
    "release": "data that are read",
    "control": "data that are read",
    "data": "data that are read",
}
GOES_ON = {(("play",), "out"): "a run that was stopped goes on; a run of other rules is refused"}


@pytest.mark.parametrize("words", ALL, ids=map(" ".join, ALL))
def test_every_path_that_a_command_writes_refuses_what_is_there(words):
    command = ALL[words]
    paths = [option for option in command.params if isinstance(option.type, click.Path)]
    outputs = [path for path in paths if isinstance(path.type, NewFile | NewFolder | NewPlace)]
    others = {path.name for path in paths if path not in outputs and not path.type.exists}
    unknown = others - WORKED_IN.keys() - {name for at, name in GOES_ON if at == words}
    assert not unknown, "an output needs NewFile, NewFolder or NewPlace of quintain.cli.outputs"
    asks = "replace" in {option.name for option in command.params}
    assert asks == bool(outputs), "--replace belongs to commands with outputs, and to no other"


WRITERS = {"write_bytes", "write_text", "write_file", "write_new", "file_draft", "copyfile", "move"}


def written_around(path):
    """Calls in a module that write a file without asking whether one is there."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            owner = getattr(getattr(node.func, "value", None), "id", "")
            opened = name == "open" and any(
                isinstance(argument, ast.Constant) and str(argument.value)[:1] in ("w", "x", "a")
                for argument in node.args
            )
            if (name in WRITERS or opened) and owner != "outputs":
                yield f"{path.name}, line {node.lineno}: {name}"


def test_commands_write_through_one_door():
    folder = Path(quintain.cli.__file__).parent
    of_site = code_at("quintain_host/commands")
    modules = [*folder.rglob("*.py"), *of_site.rglob("*.py")]
    modules = [path for path in modules if path.name != "outputs.py"]
    assert len(modules) > 20
    assert not [call for path in modules for call in written_around(path)]
    assert len(list(written_around(folder / "outputs.py"))) == 2, "the test sees such calls"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(["age,sex\n", *(f"{40 + i % 9},{'mf'[i % 2]}\n" for i in range(40))])
    for name in ("t.csv", "other.csv", "card.json", "d.html"):
        Path(name).write_text(text)
    Path("there").mkdir()
    for name in ("audit.json", "report.html", "readings.csv", "comparison.json"):
        Path("there", name).write_text(text)
    Path("link.html").symlink_to("nowhere")  # a file of somebody that is away, as on another disk
    return text


COMMANDS = {
    "out": "sanitize t.csv --with rr --set keep=0.9 --out other.csv",
    "card": "sanitize t.csv --with rr --set keep=0.9 --out new.csv --card card.json",
    "attack": "attack t.csv --with nearest --targets t.csv --out other.csv",
    "dossier": "audit release --original t.csv --release t.csv --workers 1 --dossier d.html",
    "audit": "audit release --original t.csv --release t.csv --workers 1 --out there",
    "everybody": "audit everybody rr --data t.csv --release t.csv --set keep=0.9 --out there",
    "sanitizer": "audit sanitizer rr --data t.csv --set keep=0.9 --workers 1 --out there",
    "split": "audit split --data t.csv --out there",
    "compare": "compare rr --data t.csv --workers 1 --out there",
    "link": "audit release --original t.csv --release t.csv --dossier link.html",
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_is_there_stays_unless_somebody_asks(place, words, capsys):
    before = {path: path.read_text() for path in Path.cwd().rglob("*.*") if path.is_file()}
    with pytest.raises(SystemExit) as refused:
        main(words.split())
    assert refused.value.code == 2
    error = capsys.readouterr().err
    assert "is there already" in error or "is not empty" in error
    assert "--replace" in error
    assert before == {path: path.read_text() for path in Path.cwd().rglob("*.*") if path.is_file()}
    assert Path("link.html").is_symlink()


@pytest.mark.parametrize("name", ["out", "split"])
def test_asking_replaces_it(place, name):
    Path("there/control.csv").write_text(place)
    with pytest.raises(SystemExit) as done:
        main([*COMMANDS[name].split(), "--replace"])
    assert not done.value.code
    changed = {"out": "other.csv", "split": "there/control.csv"}[name]
    assert Path(changed).read_text() != place
