"""Choices: a team says which of its submissions count; the intake worker records it."""

from __future__ import annotations

from collections.abc import Sequence

from quintain.errors import Refused
from quintain.host.access import Visitor
from quintain.host.audit_log import log
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.queue.jobs import enqueue
from quintain.host.site import Site
from quintain.journal.events import Chosen
from quintain.runs.submissions.counting import obstacles

MOST = 1000


def choose(
    site: Site, visitor: Visitor, edition: str, track: str, phase: str, numbers: Sequence[int]
) -> int:
    """Let a worker record which submissions of a phase count; returns the number of the job.

    Parameters
    ----------
    numbers : the events of the submissions; none means that the last ones count again.
    """
    visitor.require_scope("submit")
    team = visitor.team_in(edition)
    if len(numbers) > MOST:
        raise Refused(f"at most {MOST} submissions can be chosen")
    wanted = tuple(sorted(set(numbers)))
    event = Chosen(team=team, track=track, phase=phase, submissions=wanted)
    folder, state = site.folder(edition), contest_state(site, edition)
    own = list(folder.journal().submissions(team))
    now = site.clock.now()
    rules = shown_rules(site, edition)
    for obstacle in obstacles(rules, state, own, event, now):
        raise obstacle
    kind = next(one.submit for one in rules.track_by_id(track).phase if one.id == phase)
    arguments = {"track": track, "phase": phase, "kind": kind, "submissions": list(wanted)}
    with site.database.writing(edition) as session:
        job = enqueue(
            session,
            edition,
            "intake",
            "choose",
            now=now,
            team=team,
            account=visitor.account,
            arguments=arguments,
        )
        log(session, site, visitor, "team.choose", edition, team=team, submissions=list(wanted))
        return job.id
