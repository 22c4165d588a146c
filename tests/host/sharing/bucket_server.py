"""A server that speaks S3, for tests: moto, in a thread of this process."""

import logging
import urllib.request


class BucketServer:
    """A server with one bucket that runs until :meth:`stop`; nothing of it is on a disk."""

    def __init__(self) -> None:
        from moto.server import ThreadedMotoServer

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        host, port = self._server.get_host_and_port()
        self.endpoint = f"http://{host}:{port}"
        made = urllib.request.Request(f"{self.endpoint}/bucket", method="PUT")
        urllib.request.urlopen(made).close()

    def stop(self) -> None:
        """End the server."""
        self._server.stop()
