"""Serve requests in a process of its own, and print every file that a secret is kept in.

``python -m tests.host.programs.web_visits DIR [UID GID]`` reads a list of requests from standard
input: ``[[method, path, cookie], ...]``. It prints the statuses, and the secrets that were opened.
With a user, it serves all of them, so that every module is loaded, and then again as that user.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

OPENED: list[str] = []
EVENTS = {"open", "os.listdir", "os.scandir", "os.rename", "os.remove", "shutil.copyfile"}
CLOSED = ("/secret/", "/submissions/", "/.cache/")


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """Note every attempt to open something that only workers may read."""
    if event in EVENTS and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
        path = os.fsdecode(arguments[0])
        if path.startswith(sys.argv[1]) and any(part in f"{path}/" for part in CLOSED):
            OPENED.append(f"{event} {path}")


def visit(root: Path, requests: list[list[str]]) -> Counter[int]:
    """Send the requests, as a web process would get them; returns how often each status came."""
    from fastapi.testclient import TestClient

    from quintain_host.site import Site
    from quintain_host.web.app import make_app
    from tests.host.clocks import TestClock
    from tests.host.contest_on_site import at

    site = Site(root, clock=TestClock(at(11)))
    statuses: Counter[int] = Counter()
    client = TestClient(make_app(site), base_url=site.settings.url, follow_redirects=False)
    for method, path, cookie in requests:
        client.cookies.clear()
        if cookie:
            client.cookies["quintain"] = cookie
        status = client.request(method, path).status_code
        statuses[status] += 1
        if status >= 500:
            print(path, status, file=sys.stderr)
    site.close()
    return statuses


def main() -> None:
    """Serve what standard input asks for."""
    root, requests = Path(sys.argv[1]), json.load(sys.stdin)
    if len(sys.argv) > 2:
        user, group = map(int, sys.argv[2:])
        visit(root, requests)
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    statuses = visit(root, requests)
    print(json.dumps({"statuses": statuses, "opened": OPENED, "user": os.geteuid()}))


if __name__ == "__main__":
    sys.addaudithook(watch)
    main()
