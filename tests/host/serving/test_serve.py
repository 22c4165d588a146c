"""The command serve, as an operator runs it: first use, signals, workers and refusals."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time

import httpx2
import pytest
from click.testing import CliRunner
from sqlalchemy import text

from quintain.cli.main import cli
from quintain.errors import QuintainError
from quintain_host.serving.opening import bring_up_to_date, open_site
from quintain_host.serving.server import WorkerProcess


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def answers(url):
    try:
        return httpx2.get(url).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_makes_a_site_and_ends_cleanly(tmp_path, number):
    port, root = free_port(), tmp_path / "site"
    command = [sys.executable, "-m", "quintain", "serve", str(root), "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--no-worker", "--log-format", "json"], stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: answers(f"http://127.0.0.1:{port}/readyz"))
        process.send_signal(number)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert "made the tables of the database" in errors
    assert f"quintain host account add {root}" in errors
    assert '"path": "/readyz"' in errors
    assert "the site has stopped" in errors
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "site.db").stat().st_mode) == 0o600


def test_a_second_call_changes_nothing(tmp_path):
    site = open_site(tmp_path / "new")
    assert "made the tables" in bring_up_to_date(site.database)
    assert bring_up_to_date(site.database) == ""
    site.close()


def test_a_newer_database_is_refused(sqlite_site):
    with sqlite_site.database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(QuintainError, match="newer quintain"):
        bring_up_to_date(sqlite_site.database)


def test_a_database_that_is_away_is_a_sentence(tmp_path):
    url = "postgresql+psycopg://nobody@/none?host=/nowhere"
    done = CliRunner().invoke(cli, ["host", "upgrade", str(tmp_path), "--database", url])
    assert isinstance(done.exception, QuintainError)
    assert "the database does not answer" in str(done.exception)


def test_check_names_what_is_unsafe(tmp_path):
    root = tmp_path / "site"
    done = CliRunner().invoke(cli, ["serve", str(root), "--check", "--host", "0.0.0.0"])
    assert done.exit_code == 1
    assert "without TLS" in done.output
    assert "has no tables" in done.output


# --- workers beside the server --------------------------------------------------------------------


def test_a_worker_that_ends_is_started_again(tmp_path):
    mark = tmp_path / "starts"
    script = f"open({str(mark)!r}, 'a').write('x')"
    worker = WorkerProcess([sys.executable, "-c", script], os.environ, longest=0.1)
    worker.start()
    try:
        wait_for(lambda: mark.exists() and len(mark.read_text()) >= 2)
    finally:
        worker.stop()
    assert worker.pid is None


def test_a_worker_is_started_once_it_is_wanted(tmp_path, monkeypatch):
    monkeypatch.setattr("quintain_host.serving.server._ASK_AGAIN", 0.01)
    mark, wanted = tmp_path / "starts", iter([False, RuntimeError("away"), False, True])

    def is_wanted():
        answer = next(wanted)
        if isinstance(answer, Exception):
            raise answer
        assert answer or not mark.exists()
        return answer

    script = f"open({str(mark)!r}, 'a').write('x')"
    worker = WorkerProcess([sys.executable, "-c", script], os.environ, wanted=is_wanted)
    worker.start()
    try:
        wait_for(mark.exists)
    finally:
        worker.stop()


def test_a_worker_gets_a_signal_to_finish(tmp_path):
    ready, mark = tmp_path / "ready", tmp_path / "end"
    script = (
        "import signal, sys, time\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (open({str(mark)!r}, 'w'), sys.exit(0)))\n"
        f"open({str(ready)!r}, 'w')\n"
        "time.sleep(3600)"
    )
    worker = WorkerProcess([sys.executable, "-c", script], os.environ)
    worker.start()
    wait_for(ready.exists)
    worker.stop()
    assert mark.exists()


@pytest.mark.slow
def test_a_worker_does_not_outlive_a_server_that_is_killed(tmp_path):
    mark = tmp_path / "pid"
    worker = f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(3600)"
    server = (
        "import os, sys, time\n"
        "from quintain_host.serving.server import WorkerProcess\n"
        f"WorkerProcess([sys.executable, '-c', {worker!r}], os.environ).start()\n"
        "time.sleep(3600)"
    )
    process = subprocess.Popen([sys.executable, "-c", server])
    wait_for(lambda: mark.exists() and mark.read_text())
    process.kill()
    process.wait()
    pid = int(mark.read_text())
    wait_for(lambda: not is_running(pid))


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
