#!/bin/sh
# The tests of the host run on SQLite and on PostgreSQL, which they start themselves. Install it if
# that needs no questions asked; without it those tests are skipped and say so.
set -eu
if command -v postgres >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing PostgreSQL with apt-get for the tests of the host"
    # Debian would start a server at once; the tests need only the programs.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends postgresql; } >/dev/null 2>&1 ||
        echo "setup: PostgreSQL could not be installed; the tests that need it will be skipped"
fi
