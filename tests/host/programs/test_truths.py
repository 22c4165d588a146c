"""Truths: the web process opens nothing that is secret, and works as a user who could not."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from quintain.jobs.files import GROUP_READS
from tests.host import contest_on_site as contest
from tests.host.matrix.personas import PEOPLE, staged
from tests.host.matrix.route_table import ROUTES
from tests.host.matrix.test_routes import filled, present

ROOT = Path(__file__).resolve().parents[3]
GROUP, WEB = 61_000, 61_001
VISITORS = ("captain", "organiser")


@pytest.fixture(scope="module")
def stage(new_site):
    """A contest in the middle, whose files a group may read, where another user can get to."""
    with (
        tempfile.TemporaryDirectory(prefix="quintain-truths-") as place,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv(GROUP_READS, "1")
        site = new_site(Path(place), "sqlite")
        yield staged(site)
        site.close()


@pytest.fixture(scope="module")
def visits(stage):
    """Every page and every route of the API that can be read, as several kinds of visitors."""
    looks = [path for method, path in present(stage, sorted(ROUTES)) if method == "GET"]
    assert len(looks) > 40
    cookies = {
        person: contest.cookie(stage.site, contest.account_of(stage.site, PEOPLE[person]))
        for person in VISITORS
        if PEOPLE[person]
    }
    return [
        ["GET", filled(stage, path), cookies.get(person, "")]
        for path in looks
        for person in VISITORS
        if path != "/static"
    ]


@pytest.fixture(scope="module")
def report(stage, visits):
    """What a web process did that served all this; another user than the workers, if possible."""
    user = _let_in(stage.site.root) if os.geteuid() == 0 else ()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    program = [sys.executable, "-m", "tests.host.programs.web_visits"]
    done = subprocess.run(
        [*program, str(stage.site.root), *map(str, user)],
        input=json.dumps(visits),
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def _let_in(root):
    """Let the web process be another user: it writes rows and uploads, and reads what it may."""
    for path in [root, *root.rglob("*")]:
        os.chown(path, -1, GROUP)
    for path in (root, root / "uploads", *root.glob("site.db*")):
        os.chown(path, WEB, GROUP)
    return WEB, GROUP


@pytest.mark.slow
def test_the_web_process_opens_nothing_that_is_secret(report):
    assert report["opened"] == []
    assert report["statuses"]["200"] > 40


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_the_web_process_works_as_a_user_who_can_read_no_secret(stage, report):
    seeds = stage.site.edition_root("rounds") / "secret/seeds.json"
    closed = subprocess.run(
        ["/bin/cat", str(seeds)],
        user=WEB,
        group=GROUP,
        extra_groups=[],
        capture_output=True,
        check=False,
    )
    assert b"Permission denied" in closed.stderr
    assert report["user"] == WEB
    assert [status for status in report["statuses"] if status >= "500"] == []
