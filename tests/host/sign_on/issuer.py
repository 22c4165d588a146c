"""Issuer: a provider of OpenID Connect on this machine, honest until a test says otherwise.

It has discovery, the authorization code flow with PKCE (S256 only), codes that work once, client
secrets, keys, signed ID tokens and user info, as OpenID Connect Core says.
"""

import base64
import hashlib
import json
import secrets
import threading
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlencode, urlsplit

CLIENT = "quintain-site"
SECRET = "a secret of the site"

DOOR = """<!doctype html><html lang="en"><title>Campus</title><h1>Campus</h1>
<form method="post" action="/authorize?{}"><button>I am {}</button></form>
<form method="post" action="/authorize?{}&deny=1"><button>Stop</button></form>"""


@cache
def rsa_key(name):
    """A key that signs; making one takes a while."""
    from joserfc.jwk import RSAKey

    return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})


class Issuer:
    """The state of the provider.

    Parameters
    ----------
    clock : the clock of the site under test.
    person : who signs in: the claims of user info.
    """

    def __init__(self, clock, port) -> None:
        from joserfc.jwk import ECKey, KeySet

        self.clock, self.url = clock, f"http://127.0.0.1:{port}"
        self.person = {
            "sub": "ada-1815",
            "name": "Ada Lovelace",
            "email": "ada@campus.example",
            "email_verified": True,
        }
        self.key = rsa_key("first")
        self.keys = KeySet([self.key, ECKey.generate_key("P-256", {"kid": "second", "use": "sig"})])
        self.codes: dict[str, dict] = {}
        self.calls: list[str] = []
        # What a test changes to make it lie.
        self.claims: dict = {}
        self.facts: dict = {}
        self.in_token = ("name", "email", "email_verified")
        self.info: dict = {}
        self.sign = self._sign
        self.asks = False

    def metadata(self):
        """What it says about itself."""
        here = self.url
        return {
            "issuer": here,
            "authorization_endpoint": f"{here}/authorize",
            "token_endpoint": f"{here}/token",
            "userinfo_endpoint": f"{here}/me",
            "jwks_uri": f"{here}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            **self.facts,
        }

    def authorize(self, query, denied=False):
        """Where the browser goes back to."""
        assert query["client_id"] == CLIENT and query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256" and "openid" in query["scope"].split()
        answer = {"state": query["state"], "iss": self.url}
        if denied:
            answer["error"] = "access_denied"
        else:
            answer["code"] = secrets.token_urlsafe(16)
            self.codes[answer["code"]] = query
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def token(self, form, authorization):
        """The status and the answer of the token endpoint."""
        pair = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != f"Basic {pair}":
            return 401, {"error": "invalid_client"}
        query = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            query is None
            or form.get("grant_type") != "authorization_code"
            or form.get("redirect_uri") != query["redirect_uri"]
            or challenge != query["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(self.clock.now().timestamp())
        claims = {
            "iss": self.url,
            "sub": self.person["sub"],
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": query["nonce"],
            **{name: self.person[name] for name in self.in_token if name in self.person},
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        answer = {"access_token": "opaque", "token_type": "Bearer", "expires_in": 300}
        return 200, {**answer, "id_token": self.sign(claims)}

    def _sign(self, claims):
        from joserfc import jwt

        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self):
        issuer, parts = self.server.issuer, urlsplit(self.path)
        issuer.calls.append(parts.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            self._answer(200, issuer.metadata())
        elif parts.path == "/keys":
            self._answer(200, issuer.keys.as_dict())
        elif parts.path == "/me" and self.headers["authorization"] == "Bearer opaque":
            self._answer(200, {**issuer.person, **issuer.info})
        elif parts.path == "/authorize" and issuer.asks:
            name, again = issuer.person["name"], parts.query.replace("&", "&amp;")
            self._send(200, DOOR.format(again, name, again).encode(), "text/html")
        elif parts.path == "/authorize":
            self._leave(issuer.authorize(query))
        else:
            self._answer(404, {"error": "not_found"})

    def do_POST(self):
        issuer, parts = self.server.issuer, urlsplit(self.path)
        issuer.calls.append(parts.path)
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        if parts.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self._leave(issuer.authorize(query, denied="deny" in query))
            return
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self._answer(*issuer.token(form, self.headers["authorization"]))

    def _answer(self, status, value):
        self._send(status, json.dumps(value).encode(), "application/json")

    def _leave(self, url):
        self.send_response(302)
        self.send_header("Location", quote(url, safe=":/?&=%-_.~"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        """Say nothing."""


@contextmanager
def open_issuer(clock):
    """An issuer that answers at a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.issuer = Issuer(clock, server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sign_on_table(provider, **changes):
    """The table ``[[sign_on]]`` of a site that uses a provider."""
    return {
        "id": "campus",
        "title": "Campus",
        "issuer": provider.url,
        "client_id": CLIENT,
        "client_secret": SECRET,
        **changes,
    }
