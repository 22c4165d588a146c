#!/bin/sh
# In a machine: an authority that gives out certificates as Let's Encrypt does, but only here.
set -eu
apt-get update -qq
apt-get install --yes -qq pebble curl openssl >/dev/null
mkdir -p /etc/pebble
cd /etc/pebble
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>/dev/null
cat >config.json <<END
{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000",
 "certificate": "/etc/pebble/cert.pem", "privateKey": "/etc/pebble/key.pem",
 "httpPort": 80, "tlsPort": 443, "ocspResponderURL": ""}}
END
systemd-run --quiet --unit=pebble --setenv=PEBBLE_VA_NOSLEEP=1 --setenv=PEBBLE_WFE_NONCEREJECT=0 \
    pebble -config /etc/pebble/config.json
until curl -sf --cacert cert.pem https://localhost:15000/roots/0 >root.pem; do sleep 0.5; done
cp root.pem /usr/local/share/ca-certificates/pebble-root.crt
cp cert.pem /usr/local/share/ca-certificates/pebble-server.crt
update-ca-certificates
# certbot asks this authority; the page says nothing about it.
mkdir -p /root/.config/letsencrypt
printf 'server = https://localhost:14000/dir\nno-verify-ssl = true\n' >/root/.config/letsencrypt/cli.ini
