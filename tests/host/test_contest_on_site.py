"""A whole contest through the queue, on every database: the engine verifies what the host did."""

from quintain.runs.verification.verify import verify
from quintain_host.intake.intake import take
from tests.host import contest_on_site as contest
from tests.host.replayed import Replayed


def test_a_contest_through_the_queue_verifies(site, tmp_path):
    edition = contest.prepared(site)
    teams = {name: contest.team(site, edition, name) for name in ("red", "blue")}
    for name, captain in teams.items():
        take(site, captain, edition, contest.release(site, edition, name))
    contest.drain(site)
    site.clock.set(contest.at(10))
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    site.clock.set(contest.at(11))
    for name, captain in teams.items():
        take(site, captain, edition, contest.zipped(contest.guess(site, edition, name)))
    contest.drain(site)
    site.clock.set(contest.at(21))
    contest.request(site, edition, "scoring", "reveal")
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 4
    assert {job.state for job in contest.jobs(site)} == {"done"}
    assert verify(site.folder(edition)).problems == ()
    assert Replayed(site.folder(edition), tmp_path / "again").differences() == []
