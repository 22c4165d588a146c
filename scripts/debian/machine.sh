#!/bin/sh
# A Debian machine in a folder, with systemd as its first process and a network of its own that reaches
# the internet. Needs root, debootstrap and slirp4netns.
#   machine.sh make SUITE FOLDER    machine.sh boot FOLDER
#   machine.sh run FOLDER COMMAND...    machine.sh remove FOLDER
set -eu
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
task=$1
shift

wait_until() { # a command, again and again for a minute
    for _ in $(seq 240); do
        if "$@"; then return; fi
        sleep 0.25
    done
    echo "machine: still not true after a minute: $*" >&2
    exit 1
}

within() { # a command in the namespaces of the machine
    folder=$1
    shift
    nsenter --target "$(cat "$folder.pid")" --mount --pid --uts --ipc --cgroup --net --root --wd \
        env -i HOME=/root LC_ALL=C.UTF-8 PATH=$path "$@"
}

lives() { pgrep --full "^/sbin/init machine=$1\$" >"$1.pid"; }
is_gone() { ! lives "$1"; }
# "degraded": Debian 13 would load modules of the kernel, which a machine in a folder cannot.
runs() { within "$1" systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; }
reaches() { within "$1" ip -brief address | grep -q '^tap0.*10\.'; }

case $task in
make)
    suite=$1 folder=$2
    debootstrap --variant=minbase --include=ca-certificates,dbus,iproute2,systemd-sysv \
        "$suite" "$folder" http://deb.debian.org/debian
    cat >"$folder/etc/apt/sources.list" <<END
deb http://deb.debian.org/debian $suite main
deb http://deb.debian.org/debian $suite-updates main
deb http://deb.debian.org/debian-security $suite-security main
END
    echo "nameserver 10.0.2.3" >"$folder/etc/resolv.conf"
    echo "$suite" >"$folder/etc/hostname"
    echo "127.0.0.1 localhost $suite contests.example.org" >"$folder/etc/hosts"
    # Authorities that this machine trusts beside those of Debian, such as that of a proxy.
    find /usr/local/share/ca-certificates -name '*.crt' \
        -exec cp {} "$folder/usr/local/share/ca-certificates/" \; 2>/dev/null || true
    chroot "$folder" update-ca-certificates
    ;;
boot)
    folder=$(realpath "$1")
    group=$(findmnt --noheadings --types cgroup2 --output TARGET | head -n 1)/$(basename "$folder")
    mkdir -p "$group"
    setsid sh -c 'echo $$ >"$1/cgroup.procs"; exec unshare --mount --pid --uts --ipc --cgroup --net \
        --fork sh "$2" start "$3"' sh "$group" "$(realpath "$0")" "$folder" >"$folder.log" 2>&1 &
    wait_until lives "$folder"
    wait_until runs "$folder"
    setsid slirp4netns --configure --mtu=65520 --disable-host-loopback "$(cat "$folder.pid")" tap0 \
        >"$folder.net" 2>&1 &
    echo $! >"$folder.net.pid"
    wait_until reaches "$folder"
    ;;
start) # in new namespaces, as process 1
    folder=$1
    mount --make-rprivate /
    mount --bind "$folder" "$folder"
    cd "$folder"
    mount -t proc proc proc
    mount -t sysfs sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs -o mode=755 tmpfs dev
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    for device in null:3 zero:5 full:7 random:8 urandom:9; do
        mknod -m 666 "dev/${device%:*}" c 1 "${device#*:}"
    done
    mknod -m 666 dev/tty c 5 0
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    for number in 0:stdin 1:stdout 2:stderr; do ln -s "fd/${number%:*}" "dev/${number#*:}"; done
    ip link set lo up
    hostname "$(cat etc/hostname)"
    pivot_root . mnt
    umount -l /mnt
    mount --make-rshared /
    exec env -i container=lxc LC_ALL=C.UTF-8 PATH=$path chroot . /sbin/init "machine=$folder"
    ;;
run) within "$@" ;;
remove)
    folder=$1
    if lives "$folder"; then kill -s KILL "$(cat "$folder.pid")"; fi
    wait_until is_gone "$folder"
    if [ -s "$folder.net.pid" ]; then kill "$(cat "$folder.net.pid")" || true; fi
    rm -rf --one-file-system "$folder" "$folder.debootstrap" "$folder.log" "$folder.net" \
        "$folder.net.pid" "$folder.pid"
    ;;
esac
