"""Archives of strangers that ask for far more than they are: a sentence, with the limit held."""

import hashlib
import re
import subprocess
import sys
import zipfile

import pytest

MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "quintain", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


def verify(path, *options):
    """The exit code, all that is printed, and the most memory of a process in MB."""
    words = ["verify", str(path), "--workers", "1", *options]
    command = [sys.executable, "-c", MEASURED, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    *lines, most = done.stderr.strip().splitlines()
    return done.returncode, done.stdout + "\n".join(lines), int(most) / 1000


@pytest.mark.slow
def test_rules_that_ask_for_more_than_the_machine_has_end_in_a_sentence(forger, tmp_path):
    for name in ("public/rules/1.json", "public/edition.json"):
        text = forger.at(name).read_text()
        changed, count = re.subn(r'"rows":\s*150\b', '"rows": 300000000', text)
        assert count, "the rules say how many people there are"
        forger.at(name).write_text(changed)
    content = forger.at("public/rules/1.json").read_bytes()
    forger.change(0, rules=hashlib.sha256(content).hexdigest())
    forger.recommit(0)
    folder = forger.finish()
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.root.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder.root))
    assert path.stat().st_size < 200_000
    code, text, most = verify(path, "--memory", "1")
    assert code == 1
    assert "needs more than 1 GB of memory" in text and "--memory" in text
    assert "NOT verified" not in text, "the limit says nothing about the contest"
    assert "Traceback" not in text
    assert most < 1000


def _zeros(path):
    """300 MB that pack to 300 kB."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("journal.jsonl", bytes(300_000_000))


def _declared(size):
    def make(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("journal.jsonl", bytes(5_000_000))
        content = path.read_bytes()
        path.write_bytes(content.replace((5_000_000).to_bytes(4, "little"), size))

    return make


def _nested(path):
    """An archive in an archive, which nobody needs to unpack."""
    _zeros(path)
    inner = path.read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("edition.toml", "id = 'a'\n")
        archive.writestr("public/inner.zip", inner)


BOMBS = {
    "zeros": _zeros,
    "declares little": _declared((10).to_bytes(4, "little")),
    "declares much": _declared((0xFFFF_FFF0).to_bytes(4, "little")),
    "nested": _nested,
}


@pytest.mark.slow
@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS)
def test_an_archive_that_unpacks_to_much_more_ends_in_a_sentence(tmp_path, make):
    make(tmp_path / "bomb.zip")
    code, text, most = verify(tmp_path / "bomb.zip", "--memory", "1")
    assert code == 1
    assert text.count("quintain: ") == 1 and "Traceback" not in text, text
    assert most < 600
