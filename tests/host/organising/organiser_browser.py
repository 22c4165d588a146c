"""A browser of an organiser, for tests: it fills in forms with the token of its session."""

import re

from fastapi.testclient import TestClient

from quintain_host.web.app import make_app
from tests.host.contest_on_site import account_of, cookie


class Browser:
    """Somebody who is signed in."""

    def __init__(self, site, name, app=None):
        self.client = TestClient(
            app or make_app(site), base_url=site.settings.url, follow_redirects=False
        )
        self._token = ""
        if name:
            self.client.cookies.set("quintain", cookie(site, account_of(site, name)))

    def get(self, path):
        return self.client.get(path)

    def page(self, path):
        """The text of a page that has to be there."""
        response = self.get(path)
        assert response.status_code == 200, (path, response.status_code, response.text)
        return response.text

    def token(self):
        """What forms of this session bring along."""
        if not self._token:
            text = self.page("/account")
            self._token = re.findall(r'name="csrf" value="([^"]+)"', text)[0]
        return self._token

    def post(self, path, files=None, **fields):
        """Send a form."""
        return self.client.post(path, data={"csrf": self.token(), **fields}, files=files)

    def sent(self, path, **fields):
        """Send a form that has to work; returns the page after it."""
        response = self.post(path, **fields)
        assert response.status_code == 303, (path, response.status_code, response.text)
        return self.page(response.headers["location"].partition("#")[0])

    def api(self, method, path, **options):
        """Ask the API, with the token of the session in its header."""
        headers = {"X-CSRF-Token": self.token()} if method != "GET" else {}
        return self.client.request(method, f"/api{path}", headers=headers, **options)
