"""Sign-up times: whether the answer to a sign-up takes longer for an address with an account.

python -m benchmarks.host.sign_up_times [--pairs 200]

It sends sign-ups to the application of a site in this process, in turn with an address that has an
account and with a new one, so that the load of the machine is the same for both. It prints the
median of each, and the mean difference with its 95 % interval.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from quintain_host.accounts.administration import sign_up
from quintain_host.serving.opening import bring_up_to_date, open_site
from quintain_host.site import Site
from quintain_host.web.app import make_app
from quintain_host.web.security.rate_limits import Buckets, Limit

PASSWORD = "a password of somebody"
KNOWN = "known@example.org"


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        site = open_site(Path(place) / "site")
        bring_up_to_date(site.database)
        known, new = measure(site, given.pairs)
        site.close()
    difference = known - new
    half = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
    print(
        f"{given.pairs} pairs: with an account median {1000 * np.median(known):.2f} ms, new "
        f"{1000 * np.median(new):.2f} ms; mean difference {1000 * difference.mean():.2f} ms, 95 % "
        f"interval {1000 * (difference.mean() - half):.2f} to "
        f"{1000 * (difference.mean() + half):.2f} ms"
    )


def measure(site: Site, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """The seconds of sign-ups with an address that has an account, and with new ones."""
    app = make_app(site)
    app.state.limits.accounts = app.state.limits.changes = Buckets(Limit(10**9, 1))
    app.state.limits.requests = Buckets(Limit(10**9, 1))
    client = TestClient(app, base_url=site.settings.url, follow_redirects=False)
    sign_up(site, KNOWN, "Known", PASSWORD)
    times = np.empty((pairs + 1, 2))
    for pair in range(pairs + 1):
        order = (0, 1) if pair % 2 else (1, 0)
        for kind in order:
            email = (KNOWN, f"new-{pair:06}@example.org")[kind]
            fields = {"email": email, "name": "Somebody", "password": PASSWORD}
            began = time.perf_counter()
            status = client.post("/sign-up", data=fields).status_code
            times[pair, kind] = time.perf_counter() - began
            if status != 303:
                raise SystemExit(f"a sign-up was answered with {status}")
    return times[1:, 0], times[1:, 1]  # the first pair loads what all others use


if __name__ == "__main__":
    main()
