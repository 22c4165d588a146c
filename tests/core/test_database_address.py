"""Addresses of databases: none of their secrets in a name or an error, however they are spelled."""

import pytest

from quintain.data.people_files import read_people, source_name
from quintain.data.sources.database_address import address_name, is_address
from quintain.errors import DataError

SECRET = "Top.Secret99"
ADDRESSES = {
    "no database": "postgresql://eve:Top.Secret99@127.0.0.1:1#o.*",
    "with a database": "postgresql://eve:Top.Secret99@127.0.0.1:1/hospital",
    "no database, an option": "postgresql://eve:Top.Secret99@127.0.0.1:1?sslmode=require",
    "as an option": "postgresql://127.0.0.1:1/hospital?user=eve&password=Top.Secret99",
    "an option alone": "postgresql:///?password=Top.Secret99&host=/nowhere",
    "percent codes": "postgresql://eve:Top%2ESecret99@127.0.0.1:1/hospital",
    "a slash in it": "postgresql://eve:a/Top.Secret99@127.0.0.1:1/hospital",
    "a number sign in it": "postgresql://eve:a#Top.Secret99@127.0.0.1:1/hospital",
    "a question mark in it": "postgresql://eve:1?Top.Secret99@127.0.0.1:1/hospital",
    "an at sign in it": "postgresql://eve:a@b/Top.Secret99@127.0.0.1:1/hospital",
    "a bad port": "postgresql://eve:Top.Secret99@127.0.0.1:notaport/hospital",
    "one slash": "postgresql:/eve:Top.Secret99@127.0.0.1/hospital",
    "IPv6": "postgresql://eve:Top.Secret99@[::1]:1/hospital",
    "mysql": "mysql+pymysql://root:Top.Secret99@127.0.0.1",
    "odbc": "mssql+pyodbc:///?odbc_connect=DRIVER%3D%7BX%7D%3BUID%3Deve%3BPWD%3DTop.Secret99",
    "pairs": "Driver={X};Server=127.0.0.1;Uid=eve;Pwd=Top.Secret99",
    "libpq": "host=127.0.0.1 user=eve password=Top.Secret99",
    "jdbc": "jdbc:postgresql://127.0.0.1/hospital?user=eve&password=Top.Secret99",
    "s3": "s3://AKIAEVE:Top.Secret99@bucket/people.csv",
    "sqlite": "sqlite:///hospital.db?password=Top.Secret99",
    "no server": "postgresql://eve:Top.Secret99",
}
"""Addresses that nobody answers, each with the same secret."""


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_no_name_and_no_error_shows_a_password(address):
    assert is_address(address)
    assert SECRET not in source_name(address)
    with pytest.raises(DataError) as refused:
        read_people(address)
    said = f"{refused.value!r} {refused.value} {refused.value.__cause__} {refused.value.faults}"
    assert SECRET not in said and "%2ESecret" not in said


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://reader@server/hospital#clinic.*", "postgresql://.../hospital"),
        ("postgresql://reader@[::1]:5432/hospital?sslmode=require", "postgresql://.../hospital"),
        ("postgresql://a:1,b:2/hospital", "postgresql://.../hospital"),
        ("postgresql:///hospital", "postgresql://.../hospital"),
        ("sqlite:////home/a@b/hospital.db#patients", "sqlite://.../hospital.db"),
        ("postgresql://reader@server", "postgresql://..."),
    ],
)
def test_a_name_has_the_kind_and_the_database(address, name):
    assert address_name(address) == name


@pytest.mark.parametrize(
    "path", ["people.csv", "a/b.zip", "/data/people=1.csv", "x;y=1.csv", "~/p"]
)
def test_paths_are_no_addresses(path):
    assert not is_address(path)
