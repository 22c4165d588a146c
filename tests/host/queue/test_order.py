"""Order: nobody waits longer than the others, and nobody overtakes within an edition."""

from hypothesis import given, settings
from hypothesis import strategies as st

from quintain_host.queue import JobHead, next_job, place_of


def waiting(number, lane, edition, team, kind="join"):
    return JobHead(number, lane, place_of(lane, edition, team), kind, team)


JOBS = st.lists(
    st.builds(
        waiting,
        number=st.just(0),
        lane=st.sampled_from(["intake", "program"]),
        edition=st.sampled_from(["amic", "darc"]),
        team=st.sampled_from(["red", "blue", "green", None]),
        kind=st.sampled_from(["join", "check", "try"]),
    ),
    max_size=25,
).map(lambda jobs: [job._replace(id=number + 1) for number, job in enumerate(jobs)])


def line(job):
    return job.lane, job.place


def heads(jobs):
    """The oldest job of each line."""
    oldest = {}
    for job in jobs:
        oldest.setdefault(line(job), job)
    return list(oldest.values())


def served(jobs):
    """The order in which one worker does the jobs."""
    left, turns, order = list(jobs), {}, []
    while left:
        number = next_job(heads(left), [], turns)
        job = next(one for one in left if one.id == number)
        turns[line(job)] = max(turns.values(), default=0) + 1
        left.remove(job)
        order.append(job)
    return order


@given(JOBS)
@settings(max_examples=60)
def test_a_place_is_not_served_twice_while_another_one_waits(jobs):
    order = [line(job) for job in served(jobs)]
    for number, one in enumerate(order):
        rest = order[number + 1 :]
        if one in rest:
            assert set(rest[: rest.index(one)]) == set(rest) - {one}


@given(JOBS)
@settings(max_examples=60)
def test_the_jobs_of_a_place_keep_their_order(jobs):
    order = served(jobs)
    assert sorted(order) == jobs
    for one in {line(job) for job in jobs}:
        numbers = [job.id for job in order if line(job) == one]
        assert numbers == sorted(numbers)


@given(JOBS, st.data())
@settings(max_examples=60)
def test_only_checks_of_different_teams_run_side_by_side(jobs, data):
    number = data.draw(st.integers(0, len(jobs)))
    running, left = jobs[:number], heads(jobs[number:])

    def fits(head, job):
        checks = {head.kind, job.kind} <= {"check", "try"} and head.team != job.team
        return line(head) != line(job) or checks

    free = [head for head in left if all(fits(head, job) for job in running)]
    chosen = next_job(left, running, {})
    assert chosen == (min(head.id for head in free) if free else None)


def test_a_team_with_many_programs_does_not_make_others_wait():
    many = [waiting(number, "program", "amic", "red") for number in range(1, 50)]
    late = waiting(50, "program", "amic", "blue")
    assert served([*many, late]).index(late) == 1


def test_an_edition_with_many_uploads_does_not_make_others_wait():
    many = [waiting(number, "intake", "amic", "red") for number in range(1, 50)]
    late = waiting(50, "intake", "darc", "blue")
    assert served([*many, late]).index(late) == 1
