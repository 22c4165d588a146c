#!/bin/sh
# Play contests on a site, then leave the site running: sh scripts/demo.sh [start|stop]
set -eu
cd "$(dirname "$0")/.."
pid=demo/server.pid

running() { [ -f "$pid" ] && tr '\0' ' ' <"/proc/$(cat "$pid")/cmdline" 2>/dev/null | grep -q 'serve demo/site'; }

stop() {
    if running; then
        kill "$(cat "$pid")"
        echo "the demo site has stopped"
    fi
    rm -f "$pid"
}

start() {
    stop
    rm -rf demo/site
    mkdir -p demo
    port=$(.venv/bin/python -m scripts.demo.port)
    url="http://127.0.0.1:$port"
    echo "demo: playing AMIC in small on a site of its own; this takes about half a minute"
    .venv/bin/python -m scripts.demo.play demo/site "$url"
    nohup .venv/bin/quintain serve demo/site --port "$port" >demo/server.log 2>&1 </dev/null &
    echo $! >"$pid"
    .venv/bin/python -m scripts.demo.port "$url" || { cat demo/server.log; exit 1; }
    echo
    echo "The demo site runs at $url"
    echo
    echo "Look at it without signing in, or sign in as one of these people:"
    cat demo/people.txt
    echo
    echo "To stop it: make stop. To serve it again: .venv/bin/quintain serve demo/site --port $port"
}

case "${1:-start}" in
start) start ;;
stop) stop ;;
*) echo "usage: sh scripts/demo.sh [start|stop]" && exit 2 ;;
esac
