"""The commands of a team on a site: a real server, a real worker, the same words as at home."""

import json
import socket
import threading
import time
import zipfile

import pytest
import uvicorn
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.client import connection as tokens
from quintain.errors import QuintainError, SubmissionError
from quintain.journal.receipt import Receipt
from quintain_host.accounts.passwords import hash_password
from quintain_host.database.people import Account
from quintain_host.web.app import make_app
from quintain_host.work.worker import Worker
from tests.host import contest_on_site as contest

PASSWORD = "a long password of red"


@pytest.fixture(scope="module")
def stage(new_site, tmp_path_factory):
    """A site with a contest in its first phase; its address, and the site itself."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    site = new_site(tmp_path_factory.mktemp("stage"), "sqlite", url=url)
    edition = contest.prepared(site)
    contest.team(site, edition, "red")
    with site.database.writing("accounts") as session:
        account = session.query(Account).filter_by(email="red@example.org").one()
        account.password = hash_password(PASSWORD)
    worker = Worker(site, "stage", pause=0.05)
    working = threading.Thread(target=worker.run)
    config = uvicorn.Config(make_app(site), port=port, log_config=None, ws="none")
    server = uvicorn.Server(config)
    serving = threading.Thread(target=server.run)
    working.start()
    serving.start()
    while not server.started:
        time.sleep(0.02)
    yield url, site
    server.should_exit = True
    worker.stop()
    serving.join()
    working.join()
    site.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("QUINTAIN_TOKEN", raising=False)
    return tmp_path


def run(*arguments, typed=""):
    return CliRunner().invoke(cli, [str(one) for one in arguments], input=typed)


@pytest.fixture(scope="module")
def token(stage, tmp_path_factory):
    """The token of team red; a site lets nobody sign in ten times in a few seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        done = run("login", "--server", stage[0], typed=f"red@example.org\n{PASSWORD}\n\n")
        assert done.exit_code == 0, (done.output, done.exception)
        assert "signed in as Red" in done.output
        assert PASSWORD not in tokens.tokens_path().read_text()
        return tokens.token_for(stage[0])


@pytest.fixture
def signed_in(stage, token, home):
    tokens.keep_token(stage[0], token)
    return home


def at(stage):
    return "--server", stage[0], "--contest", "rounds"


@pytest.mark.slow
def test_logout_forgets_the_token(stage, signed_in):
    assert run("logout", "--server", stage[0]).exit_code == 0
    assert tokens.token_for(stage[0]) == ""


def test_a_wrong_password_is_a_sentence(stage, home):
    done = run("login", "--server", stage[0], typed="red@example.org\nwrong password!\n\n")
    assert isinstance(done.exception, QuintainError)
    assert not (home / "config/quintain/tokens.json").exists()


def test_a_token_of_the_site_can_be_pasted(stage, token, home):
    assert run("login", "--server", stage[0], "--token", typed=f"{token}\n").exit_code == 0
    assert tokens.token_for(stage[0]) == token


def test_submit_waits_for_the_intake_worker_and_gives_a_receipt(stage, signed_in):
    files = contest.release(stage[1], "rounds", "red")
    upload, receipt = signed_in / "release.csv", signed_in / "receipt.json"
    upload.write_bytes(files["release.csv"])
    done = run("submit", *at(stage), upload, "--receipt", receipt)
    assert done.exit_code == 0, (done.output, done.exception)
    assert "accepted a release" in done.output
    line = json.loads(Receipt.from_bytes(receipt.read_bytes()).line)
    assert (line["event"], line["team"]) == ("submitted", "red")


def test_json_is_the_receipt_alone(stage, signed_in):
    upload = signed_in / "release.csv"
    upload.write_bytes(contest.release(stage[1], "rounds", "red", rows=22)["release.csv"])
    done = run("submit", *at(stage), upload, "--json")
    assert Receipt.from_bytes(done.stdout.encode()).checkpoint


def test_every_fault_comes_at_once(stage, signed_in):
    upload = signed_in / "release.csv"
    upload.write_text("nothing,fits\n1,2\n3,4\n")
    done = run("submit", *at(stage), upload)
    assert isinstance(done.exception, SubmissionError)
    assert "release.csv" in str(done.exception)


def test_the_kit_is_a_folder_of_the_team(stage, signed_in):
    done = run("kit", *at(stage), signed_in / "kit.zip")
    assert done.exit_code == 0, (done.output, done.exception)
    with zipfile.ZipFile(signed_in / "kit.zip") as archive:
        names = archive.namelist()
    assert any(name.endswith("teams/red/main/private.csv") for name in names)
    assert not any("secret/" in name for name in names)


def test_the_board(stage, signed_in):
    done = run("board", *at(stage))
    assert done.exit_code == 0, (done.output, done.exception)
    table = json.loads(run("board", *at(stage), "--json").stdout)
    assert table["final"] is False


def test_without_a_token_everybody_sees_the_board_and_nobody_submits(stage, home):
    assert run("board", *at(stage)).exit_code == 0
    (home / "release.csv").write_text("x")
    done = run("submit", *at(stage), home / "release.csv")
    assert "quintain login" in str(done.exception)


def test_arguments_are_checked_as_at_home(stage, home):
    assert "UPLOAD" in run("submit", *at(stage)).output
    assert "--contest" in run("submit", "--server", stage[0], "x").output
    assert "--team" in run("submit", home, "x").output
    assert "FOLDER" in run("board").output
    assert "extra" in run("board", *at(stage), home).output
