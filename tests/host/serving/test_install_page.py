"""The page about installing a site: every file, user, folder, unit and option of it exists."""

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from scripts.debian.steps import read_steps

from tests.host.serving.test_deploy import COMPOSE, DEPLOY, parse

ROOT = DEPLOY.parent
STEPS = read_steps((ROOT / "docs/how-to/install-a-site.md").read_text())
TEXT = "".join(STEPS.values())
USERS = (DEPLOY / "systemd/quintain.sysusers.conf").read_text()
FOLDERS = (DEPLOY / "systemd/quintain.tmpfiles.conf").read_text()
UNITS = {path.name for path in (DEPLOY / "systemd").iterdir()}

DEBIAN_UNITS = {"caddy", "nginx", "postgresql"}
DEBIAN_USERS = {"postgres", "root"}
# Folders that a package of the page makes, or that every Debian has; `install -D` makes the others.
DEBIAN_FOLDERS = {
    "/dev",
    "/etc/caddy",
    "/etc/nginx",
    "/etc/nginx/sites-available",
    "/etc/nginx/sites-enabled",
    "/etc/systemd/system",
    "/usr/local/sbin",
    "/var/www",
}


def commands():
    """Every command of the page as words; what a shell would put into them stays as it is."""
    text = re.sub(r"<< END\n.*?^END$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    for line in text.replace("\\\n", " ").replace("|\n", "| ").splitlines():
        for part in re.split(r" \| ", line):
            yield shlex.split(part.replace("<<<", " ").replace(">", " > "))


COMMANDS = list(commands())


def calls_of(program):
    return [words[1:] for words in COMMANDS if words[0] == program]


@pytest.mark.parametrize("heading", STEPS)
def test_bash_can_read_every_step(heading):
    done = subprocess.run(["bash", "-n"], input=STEPS[heading], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_every_file_of_the_checkout_exists():
    names = {word for words in COMMANDS for word in words if re.match(r"(deploy|scripts)/", word)}
    assert len(names) > 8
    for name in names - {"deploy/.env", "deploy/worker.token"}:  # the page makes these two
        assert list(ROOT.glob(name)), name


def test_every_command_of_quintain_exists():
    inner = [words[words.index("quintain") + 1 :] for words in COMMANDS if "quintain" in words[1:]]
    inner = [words for words in inner if words and words[0] in ("host", "serve", "worker")]
    assert len(inner) > 1  # those in containers
    for words in calls_of("quintain-site") + inner:
        folder = ["." if word.startswith(("/var/", "$backup")) else word for word in words]
        if words[:2] == ["host", "restore"]:
            folder[2] = str(ROOT / "uv.lock")  # a file that exists
        assert parse(folder)


def test_every_user_and_group_exists():
    named = re.findall(r"runuser --login (\S+)|-[go] ([a-z]\S+)|chown ([a-z-]+):", TEXT)
    names = {name for found in named for name in found if name}
    assert names >= {"postgres", "quintain"}
    for name in names - DEBIAN_USERS:
        assert re.search(rf"^[ug] {name} ", USERS, re.MULTILINE), name


def test_every_folder_is_made_before_it_is_used():
    made = set(re.findall(r"^d (\S+)", FOLDERS, re.MULTILINE)) | DEBIAN_FOLDERS
    early = {str(Path(words[-1]).parent) for words in COMMANDS if "-D" in words}
    for words in COMMANDS:
        if words[0] == "install" and words[-1].startswith("/"):
            target = words[-1].rstrip("/")
            folder = target if words[-1].endswith("/") else str(Path(target).parent)
            assert folder in made or "-D" in words, words
        for word in words:
            if re.match(r"/(etc|var|usr/local)/", word) and "-D" not in words:
                place = word.split("*")[0].rstrip("/")
                assert {place, str(Path(place).parent)} & (made | early), word


def test_every_unit_exists():
    for verb, *names in calls_of("systemctl"):
        assert verb in ("enable", "start", "stop", "restart", "reload", "daemon-reload")
        for name in names:
            if name != "--now" and name not in DEBIAN_UNITS:
                assert name in UNITS or f"{name}.service" in UNITS, name


def test_the_environment_comes_from_the_lock():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = pyproject["project"]["optional-dependencies"]
    assert set(re.findall(r"--extra (\w+)", TEXT)) <= set(extras)
    assert set(re.findall(r"--group (\w+)", TEXT)) <= set(pyproject["dependency-groups"])
    for words in COMMANDS:
        if words[0].endswith("/pip"):
            assert "--require-hashes" in words or "--no-deps" in words
    image = (DEPLOY / "Containerfile").read_text()
    for option in (r"--extra (\w+)", r"--group (\w+)"):
        assert re.findall(option, image) == re.findall(option, STEPS["3. Program"])


def test_every_service_of_the_containers_exists():
    calls = [words for words in calls_of("docker") if words[0] == "compose"]
    assert len(calls) > 3
    for words in calls:
        assert words[1:3] == ["--file", "deploy/compose.yaml"]
        for verb in {"exec", "run"} & set(words):
            rest = [word for word in words[words.index(verb) + 1 :] if not word.startswith("-")]
            assert rest[0] in COMPOSE["services"]
        if "--profile" in words:
            profile = words[words.index("--profile") + 1]
            assert any(profile in one.get("profiles", ()) for one in COMPOSE["services"].values())


def test_the_sandbox_can_work_in_unit_and_container():
    unit = (DEPLOY / "systemd/quintain-programs.service").read_text()
    assert re.search(r"^SystemCallFilter=.*@mount.*sethostname", unit, re.MULTILINE)
    assert "TemporaryFileSystem=/dev/shm:" in unit
    assert "MemorySwapMax=0" in unit
    set_there = {line.partition("=")[0] for line in unit.splitlines() if line[:1] != "#"}
    hiding = {"PrivateUsers", "ProtectProc", "ProtectKernelTunables", "RestrictNamespaces"}
    assert not (hiding | {"RestrictSUIDSGID"}) & set_there
    programs = COMPOSE["services"]["programs"]
    assert {"seccomp:unconfined", "systempaths=unconfined"} <= set(programs["security_opt"])
    assert any("/dev/shm:exec" in place for place in programs["tmpfs"])


# --- the proxies, where their programs are installed ----------------------------------------------


def nginx_version():
    done = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True)
    return tuple(map(int, re.search(r"nginx/([\d.]+)", done.stderr)[1].split(".")))


@pytest.mark.skipif(shutil.which("nginx") is None, reason="there is no nginx here")
def test_nginx_reads_its_file(tmp_path):
    text = (DEPLOY / "nginx.conf").read_text()
    certify = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=contests.example.org"
    files = ["-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run([*certify.split(), *files], cwd=tmp_path, check=True, capture_output=True)
    text = text.replace("/etc/letsencrypt/live/contests.example.org", str(tmp_path))
    # nginx opens what it listens on even if it only tests; here these are sockets in a folder.
    text = re.sub(r"listen (\[::\]:)?(\d+)", rf"listen unix:{tmp_path}/\1\2", text)
    if nginx_version() >= (1, 25, 1):
        command = shlex.split(STEPS["With nginx 1.25.1 or newer (Debian 13)"])
        text = subprocess.run(
            ["sed", command[2]], input=text, text=True, capture_output=True, check=True
        ).stdout
    (tmp_path / "site.conf").write_text(text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {tmp_path};" for kind in kinds)
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{ access_log off; {places} include {tmp_path}/site.conf; }}\n"
    )
    done = subprocess.run(
        ["nginx", "-t", "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


def test_the_step_for_a_newer_nginx_changes_what_it_should():
    command = shlex.split(STEPS["With nginx 1.25.1 or newer (Debian 13)"])
    old = (DEPLOY / "nginx.conf").read_text()
    new = subprocess.run(
        ["sed", command[2]], input=old, text=True, capture_output=True, check=True
    ).stdout
    assert "ssl http2;" in old
    assert "ssl http2" not in new
    assert re.search(r"^ +http2 on;$", new, re.MULTILINE)


@pytest.mark.skipif(shutil.which("caddy") is None, reason="there is no Caddy here")
def test_caddy_reads_its_file(tmp_path):
    done = subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")],
        env=os.environ | {"QUINTAIN_HOST": "contests.example.org", "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("docker") is None, reason="there is no docker here")
def test_compose_reads_its_file():
    done = subprocess.run(
        ["docker", "compose", "--file", str(DEPLOY / "compose.yaml"), "config"],
        env=os.environ | {"QUINTAIN_HOST": "contests.example.org", "POSTGRES_PASSWORD": "secret"},
        capture_output=True,
        text=True,
    )
    if "is not a docker command" in done.stderr or "unknown" in done.stderr:
        pytest.skip("docker has no compose here")
    assert done.returncode == 0, done.stderr
    assert set(yaml.safe_load(done.stdout)["services"]) <= set(COMPOSE["services"])
