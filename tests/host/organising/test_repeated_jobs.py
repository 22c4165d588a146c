"""A worker may die after an event and before it says so; the next one changes nothing twice."""

import pytest

from quintain.contests.roster import Quota
from quintain_host.database.work import QueuedJob
from quintain_host.organising import registrations, rejudging, steps
from tests.host.contest_on_site import ROUNDS, at, drain, jobs
from tests.host.organising.played import EDITION, approved, begun, olga, released


@pytest.fixture(scope="module")
def site(new_site, tmp_path_factory):
    made = new_site(tmp_path_factory.mktemp("repeated"))
    begun(made)
    approved(made, "red")
    released(made, "red")
    yield made
    made.close()


def done_twice(site, job):
    """Do a job, and do it again as if nobody knew that it is done."""
    drain(site)
    size = site.folder(EDITION).journal().size()
    with site.database.writing("queue") as session:
        row = session.get_one(QueuedJob, job)
        assert (row.state, row.reason) == ("done", "")
        row.state = "waiting"
    drain(site)
    (row,) = [one for one in jobs(site) if one.id == job]
    assert (row.state, row.reason, row.attempt) == ("done", "", 2)
    assert site.folder(EDITION).journal().size() == size


def test_no_event_is_recorded_twice(site):
    person = olga(site)
    until = at(10, 6)
    done_twice(
        site, steps.extend(site, person, EDITION, "main", "anonymize", until, "the site was down")
    )
    limits = Quota(total=4)
    done_twice(site, registrations.set_limits(site, person, EDITION, "red", limits, "a wish"))
    done_twice(site, steps.decide(site, person, EDITION, "disqualified", "red", "a mistake"))
    done_twice(site, steps.decide(site, person, EDITION, "reinstated", "red", "it was ours"))
    longer = ROUNDS.replace("05-20", "05-22").replace("05-10T00", "05-10T06")
    done_twice(site, steps.amend(site, person, EDITION, longer, "holidays"))
    done_twice(site, steps.prepare(site, person, EDITION))
    site.clock.set(at(10, 13))
    done_twice(site, steps.hand_over(site, person, EDITION))
    number = rejudging.start(site, person, EDITION, "look again")
    done_twice(site, jobs(site, "rejudge")[-1].id)
    rejudging.apply(site, person, EDITION, number)
    done_twice(site, jobs(site, "apply-rejudging")[-1].id)
    site.clock.set(at(23))
    done_twice(site, steps.freeze(site, person, EDITION))
    done_twice(site, steps.reveal(site, person, EDITION, EDITION))
    assert [job.reason for job in jobs(site) if job.state == "failed"] == []
