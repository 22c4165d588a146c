"""The command verify: an archive, what people kept, and a verdict that says what it rests on."""

import json
import re

import pytest

from quintain.cli.main import main
from quintain.kit.archive import archive_bytes
from quintain.runs.folder.folder import Folder
from tests.journal.timestamp_authority import Authority
from tests.runs.verification.forgery import live_contest


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return live_contest(tmp_path_factory.mktemp("live") / "contest")


@pytest.fixture
def run(capsys, monkeypatch, kept, tmp_path):
    """Run verify on the archive; returns its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "revealed.zip").write_bytes(archive_bytes(Folder(kept.root)))

    def call(*options):
        with pytest.raises(SystemExit) as done:
            main(["verify", "revealed.zip", "--workers", "1", *options])
        printed = capsys.readouterr()
        return done.value.code, printed.out, printed.err

    return call


def test_an_archive_alone_is_verified_against_nothing_published(run, kept):
    code, out, _ = run("--fast")
    assert code == 0
    assert f"commitment prepare-main: root {kept.roots['prepare-main']}" in out
    assert "journal: 12 events, root " in out
    assert "not checked, because of --fast: samples, releases" in out
    assert "to trust: all of it may have been made anew after the contest" in out
    assert out.splitlines()[-1].startswith(
        "verified against nothing published (0 of 12 events fixed): "
    )


def test_what_was_kept_is_compared_and_counted(run, kept, tmp_path):
    (tmp_path / "receipt.json").write_bytes(kept.receipts["red, guess"])
    (tmp_path / "checkpoint.txt").write_bytes(kept.checkpoints["end"])
    options = ["--receipt", "receipt.json", "--checkpoint", "checkpoint.txt"]
    code, out, _ = run(*options, "--root", kept.roots["rules-1"])
    assert code == 0
    assert "receipt.json agrees with the journal" in out
    last = out.splitlines()[-1]
    assert last.startswith(
        "verified against 1 root, 1 receipt and 1 checkpoint (12 of 12 events fixed): "
    )


@pytest.mark.slow
def test_strict_ends_with_two_unless_every_event_is_fixed_and_checked(run, kept, tmp_path):
    (tmp_path / "early.txt").write_bytes(kept.checkpoints["releases"])
    (tmp_path / "last.txt").write_bytes(kept.checkpoints["end"])
    assert run("--checkpoint", "last.txt", "--strict")[0] == 0
    assert run("--checkpoint", "last.txt", "--strict", "--fast")[0] == 2
    code, out, _ = run("--checkpoint", "early.txt", "--strict", "--fast")
    assert code == 2
    assert re.search(r"1 checkpoint \(\d+ of 12 events fixed\)", out.splitlines()[-1])
    assert run("--root", "0" * 64, "--strict", "--fast")[0] == 1


def test_another_history_is_said_in_words_and_ends_with_one(run, kept, tmp_path):
    receipt = json.loads(kept.receipts["red, guess"])
    receipt["line"] = receipt["line"].replace("red", "\x1b[31m")
    (tmp_path / "receipt.json").write_text(json.dumps(receipt))
    code, out, err = run("--fast", "--receipt", "receipt.json", "--root", "0" * 64)
    assert code == 1
    assert "the organisers published another history" in out
    assert "\x1b" not in out
    assert err.splitlines()[-1] == "NOT verified: 2 problems"


def test_roots_and_receipts_that_are_none_are_refused_before_anything_is_computed(run, tmp_path):
    (tmp_path / "receipt.json").write_text("{}")
    (tmp_path / "revealed.zip").write_bytes(b"nobody reads it")
    code, out, err = run("--receipt", "receipt.json", "--root", "xyz")
    assert code == 1 and not out
    assert "the root 'xyz' does not have 64 hexadecimal digits" in err
    assert "receipt.json: this is not a receipt: " in err


def test_a_timestamp_needs_somebody_to_believe(run, kept, tmp_path):
    (tmp_path / "c.tsr").write_bytes(b"hello")
    code, _, err = run("--timestamp", "c.tsr")
    assert code == 2 and "--timestamp needs --tsa-certificate" in err


def test_a_timestamp_of_a_checkpoint_is_read_and_counted(run, kept, tmp_path):
    pytest.importorskip("rfc3161_client", reason="pip install 'quintain[timestamps]'")
    (tmp_path / "authority").mkdir()
    authority = Authority(tmp_path / "authority")
    (tmp_path / "c.txt").write_bytes(kept.checkpoints["end"])
    (tmp_path / "c.tsr").write_bytes(authority.stamp(kept.checkpoints["end"]))
    options = ["--checkpoint", "c.txt", "--timestamp", "c.tsr", "--fast"]
    code, out, _ = run(*options, "--tsa-certificate", str(authority.certificate_file))
    assert code == 0
    assert "c.tsr: CN=Test clock saw c.txt at 20" in out
    assert "verified against 1 checkpoint and 1 timestamp (12 of 12 events fixed): " in out
