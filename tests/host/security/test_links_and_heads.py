"""Links lead to where people reach the site, and HEAD is answered as GET without the body."""

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain_host.serving.opening import bring_up_to_date, open_site, remember_address
from quintain_host.settings import SettingsError, read_settings
from quintain_host.site import ADDRESS, SETTINGS, Site
from tests.host.security.people import account, browser, signed_in


@pytest.fixture
def fresh(tmp_path):
    site = open_site(tmp_path / "site")
    bring_up_to_date(site.database)
    yield site
    site.close()


def add_account(site, email):
    command = ["host", "account", "add", str(site.root), email, "--name", "Ada"]
    return CliRunner().invoke(cli, command).output


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8101"),
        ("0.0.0.0", "http://127.0.0.1:8101"),
        ("::", "http://127.0.0.1:8101"),
        ("::1", "http://[::1]:8101"),
        ("localhost", "http://localhost:8101"),
    ],
)
def test_links_follow_the_port_of_the_server(fresh, host, url):
    remember_address(fresh, host, 8101)
    assert fresh.settings.url == url
    assert f"{url}/set-password/" in add_account(fresh, "ada@example.org")
    remember_address(Site(fresh.root), "127.0.0.1", 9000)  # the next start, elsewhere
    assert "http://127.0.0.1:9000/set-password/" in add_account(fresh, "bob@example.org")


def test_an_address_in_the_settings_comes_first(fresh):
    (fresh.root / SETTINGS).write_text('url = "https://contests.example.org/"\n')
    site = Site(fresh.root)
    remember_address(site, "127.0.0.1", 8101)
    assert site.settings.url == "https://contests.example.org"
    assert not (fresh.root / ADDRESS).exists()
    assert "https://contests.example.org/set-password/" in add_account(fresh, "ada@example.org")


@pytest.mark.parametrize(
    "url", ["https://example.org/contests", "ftp://a", "example.org", "https://a@b", "https://"]
)
def test_an_address_with_a_path_is_refused(tmp_path, url):
    (tmp_path / SETTINGS).write_text(f'url = "{url}"\n')
    with pytest.raises(SettingsError, match="a host, without a path"):
        read_settings(tmp_path / SETTINGS)


def test_no_header_changes_a_link(one_site):
    operator = signed_in(one_site, account(one_site))
    for name in ("X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "Forwarded"):
        answer = operator.get("/account", headers={name: "evil.example"})
        assert answer.status_code == 200 and "evil.example" not in answer.text


@pytest.mark.parametrize("path", ["/", "/sign-in", "/sign-up", "/healthz", "/api/editions"])
def test_head_has_the_headers_of_get_and_no_body(one_site, path):
    client = browser(one_site)
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    names = ("content-type", "content-length", "content-security-policy", "cache-control")
    assert {n: head.headers[n] for n in names} == {n: got.headers[n] for n in names}


@pytest.mark.parametrize(
    ("path", "status"), [("/nowhere", 404), ("/sign-out", 405), ("/account", 401)]
)
def test_head_is_refused_where_get_is(one_site, path, status):
    client = browser(one_site)
    assert client.get(path).status_code == client.head(path).status_code == status


def test_head_changes_nothing_and_is_counted(one_site):
    client = signed_in(one_site, account(one_site))
    client.head("/sign-out")
    assert "your account" in client.get("/").text
    client.head("/sign-in")
    assert 'quintain_requests_total{method="HEAD",route="/sign-in"' in (
        client.app.state.metrics.text().decode()
    )
