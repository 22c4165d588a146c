"""The audit log: a chain that shows every change of it."""

import pytest
from sqlalchemy import delete, update

from quintain.errors import NotVerified
from quintain_host.access import Visitor
from quintain_host.audit_log import START, Head, log, verify_log
from quintain_host.database.work import LogLine


def write(site, count=4):
    with site.database.writing("accounts") as session:
        for number in range(count):
            log(session, site, Visitor(account=7), "team.approve", "amic", team=f"t{number}")
        log(session, site, None, "site.start")


def change(site, statement):
    with site.database.writing("anything") as session:
        session.execute(statement)


def test_an_empty_log_is_right(site):
    assert verify_log(site) == Head(0, START)


def test_lines_are_chained_over_transactions(site):
    write(site)
    first = verify_log(site)
    assert first.lines == 5
    write(site, 1)
    assert verify_log(site).lines == 7
    with site.database.reading() as session:
        line = session.get_one(LogLine, 1)
        assert (line.account, line.edition, line.details) == (7, "amic", {"team": "t0"})
        assert session.get_one(LogLine, 6).previous == first.hash


def test_a_line_goes_with_its_transaction(site):
    with pytest.raises(RuntimeError), site.database.writing("accounts") as session:
        log(session, site, None, "site.start")
        raise RuntimeError
    assert verify_log(site).lines == 0


@pytest.mark.parametrize(
    "values",
    [{"account": 8}, {"details": {"team": "t9"}}, {"action": "x"}, {"hash": "0" * 64}],
)
def test_a_changed_line_is_noticed(site, values):
    write(site)
    change(site, update(LogLine).where(LogLine.number == 2).values(**values))
    with pytest.raises(NotVerified, match="line 2 of the audit log was changed"):
        verify_log(site)


def test_a_missing_line_is_noticed(site):
    write(site)
    change(site, delete(LogLine).where(LogLine.number == 3))
    with pytest.raises(NotVerified, match="line 3 of the audit log is missing"):
        verify_log(site)
