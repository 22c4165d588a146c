"""Fixtures: a site on several machines that share a database and a store, and nothing else."""

import os
import secrets

import pytest

from quintain_host.settings import Settings
from quintain_host.site import Site
from tests.host.sharing.bucket_server import BucketServer


@pytest.fixture
def machines(site, tmp_path_factory):
    """A function that makes a machine of the site: ``machines("one")``; its store is a folder."""
    shared = tmp_path_factory.mktemp("store")
    opened = []

    def made(name, store=f"file://{shared}"):
        root = tmp_path_factory.mktemp(name)
        (root / "site.toml").write_text(f'store = "{store}"\n')
        settings = Settings(store=store)
        opened.append(Site(root, settings=settings, database=site.database.url, clock=site.clock))
        return opened[-1]

    yield made
    for one in opened:
        one.close()


@pytest.fixture(scope="session")
def bucket_server():
    """The address of a server that speaks S3 and has a bucket ``bucket``.

    It is a small one of ours; or that of ``QUINTAIN_TEST_S3``, with its keys in the environment.
    """
    pytest.importorskip("obstore")
    if "QUINTAIN_TEST_S3" in os.environ:
        yield os.environ["QUINTAIN_TEST_S3"]
        return
    server = BucketServer()
    yield server.endpoint
    server.stop()


@pytest.fixture
def bucket(bucket_server, monkeypatch):
    """The URL of an empty place in a bucket; the environment has what is needed to reach it."""
    if "QUINTAIN_TEST_S3" not in os.environ:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test-secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", bucket_server)
    return f"s3://bucket/{secrets.token_hex(8)}"
