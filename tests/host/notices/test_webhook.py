"""Webhooks: signed, to the public network alone, without redirects."""

import hashlib
import hmac
import http.server
import json
import ssl
import threading
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

from quintain_host.access import BadInput
from quintain_host.notices import outbox, webhook
from quintain_host.notices.contacts import choose_webhook, own_contact
from quintain_host.notices.webhook import (
    NotDelivered,
    Undeliverable,
    checked_url,
    is_public,
    post,
    sign_body,
)
from tests.host import contest_on_site as contest
from tests.host.notices.people import deliver, letters

SIGNED = sign_body("key", b"{}", delivery="1", time=5)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/x",
        "ftp://hooks.example.org",
        "https://",
        "https://user:secret@hooks.example.org",
        "https://hooks.example.org/a b",
        "https://hooks.example.org/\r\nX: y",
        "https://hooks.example.org:99999/",
        r"https://hooks.example.org\@10.0.0.1",
        "https://höst.example",
        "https://[::1",
        "https://a.example/" + "x" * 600,
    ],
)
def test_an_address_that_is_no_webhook_is_refused(url):
    with pytest.raises(BadInput):
        checked_url(url)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "240.0.0.1"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"),
    ],
)
def test_no_address_inside_a_network_is_public(address):
    assert not is_public(address)
    with pytest.raises(Undeliverable, match="public address"):
        post("https://hooks.example.org/", SIGNED, find=lambda *_: [address])
    with pytest.raises(Undeliverable):  # one bad address among good ones is enough
        post("https://hooks.example.org/", SIGNED, find=lambda *_: ["93.184.215.14", address])


@given(st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="127.0.0.0/8"))
def test_whatever_form_hides_it(address):
    assert not is_public(f"::ffff:{address}")
    assert not is_public(f"64:ff9b::{int(address) >> 16:x}:{int(address) & 0xFFFF:x}")


def test_public_addresses_are_public():
    assert is_public("93.184.215.14")
    assert is_public("2606:2800:21f:cb07:6820:80da:af6b:8b2c")


def test_an_address_in_the_url_is_looked_at_too():
    for host in ("127.0.0.1", "[::1]", "2130706433", "0x7f000001", "localhost"):
        with pytest.raises((Undeliverable, NotDelivered)):
            post(f"https://{host}/", SIGNED)


class Receiver:
    """A program behind a webhook, on this machine, with a certificate for hooks.example.org."""

    def __init__(self, folder):
        self.requests, self.status, self.delay = [], 200, 0.0
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, dict(self.headers), body))
                self.send_response(receiver.status)
                if receiver.status in (301, 302, 307):
                    self.send_header("Location", f"https://hooks.example.org:{receiver.port}/b")
                self.end_headers()

            def log_message(self, *_arguments): ...

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        key, certificate = _certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.trust = ssl.create_default_context(cafile=str(certificate))
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def url(self):
        return f"https://hooks.example.org:{self.port}/a?b=1"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def _certificate(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "hooks.example.org")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example.org")]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "key.pem", folder / "certificate.pem"
    private = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    paths[0].write_bytes(key.private_bytes(serialization.Encoding.PEM, *private))
    paths[1].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return paths


@pytest.fixture
def receiver(tmp_path_factory, monkeypatch):
    """A receiver that counts as public."""
    monkeypatch.setattr(webhook, "is_public", lambda address: True)
    receiver = Receiver(tmp_path_factory.mktemp("tls"))
    yield receiver
    receiver.close()


def here(_host, _port):
    return ["127.0.0.1"]


def test_what_is_sent_is_signed(receiver):
    signed = sign_body("key", b'{"a": 1}', delivery="7", time=5)
    post(receiver.url, signed, find=here, context=receiver.trust)
    ((path, headers, body),) = receiver.requests
    assert (path, body) == ("/a?b=1", b'{"a": 1}')
    digest = hmac.new(b"key", b'5.{"a": 1}', hashlib.sha256).hexdigest()
    assert headers["Quintain-Signature"] == f"sha256={digest}"
    assert (headers["Quintain-Time"], headers["Quintain-Delivery"]) == ("5", "7")
    assert headers["Host"] == f"hooks.example.org:{receiver.port}"


@pytest.mark.parametrize(
    ("status", "problem"),
    [(302, Undeliverable), (307, Undeliverable), (410, Undeliverable), (500, NotDelivered)],
)
def test_redirects_are_refused_and_faults_are_tried_again(receiver, status, problem):
    receiver.status = status
    with pytest.raises(problem):
        post(receiver.url, SIGNED, find=here, context=receiver.trust)
    assert len(receiver.requests) == 1


def test_a_certificate_of_nobody_is_refused(receiver):
    with pytest.raises(NotDelivered):
        post(receiver.url, SIGNED, find=here)
    assert receiver.requests == []


def test_a_server_that_never_answers_is_left(monkeypatch, receiver):
    import socket

    monkeypatch.setattr(webhook, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://hooks.example.org:{silent.getsockname()[1]}/"
        with pytest.raises(NotDelivered):
            post(url, SIGNED, find=here, context=receiver.trust)


def test_a_notice_reaches_the_program_of_a_person(one_site, receiver, monkeypatch):
    site = one_site
    edition = contest.prepared(site)
    red = contest.visitor(site, "red")
    choose_webhook(site, red, receiver.url)
    key = own_contact(site, red).webhook_key
    send = outbox.post
    monkeypatch.setattr(
        outbox, "post", lambda url, signed: send(url, signed, find=here, context=receiver.trust)
    )
    contest.team(site, edition, "red")
    receiver.status = 503
    assert deliver(site, "webhook") == 1
    assert deliver(site, "webhook") == 0
    receiver.status = 204
    site.clock.wait(minutes=2)
    assert deliver(site, "webhook") == 1
    body = receiver.requests[-1][2]
    content, headers = json.loads(body), receiver.requests[-1][1]
    assert content["title"] == "Your team takes part"
    assert content["link"].endswith(f"/contests/{edition}/team")
    signed = f"{headers['Quintain-Time']}.".encode() + body
    right = hmac.new(key.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["Quintain-Signature"] == f"sha256={right}"
    assert receiver.requests[0][1]["Quintain-Delivery"] == headers["Quintain-Delivery"]
    assert [letter.state for letter in letters(site)] == ["sent"]
