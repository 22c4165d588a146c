"""A server that speaks as much S3 as a store needs, for tests: in memory, in a thread.

moto would do more, but it needs an older version of a library than our other packages. A real
server takes its place with ``QUINTAIN_TEST_S3``.
"""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

LONG_AGO = "Fri, 01 May 2026 12:00:00 GMT"


class BucketServer:
    """A server with one bucket, which runs until :meth:`stop`."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), BucketRequest)
        self._server.daemon_threads = True
        self._server.objects, self._server.parts, self._server.refuses = {}, {}, False
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def refuse(self) -> None:
        """Answer everything as if the keys were too old."""
        self._server.refuses = True

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


class BucketRequest(BaseHTTPRequestHandler):
    """One request: put, get, head, list, delete, or a step of an upload in several parts."""

    protocol_version = "HTTP/1.1"

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        if self.server.refuses:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        return not self.server.refuses

    def _address(self) -> tuple[str, dict[str, str]]:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        name = unquote(parts.path).removeprefix("/bucket").removeprefix("/")
        return name, {key: values[0] for key, values in query.items()}

    def do_PUT(self) -> None:
        name, query = self._address()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "uploadId" in query:
            self.server.parts[query["uploadId"]][int(query["partNumber"])] = body
        else:
            self.server.objects[name] = body
        self._answer(200, b"", ETag=_etag(body))

    def do_POST(self) -> None:
        name, query = self._address()
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "delete" in query:
            keys = re.findall(r"<Key>(.*?)</Key>", sent.decode())
            for key in keys:
                self.server.objects.pop(unescape(key), None)
            removed = (f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            self._xml("DeleteResult", "".join(removed))
        elif "uploads" in query:
            number = str(len(self.server.parts))
            self.server.parts[number] = {}
            self._xml("InitiateMultipartUploadResult", _fields(Key=name, UploadId=number))
        else:
            parts = self.server.parts.pop(query["uploadId"])
            body = b"".join(parts[number] for number in sorted(parts))
            self.server.objects[name] = body
            self._xml("CompleteMultipartUploadResult", _fields(Key=name, ETag=_etag(body)))

    def do_GET(self) -> None:
        name, query = self._address()
        if "list-type" in query:
            names = sorted(one for one in self.server.objects if one.startswith(query["prefix"]))
            self._xml("ListBucketResult", "".join(map(self._listed, names)))
        else:
            self._send_object(name)

    def do_HEAD(self) -> None:
        self._send_object(self._address()[0])

    def _listed(self, name: str) -> str:
        body = self.server.objects[name]
        facts = _fields(
            Key=name, Size=str(len(body)), ETag=_etag(body), LastModified="2026-05-01T12:00:00Z"
        )
        return f"<Contents>{facts}</Contents>"

    def _send_object(self, name: str) -> None:
        body = self.server.objects.get(name)
        if body is None:
            self._answer(404, b"")
        else:
            self._answer(200, body, **{"ETag": _etag(body), "Last-Modified": LONG_AGO})

    def _xml(self, tag: str, inner: str) -> None:
        self._answer(200, f"<{tag}>{inner}</{tag}>".encode())

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_facts: object) -> None:
        """Say nothing."""


def _etag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def _fields(**values: str) -> str:
    return "".join(f"<{name}>{escape(value)}</{name}>" for name, value in values.items())
