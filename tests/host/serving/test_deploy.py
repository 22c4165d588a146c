"""The example files of an operator: every command, path and user in them exists."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from quintain.cli.main import cli
from quintain.jobs.files import GROUP_READS
from quintain_host.settings import Settings

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OWN = {name: one for name, one in COMPOSE["services"].items() if "build" in one}


def parse(arguments):
    """Read a command line as quintain would, without running it; returns its name."""
    command, context = cli, None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, info_name="quintain")
        _, found, arguments = command.resolve_command(context, list(arguments))
        command = found
    command.make_context(command.name, list(arguments), parent=context)
    return command.name


def settings_of(unit):
    lines = (line for line in unit.read_text().splitlines() if "=" in line and line[0] != "#")
    return [tuple(line.split("=", 1)) for line in lines]


def commands_of(unit):
    for key, value in settings_of(unit):
        if key.startswith("ExecStart"):
            inner = re.search(r"exec (.+?)'", value)
            yield words_of(inner[1] if inner else value)


def words_of(command):
    """The words of a command of a shell, with any time in them."""
    return shlex.split(re.sub(r"\$\(.+?\)", "NOW", command))


def with_token(arguments, place):
    """The arguments with a token that exists."""
    token = place / "token"
    token.write_text("x")
    return [str(token) if "token" in one and "/" in one else one for one in arguments]


def test_a_wrong_command_is_found():
    with pytest.raises(click.ClickException):
        parse(["serve", "site", "--no-such-option"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_run_commands_that_exist(unit, tmp_path):
    commands = list(commands_of(unit))
    assert commands
    for program, *arguments in commands:
        assert program == "/opt/quintain/bin/quintain"
        parse(with_token(arguments, tmp_path))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_have_users_folders_and_walls(unit):
    given = dict(settings_of(unit))
    users = (DEPLOY / "systemd/quintain.sysusers.conf").read_text()
    assert re.search(rf"^u {given['User']} ", users, re.MULTILINE)
    assert given["User"] != "root"
    assert given["NoNewPrivileges"] == given["ProtectHome"] == given["PrivateTmp"] == "yes"
    assert given["ProtectSystem"] == "strict"
    assert given["CapabilityBoundingSet"] == ""
    folders = (DEPLOY / "systemd/quintain.tmpfiles.conf").read_text()
    for path in given.get("ReadWritePaths", "").split():
        assert re.search(rf"^d {path} ", folders, re.MULTILINE), path


def test_each_kind_of_process_has_a_user_of_its_own():
    users = {unit.stem: dict(settings_of(unit))["User"] for unit in UNITS}
    names = ("quintain-web", "quintain-worker", "quintain-programs")
    assert len({users[name] for name in names}) == 3
    programs = dict(settings_of(DEPLOY / "systemd/quintain-programs.service"))
    assert "-/var/lib/quintain" in programs["InaccessiblePaths"].split()
    assert "EnvironmentFile" not in programs
    web = dict(settings_of(DEPLOY / "systemd/quintain-web.service"))
    assert web["ReadWritePaths"] == "/var/lib/quintain/uploads"


@pytest.mark.parametrize("name", ["quintain-web", "quintain-worker"])
def test_web_and_worker_share_with_their_group(name):
    unit = DEPLOY / f"systemd/{name}.service"
    assert ("Environment", f"{GROUP_READS}=1") in settings_of(unit)
    assert ("Group", "quintain") in settings_of(unit)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_units():
    units = [*UNITS, *DEPLOY.glob("systemd/*.timer")]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in done.stderr.splitlines() if "quintain" in line]
    assert [line for line in ours if "not executable" not in line] == []


# --- containers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OWN)
def test_containers_run_commands_that_exist(name, tmp_path):
    service = OWN[name]
    command = service["command"]
    if service.get("entrypoint") == ["/bin/sh", "-c"]:
        command = words_of(command[0].removeprefix("exec quintain ").replace("$$", "$"))
    assert parse(with_token(command, tmp_path)) in ("serve", "worker", "upgrade", "backup")
    assert service["user"].split(":")[0] in ("10001", "10002", "10003")
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]


def test_every_kind_of_process_is_another_user_and_programs_see_no_file():
    assert len({OWN[name]["user"] for name in ("web", "worker", "programs")}) == 3
    assert OWN["programs"]["volumes"] == ["./worker.token:/run/secrets/worker.token:ro"]
    assert OWN["programs"]["environment"] == {}
    assert "front" not in OWN["worker"]["networks"]
    assert COMPOSE["networks"]["data"]["internal"] is True


def test_volumes_and_networks_are_declared():
    for service in COMPOSE["services"].values():
        assert set(service.get("networks", ())) <= set(COMPOSE["networks"])
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if source.endswith(".token"):  # the operator makes it
                assert f"deploy/{source[2:]}" in (DEPLOY.parent / ".gitignore").read_text()
            elif source.startswith("."):
                assert (DEPLOY / source).is_file(), source
            else:
                assert source in COMPOSE["volumes"]


def test_images_are_pinned():
    images = [one["image"] for name, one in COMPOSE["services"].items() if name not in OWN]
    assert images
    for image in images:
        assert re.search(r":\d+\.\d+", image), image


def test_the_container_file_copies_what_exists_and_is_not_root():
    text = (DEPLOY / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (DEPLOY.parent / source).exists(), source
    assert "USER 10001:10000" in text
    command = re.search(r"^CMD (.+)$", text, re.MULTILINE)
    assert parse(yaml.safe_load(command[1])) == "serve"
    for uid in {one["user"].split(":")[0] for one in OWN.values()}:
        assert f"--uid {uid}" in text


def test_the_extras_of_the_image_exist():
    text = (DEPLOY / "Containerfile").read_text()
    extras = re.findall(r"--extra (\w+)", text)
    assert re.findall(r"--group (\w+)", text) == ["build", "host"]
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]
    assert set(extras) <= set(project["optional-dependencies"])


def test_the_settings_are_valid_and_safe():
    given = Settings(**tomllib.loads((DEPLOY / "site.toml").read_text()))
    assert given.secure
    assert given.proxies == 1
    assert given.second_factor


def test_proxies_hide_the_metrics_and_replace_the_address():
    for name in ("Caddyfile", "nginx.conf"):
        text = (DEPLOY / name).read_text()
        assert "/metrics" in text
        assert "X-Forwarded-For" in text


def test_every_file_is_in_the_list():
    text = (DEPLOY / "README.md").read_text()
    for path in DEPLOY.iterdir():
        if path.name != "README.md":
            assert path.name in text
