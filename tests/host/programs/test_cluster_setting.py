"""The settings name a cluster for the heavy work of the scoring worker; it needs certificates."""

import pytest

from quintain.errors import QuintainError
from quintain.jobs.executor import SERIAL
from quintain_host.queue import claim
from quintain_host.settings import Settings
from quintain_host.site import Site
from quintain_host.work.handler import HandlerTask
from tests.host import contest_on_site as contest


def test_heavy_work_stays_here_or_goes_to_a_cluster_with_certificates(one_site, tmp_path):
    contest.edition(one_site)
    contest.request(one_site, "rounds", "scoring", "score")
    claimed = claim(one_site.database, "any", ["scoring"], one_site.clock.now())

    def executor(**settings):
        other = Site(one_site.root, settings=Settings(**settings), database=one_site.database.url)
        try:
            return HandlerTask(other, claimed).executor()
        finally:
            other.close()

    assert executor() == SERIAL
    files = tuple(str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    there = executor(cluster="tls://10.0.0.7:8786", cluster_tls=files)
    assert there.cluster == "tls://10.0.0.7:8786"
    assert [str(path) for path in there.tls] == list(files)
    with pytest.raises(QuintainError, match="both sides must prove who they are"):
        executor(cluster="tcp://10.0.0.7:8786")
