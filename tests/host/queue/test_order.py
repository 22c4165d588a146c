"""Order: nobody waits longer than the others, and nobody overtakes within an edition."""

from collections import namedtuple

from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.host.queue import next_job, place_of

Waiting = namedtuple("Waiting", "id lane edition team")

JOBS = st.lists(
    st.builds(
        Waiting,
        id=st.just(0),
        lane=st.sampled_from(["intake", "program"]),
        edition=st.sampled_from(["amic", "darc"]),
        team=st.sampled_from(["red", "blue", "green", None]),
    ),
    max_size=25,
).map(lambda jobs: [job._replace(id=number + 1) for number, job in enumerate(jobs)])


def place(job):
    return place_of(job.lane, job.edition, job.team)


def served(jobs):
    """The order in which one worker does the jobs."""
    left, turns, order = list(jobs), {}, []
    while left:
        number = next_job(left, set(), turns)
        job = next(one for one in left if one.id == number)
        turns[place(job)] = max(turns.values(), default=0) + 1
        left.remove(job)
        order.append(job)
    return order


@given(JOBS)
@settings(max_examples=60)
def test_a_place_is_not_served_twice_while_another_one_waits(jobs):
    order = [place(job) for job in served(jobs)]
    for number, one in enumerate(order):
        rest = order[number + 1 :]
        if one in rest:
            assert set(rest[: rest.index(one)]) == set(rest) - {one}


@given(JOBS)
@settings(max_examples=60)
def test_the_jobs_of_a_place_keep_their_order(jobs):
    order = served(jobs)
    assert sorted(order) == jobs
    for one in {place(job) for job in jobs}:
        numbers = [job.id for job in order if place(job) == one]
        assert numbers == sorted(numbers)


@given(JOBS, st.data())
@settings(max_examples=60)
def test_a_busy_place_gets_no_second_worker(jobs, data):
    places = sorted({place(job) for job in jobs})
    busy = data.draw(st.sets(st.sampled_from(places))) if places else set()
    number = next_job(jobs, busy, {})
    free = [job for job in jobs if place(job) not in busy]
    assert (number is None) == (not free)
    assert number is None or number == free[0].id


def test_a_team_with_many_programs_does_not_make_others_wait():
    many = [Waiting(number, "program", "amic", "red") for number in range(1, 50)]
    late = Waiting(50, "program", "amic", "blue")
    assert served([*many, late]).index(late) == 1


def test_an_edition_with_many_uploads_does_not_make_others_wait():
    many = [Waiting(number, "intake", "amic", "red") for number in range(1, 50)]
    late = Waiting(50, "intake", "darc", "blue")
    assert served([*many, late]).index(late) == 1
