"""Amend: a new version of the rules while the contest runs, with a reason for everybody.

Every version stays in the folder, because a submission is judged by the rules of its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from quintain.commitment import sha256
from quintain.contests import Edition
from quintain.contests.redaction import redact_names
from quintain.errors import EditionError, Faults, Refused
from quintain.journal.events import Rules
from quintain.journal.state import State, require_running
from quintain.runs.folder import paths
from quintain.runs.folder.changes import changed_keys
from quintain.runs.folder.commitments import commit
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.own_data import keep_own_data
from quintain.runs.folder.privacy import write
from quintain.runs.folder.record import record, writing
from quintain.runs.folder.rules import committed_rules, rules_files
from quintain.runs.organising.reasons import checked_reason
from quintain.runs.organising.rule_changes import forbidden_changes


@dataclass(frozen=True, slots=True)
class Amendment:
    """A new version of the rules.

    Parameters
    ----------
    changes : the keys that differ from the rules that were in force.
    other_teams : teams that only one of the versions names; amending changes no team.
    """

    event: Rules
    changes: tuple[str, ...]
    other_teams: tuple[str, ...]


def amend(folder: Folder, rules: Edition, why: str, *, now: datetime | None = None) -> Amendment:
    """Put a new version of the rules in force, or refuse it with everything it must not change."""
    folder.require_secrets()
    reason = checked_reason(why)
    with writing(folder) as journal:
        state, last = folder.state(), folder.rules()
        if not state.rules:
            raise Refused("no rules are fixed yet; change the edition file, then prepare")
        require_running(state)
        after = redact_names(rules).model_copy(update={"team": last.team})
        other_teams = sorted({t.id for t in rules.team} ^ {t.id for t in last.team})
        used = {(one.track, one.phase) for one in journal.submissions()}
        _refuse(_in_force(state, last), after, state, used, other_teams)
        event = _write(folder, after, len(state.rules) + 1, reason, state)
        event = record(folder, journal, event, now=now or datetime.now(UTC)).event
    changes = changed_keys(_in_force(state, last), after)
    return Amendment(event, tuple(changes), tuple(other_teams))


def _in_force(state: State, last: Edition) -> Edition:
    """The last version with its extended phases; its teams as they are written."""
    return state.in_force(last).model_copy(update={"team": last.team})


def _refuse(
    before: Edition,
    after: Edition,
    state: State,
    used: set[tuple[str, str]],
    other_teams: list[str],
) -> None:
    faults = Faults()
    for change in forbidden_changes(before, after, state, used):
        faults.add(change)
    faults.raise_if_any(EditionError)
    if before.to_bytes() == after.to_bytes():
        hint = f"; [[team]] changes no team, use quintain team: {', '.join(other_teams)}"
        raise Refused(f"nothing changes{hint if other_teams else ''}")


def _write(folder: Folder, rules: Edition, version: int, reason: str, state: State) -> Rules:
    """Write and commit to a version; its event puts it in force."""
    keep_own_data(folder.root, rules, version)
    files = rules_files(rules, version)
    for path in (path for path in files if path != paths.RULES):
        write(folder.root, path, files[path], durable=True)
    root = commit(folder, f"rules-{version}", committed_rules(rules, version))
    digest = sha256(files[paths.rules(version)])
    return Rules(version=version, rules=digest, commitment=root, key=state.key, reason=reason)
