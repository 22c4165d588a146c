"""No name of a stranger controls the terminal: sites, tables, folders, errors."""

import contextlib
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.cli.main import main
from quintain.wording.printable import escape_line, escape_lines

EVIL = "a\x1b]52;c;cGF5\x07\x9b31m\u202e\u2066\r\x00b\u200b"
CONTROLS = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}
CONTROLS |= set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b")

BOARD = {
    "title": EVIL,
    "unit": EVIL,
    "places": [{"rank": 1, "name": EVIL, "score": {"value": 1.0, "low": 0.5, "high": 1.0}}],
}
ANSWERS = {
    "standings": {
        "overall": [BOARD],
        "tracks": [{"id": EVIL, "feedback": [EVIL], "boards": [BOARD]}],
    },
    "account": {"name": EVIL, "id": 1},
    "sign-in": {"token": "token"},
    "history": {"scores": [{"track": EVIL, "entry": EVIL, "name": EVIL, "value": 1.0}]},
}


class Evil(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.rpartition("/")[2]
        if name == "kit":
            self._send(200, gzip.compress(bytes(100_000_000)), "gzip")
        elif name in ANSWERS:
            self._send(200, json.dumps(ANSWERS[name]).encode())
        else:
            self._send(403, json.dumps({"detail": EVIL}).encode())

    do_POST = do_GET  # noqa: N815 -- a name of the library

    def _send(self, status, content, packed="identity"):
        self.send_response(status)
        self.send_header("Content-Encoding", packed)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("QUINTAIN_TOKEN", "token")
    name = '"' + EVIL.replace("\x00", "").replace("\r", "") + '"'
    rows = [f"{40 + i % 9},{'mf'[i % 2]}\x1b[2J,v{i % 5}" for i in range(40)]
    Path("t.csv").write_text("\n".join([f"age,{name},c\x1b[8m", *rows, ""]))
    Path("odd\x1b[2J.csv").write_text("age\nx\x1b[2J\n")
    return tmp_path


COMMANDS = {
    "board": "board --server SITE --contest x",
    "login": "login --server SITE --token",
    "kit": "kit --server SITE --contest x kit.zip",
    "submit": "submit t.csv --server SITE --contest x",
    "learn": "schema learn t.csv",
    "audit": "audit release --original t.csv --release t.csv --workers 1 --show-exposed 3",
    "audit, json": "audit release --original t.csv --release t.csv --workers 1 --json",
    "sanitize": "sanitize t.csv --with rr --set keep=0.5 --out o.csv",
    "unknown column": "audit release --original t.csv --release t.csv --knows EVIL",
    "unknown file": "measure tiny --original EVIL",
    "unknown edition": "play EVIL",
    "unknown command": "EVIL",
    "odd file": "schema learn ODD",
    "bad plugin": "--plugin ODD parts",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_no_command_lets_a_stranger_control_the_terminal(command, site, place, capfd, monkeypatch):
    import click

    monkeypatch.setattr(click, "prompt", lambda *_, **__: "token")
    own = {"SITE": site, "EVIL": EVIL.replace("\x00", ""), "ODD": "odd\x1b[2J.csv"}
    words = [own.get(word, word) for word in command.split()]
    with contextlib.suppress(SystemExit):
        main(words)
    out, err = capfd.readouterr()
    assert out + err
    assert not CONTROLS & set(out + err), ascii(out + err)
    assert "Traceback" not in err
    if "--json" in words:
        json.loads(out)


def test_a_download_that_unpacks_to_any_size_is_refused(site, place, capfd):
    with pytest.raises(SystemExit):
        main(["kit", "--server", site, "--contest", "x", "kit.zip"])
    assert "sends more than 50 MB" in capfd.readouterr().err
    assert not Path("kit.zip").exists()


@given(st.text())
def test_no_text_controls_a_terminal(text):
    assert not CONTROLS & set(escape_lines(text))
    assert not (CONTROLS | {"\n", "\t"}) & set(escape_line(text))
    assert escape_line(text).isprintable()


@pytest.mark.slow
@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_json_text_stays_the_same(value):
    text = json.dumps(value, ensure_ascii=False, indent=1)
    assert json.loads(escape_lines(text)) == value
