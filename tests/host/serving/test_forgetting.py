"""Forgetting: what is known of a person is removed for good, and nothing else."""

from click.testing import CliRunner

from quintain.cli.main import cli
from quintain_host.accounts.sessions import visitor_with_cookie
from quintain_host.database.people import Account
from quintain_host.site import Site
from tests.host import contest_on_site as contest


def test_a_person_is_forgotten(sqlite_site):
    edition = contest.prepared(sqlite_site)
    red = contest.team(sqlite_site, edition, "red")
    cookie = contest.cookie(sqlite_site, red.account)
    given = ["host", "account", "forget", str(sqlite_site.root), "red@example.org"]
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, (done.output, done.exception)
    again = Site(sqlite_site.root, clock=sqlite_site.clock)
    with again.database.reading() as session:
        row = session.get_one(Account, red.account)
    assert (row.email, row.name) == (f"forgotten-{red.account}@invalid", "Forgotten")
    assert row.disabled is not None
    assert not row.operator
    assert visitor_with_cookie(again, cookie).account is None
    assert "red" in again.folder(edition).state().roster.ids
    again.close()
    assert CliRunner().invoke(cli, given).exit_code == 1
