"""No output of a command replaces a file unless somebody asks for it."""

from pathlib import Path

import click
import pytest

from quintain.cli.main import cli, main
from quintain.cli.outputs import NewFile


def commands(group, words=()):
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


ALL = dict(commands(cli))


@pytest.mark.parametrize("command", ALL.values(), ids=map(" ".join, ALL))
def test_a_file_that_a_command_writes_is_new(command):
    files = [own for own in command.params if isinstance(own.type, click.Path)]
    written = [own for own in files if own.type.file_okay and not own.type.exists]
    written = [own for own in written if own.type.dir_okay is False]
    assert all(isinstance(own.type, NewFile) for own in written)
    names = {own.name for own in command.params}
    assert not written or "replace" in names


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(["age,sex\n", *(f"{40 + i % 9},{'mf'[i % 2]}\n" for i in range(40))])
    for name in ("t.csv", "other.csv", "card.json", "d.html"):
        Path(name).write_text(text)
    return text


COMMANDS = {
    "out": "sanitize t.csv --with rr --set keep=0.9 --out other.csv",
    "card": "sanitize t.csv --with rr --set keep=0.9 --out new.csv --card card.json",
    "attack": "attack t.csv --with nearest --targets t.csv --out other.csv",
    "dossier": "audit release --original t.csv --release t.csv --workers 1 --dossier d.html",
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_is_there_stays_unless_somebody_asks(place, words, capsys):
    with pytest.raises(SystemExit) as refused:
        main(words.split())
    assert refused.value.code == 2
    assert "is there already" in capsys.readouterr().err
    kept = [Path(name).read_text() for name in ("other.csv", "card.json", "d.html")]
    assert kept == [place] * 3 and not Path("new.csv").exists()


def test_asking_replaces_it(place):
    with pytest.raises(SystemExit) as done:
        main([*COMMANDS["out"].split(), "--replace"])
    assert not done.value.code and Path("other.csv").read_text() != place
