"""The benchmarks of several machines without their processes: their site and their checks."""

from benchmarks.host.fault_checks import problems_of
from benchmarks.host.fault_stage import make_stage
from benchmarks.host.intake import fill
from benchmarks.host.machines import restored_wrongly, throughput

from tests.host import contest_on_site as contest


def test_a_small_site_with_a_store_is_checked_and_restored(postgres, tmp_path):
    store = f"file://{tmp_path}/store"
    url = postgres.url(postgres.create())
    stage = make_stage(tmp_path / "main", 1, database=url, lease=1.0, store=store)
    fill(stage, 2)
    assert contest.drain(stage.site) == 0  # nothing may start yet
    with stage.site.database.writing("queue") as session:
        for job in contest.jobs(stage.site, "check"):
            session.merge(job).not_before = None
    contest.drain(stage.site)
    assert 0 < throughput(stage) <= 2
    assert problems_of(stage.site, {}) == []
    assert restored_wrongly(stage, tmp_path, postgres, store) == []
    stage.site.close()
