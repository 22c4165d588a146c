"""A timestamp authority for tests: ``openssl ts`` of the machine signs, behind a small server.

Its certificates are made for the test. It answers as a real authority does (RFC 3161 over HTTP);
``broken`` lets it fail as such servers do.
"""

import datetime
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CONFIG = """\
[tsa]
default_tsa = clock
[clock]
serial = {root}/serial
signer_cert = {root}/tsa.pem
signer_key = {root}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
tsa_name = yes
ess_cert_id_alg = sha256
"""


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(subject, issuer, key, signer, *extensions):
    builder = x509.CertificateBuilder(
        issuer_name=_name(issuer),
        subject_name=_name(subject),
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
        not_valid_after=datetime.datetime(2099, 1, 1, tzinfo=datetime.UTC),
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=True)
    return builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM)


class Authority:
    """Certificates and a signer in a folder; ``url`` while it serves."""

    def __init__(self, root: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("there is no openssl on PATH, which signs timestamps here")
        self.root = root
        self.url = ""
        self.broken = ""
        self.requests = 0
        ca, key = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
        self.certificate = _certificate(
            "Test root", "Test root", ca, ca, x509.BasicConstraints(ca=True, path_length=None)
        )
        signer = _certificate(
            "Test clock",
            "Test root",
            key,
            ca,
            x509.BasicConstraints(ca=False, path_length=None),
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]),
        )
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        for name, content in {
            "ca.pem": self.certificate,
            "tsa.pem": signer,
            "tsa.key": private,
            "serial": b"01\n",
            "openssl.cnf": CONFIG.format(root=root).encode(),
        }.items():
            (root / name).write_bytes(content)

    @property
    def certificate_file(self) -> Path:
        return self.root / "ca.pem"

    def answer(self, query: bytes) -> bytes:
        """Sign a request."""
        (self.root / "query.tsq").write_bytes(query)
        config, out = self.root / "openssl.cnf", self.root / "answer.tsr"
        command = ["openssl", "ts", "-reply", "-config", config, "-queryfile"]
        command += [self.root / "query.tsq", "-out", out]
        subprocess.run(command, check=True, capture_output=True)
        return out.read_bytes()

    def stamp(self, message: bytes) -> bytes:
        """A timestamp of some bytes."""
        from quintain.journal.timestamp import request_timestamp

        return self.answer(request_timestamp(message).content)

    def serve(self):
        """Start the server; call ``shutdown`` of what this returns."""
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                authority.requests += 1
                query = self.rfile.read(int(self.headers["Content-Length"]))
                assert self.headers["Content-Type"] == "application/timestamp-query"
                if authority.broken == "500":
                    self.send_error(500)
                    return
                content = {
                    "": lambda: authority.answer(query),
                    "nonsense": lambda: b"<html>under construction</html>",
                    "endless": lambda: b"x" * 300_000,
                    "other": lambda: authority.stamp(b"something else"),
                }[authority.broken]()
                self.send_response(200)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_port}/tsr"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server
