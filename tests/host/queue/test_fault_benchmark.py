"""The benchmark of faults without its processes: its site and its checks."""

from benchmarks.host.fault_checks import problems_of, settle, summary
from benchmarks.host.fault_stage import ANSWER, make_stage

from quintain_host.database.work import Upload
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest

GUESS = b"row\n1\n2\n3\n4\n5\n"


def test_the_benchmark_of_faults_sees_what_is_lost(tmp_path):
    stage = make_stage(tmp_path / "site", 1, database="", lease=1.0)
    site = stage.site
    captain = contest.visitor(site, "team-1")
    first, second = (take(site, captain, "faults", {ANSWER: GUESS}).upload for _ in range(2))
    assert any("is waiting" in one for one in problems_of(site, {first: GUESS}))
    contest.drain(site)
    assert settle(site) < 1
    assert summary(site)["uploads accepted"] == 2
    sent = {first: GUESS, second: GUESS}
    assert problems_of(site, sent) == []
    with site.database.writing("faults") as session:
        session.get_one(Upload, first).receipt = None
        session.delete(session.get_one(Upload, second))
    problems = "\n".join(problems_of(site, sent))
    assert f"upload {second} was acknowledged and is lost" in problems
    assert f"upload {first} has no receipt" in problems
    assert "uploads and events differ" in problems
    site.close()
