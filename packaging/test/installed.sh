#!/bin/sh
# Run as root in a Debian of its own by `cargo xtask ci --only packages`: installs the packages of /packages, uses the
# agent, upgrades it, takes over an snmpd, removes and purges. Ends with "installed: ok"; the first thing that is not as
# it should be ends it.
set -eu
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin

step() { echo "== $*"; }
fail() { echo "installed: $*"; exit 1; }
expect() { # what it is, what is expected, what it was
    [ "$2" = "$3" ] || fail "$1 is \`$3\`, not \`$2\`"
}
systemd() { [ -d /run/systemd/system ]; }

# Starts the agent as its unit does, where there is no systemd for it.
start() {
    if systemd; then
        systemctl start trunklined
    else
        su -s /bin/sh trunkline -c 'exec trunklined --config /etc/trunkline/trunklined.toml' >/var/log/trunklined.log 2>&1 &
        agent=$!
    fi
}
stop() {
    if systemd; then systemctl stop trunklined; else kill "$agent" 2>/dev/null; wait "$agent" 2>/dev/null || true; fi
}
# Waits until the agent answers, and prints its sysName.
ask() { # port
    tries=0
    until answer=$(snmpget -v2c -c public -Oqv -r0 -t1 "127.0.0.1:$1" 1.3.6.1.2.1.1.5.0 2>/dev/null); do
        tries=$((tries + 1))
        [ $tries -lt 60 ] || { systemd && systemctl status --no-pager -l trunklined; fail "no answer on port $1"; }
        sleep 0.5
    done
    echo "$answer" | tr -d '"'
}
# 161 needs a capability, which su does not pass on.
port() { if systemd; then echo 161; else echo 1161; fi; }

if systemd; then step "under systemd $(systemctl --version | head -n 1)"; else step "without systemd"; fi
for service in snmpd snmpd.socket; do
    ! systemd || systemctl disable --now $service >/dev/null 2>&1 || true
done
mv /etc/snmp/snmpd.conf /root/snmpd.conf

step "a first installation"
systemd || touch /etc/trunkline-no-161
dpkg -i /packages/trunklined.deb /packages/trunkline.deb
getent passwd trunkline >/dev/null || fail "there is no user trunkline"
expect "the mode of the configuration" "640 root trunkline" "$(stat -c '%a %U %G' /etc/trunkline/trunklined.toml)"
trunklined --config /etc/trunkline/trunklined.toml --check # as root, with a state of another user
[ -e /usr/share/man/man8/trunklined.8.gz ] || fail "no man page"
[ -e /usr/share/bash-completion/completions/trunkline ] || fail "no completions"
[ -e /usr/share/doc/trunklined/docs/configuration.md ] || [ -e /usr/share/doc/trunklined/docs/configuration.md.gz ] ||
    fail "no documentation"
if systemd; then
    expect "the unit" enabled "$(systemctl is-enabled trunklined)"
    expect "the service" active "$(systemctl is-active trunklined)"
else
    sed -i 's/:161"/:1161"/' /etc/trunkline/trunklined.toml
    start
fi
expect "sysName" "$(hostname)" "$(ask "$(port)")"
expect "sysName for trunkline" "$(hostname)" "$(trunkline get -Oqv "127.0.0.1:$(port)" sysName.0 | tr -d '"')"

step "an upgrade keeps what the administrator and the agent wrote"
sed -i 's/^\[system\]$/[system]\nlocation = "rack 12"/' /etc/trunkline/trunklined.toml
engine=$(grep -h '^id\|^engine' /var/lib/trunkline/engine.toml | head -n 1)
dpkg -i /packages/trunklined-next.deb
grep -q 'rack 12' /etc/trunkline/trunklined.toml || fail "the configuration was replaced"
systemd || { stop; start; }
ask "$(port)" >/dev/null
expect "sysLocation" "rack 12" "$(snmpget -v2c -c public -Oqv "127.0.0.1:$(port)" 1.3.6.1.2.1.1.6.0 | tr -d '"')"
expect "the engine ID" "$engine" "$(grep -h '^id\|^engine' /var/lib/trunkline/engine.toml | head -n 1)"

if systemd; then
    step "a reload"
    sed -i 's/rack 12/rack 13/' /etc/trunkline/trunklined.toml
    systemctl reload trunklined
    tries=0
    until [ "$(snmpget -v2c -c public -Oqv 127.0.0.1:161 1.3.6.1.2.1.1.6.0 | tr -d '"')" = "rack 13" ]; do
        tries=$((tries + 1)); [ $tries -lt 60 ] || fail "the reload changed nothing"; sleep 0.5
    done
fi

if systemd; then
    step "on a full disk the agent does not start, and it is there as soon as there is room"
    systemctl stop trunklined
    mount -t tmpfs -o size=64k,mode=750 tmpfs /var/lib/trunkline
    head -c 1000000 /dev/zero >/var/lib/trunkline/full 2>/dev/null || true
    install -d /run/systemd/system/trunklined.service.d
    printf '[Service]\nRestartSec=100ms\nRestartSteps=0\n' >/run/systemd/system/trunklined.service.d/sooner.conf
    systemctl daemon-reload
    systemctl start trunklined || true
    tries=0
    # Many more than systemd allows within its default interval.
    until [ "$(systemctl show -P NRestarts trunklined)" -ge 12 ]; do
        tries=$((tries + 1))
        [ $tries -lt 120 ] || { systemctl status --no-pager -l trunklined; fail "systemd gave up"; }
        sleep 0.5
    done
    journalctl --no-pager -u trunklined | grep -q 'No space left on device' || fail "the journal does not say why"
    rm /var/lib/trunkline/full
    ask 161 >/dev/null
    systemctl stop trunklined
    umount /var/lib/trunkline
    rm /run/systemd/system/trunklined.service.d/sooner.conf
    systemctl daemon-reload
    systemctl start trunklined
    ask 161 >/dev/null

    step "the receiver of notifications, which is off until somebody turns it on"
    expect "the receiver's unit" disabled "$(systemctl is-enabled trunkline-listen || true)"
    expect "the receiver" inactive "$(systemctl is-active trunkline-listen || true)"
    ! systemctl start trunkline-listen 2>/dev/null || fail "the receiver starts without rules"
    install -m 600 /usr/share/trunkline/listen.toml /etc/trunkline/listen.toml
    cat >>/etc/trunkline/listen.toml <<'RULES'
[[rule]]
file = { path = "/var/log/trunkline-listen/traps.log", form = "json" }
RULES
    systemctl start trunkline-listen || { journalctl --no-pager -u trunkline-listen; fail "the receiver does not start"; }
    snmptrap -v2c -c public 127.0.0.1:162 '' 1.3.6.1.6.3.1.1.5.1
    tries=0
    until grep -q 1.3.6.1.6.3.1.1.5.1 /var/log/trunkline-listen/traps.log 2>/dev/null; do
        tries=$((tries + 1)); [ $tries -lt 60 ] || { journalctl --no-pager -u trunkline-listen; fail "no trap was received"; }
        sleep 0.5
    done
    printf 'communities = ["secret"]\n' >/etc/trunkline/listen-users.toml
    chmod 600 /etc/trunkline/listen-users.toml
    systemctl restart trunkline-listen || { journalctl --no-pager -u trunkline-listen; fail "the receiver does not start with users"; }
    # One of those that systemd makes (systemd.exec(5)); its name is known only where nss-systemd is installed.
    user=$(stat -c %u "/proc/$(systemctl show -P MainPID trunkline-listen)")
    [ "$user" -ge 61184 ] && [ "$user" -le 65519 ] || fail "the user of the receiver is $user"
    for words in init "agent localhost" "manager ann"; do
        trunkline pki $words >/dev/null 2>&1
    done
    mkdir /var/lib/trunkline-listen/pki
    for name in ca.pem crl.pem agent.pem agent.key; do
        cp -L "/etc/trunkline/pki/$name" /var/lib/trunkline-listen/pki/
    done
    chown -R --reference=/var/lib/trunkline-listen/ /var/lib/trunkline-listen/pki
    echo 'LISTEN_OPTIONS=--pki /var/lib/trunkline-listen/pki udp:162 tls:10162' >/etc/trunkline/listen.env
    systemctl restart trunkline-listen || { journalctl --no-pager -u trunkline-listen; fail "the receiver does not start with TLS"; }
    trunkline inform tls:127.0.0.1:10162 '' 1.3.6.1.6.3.1.1.5.2 ||
        { journalctl --no-pager -u trunkline-listen; fail "no inform was confirmed over TLS"; }
    grep '1.3.6.1.6.3.1.1.5.2' /var/log/trunkline-listen/traps.log | grep -q '"ann"' || fail "the inform is not from ann"
    systemctl stop trunkline-listen
    rm -r /etc/trunkline/listen.toml /etc/trunkline/listen-users.toml /etc/trunkline/listen.env /etc/trunkline/pki
fi

step "removed, it leaves its configuration; purged, nothing"
stop
dpkg -r trunklined
[ ! -e /usr/sbin/trunklined ] || fail "the program is still there"
[ -e /etc/trunkline/trunklined.toml ] || fail "removing took the configuration"
dpkg -P trunklined
[ ! -e /etc/trunkline/trunklined.toml ] || fail "purging left the configuration"
[ ! -e /var/lib/trunkline ] || fail "purging left the state"

step "instead of an snmpd"
cat >/etc/snmp/snmpd.conf <<'CONF'
agentAddress udp:127.0.0.1:161
rocommunity public
sysLocation rack 14
extend hello '/bin/echo "good day"'
extend who /usr/local/bin/who-am-i -u
CONF
install -m 4755 /usr/bin/id /usr/local/bin/who-am-i
! systemd || { systemctl unmask snmpd >/dev/null 2>&1 || true; systemctl enable --now snmpd; }
echo 'trunklined trunklined/snmpd select replace' | debconf-set-selections
dpkg -i /packages/trunklined.deb
grep -q 'rack 14' /etc/trunkline/trunklined.toml || fail "snmpd's configuration was not imported"
if systemd; then
    expect "snmpd" inactive "$(systemctl is-active snmpd || true)"
    expect "snmpd at the next start" disabled "$(systemctl is-enabled snmpd || true)"
    expect "the service" active "$(systemctl is-active trunklined)"
    ask 161 >/dev/null
    hello=$(snmpget -v2c -c public -Oqv 127.0.0.1:161 'NET-SNMP-EXTEND-MIB::nsExtendOutput1Line."hello"' 2>/dev/null ||
        snmpget -v2c -c public -Oqv 127.0.0.1:161 .1.3.6.1.4.1.8072.1.3.2.3.1.1.5.104.101.108.108.111)
    expect "the program's output" "good day" "$(echo "$hello" | tr -d '"')"
    who=$(snmpget -v2c -c public -Oqv 127.0.0.1:161 .1.3.6.1.4.1.8072.1.3.2.3.1.1.3.119.104.111)
    expect "the user of a setuid program" 0 "$(echo "$who" | tr -d '"')"
    expect "the user of the agent" trunkline "$(stat -c %U "/proc/$(systemctl show -P MainPID trunklined)")"
fi
dpkg -P trunklined trunkline

if systemd; then
    step "beside an snmpd that stays, also after an upgrade, until it is enabled"
    systemctl enable --now snmpd
    echo 'trunklined trunklined/snmpd select import' | debconf-set-selections
    for package in trunklined trunklined-next; do
        dpkg -i "/packages/$package.deb"
        expect "snmpd" active "$(systemctl is-active snmpd || true)"
        expect "the service" inactive "$(systemctl is-active trunklined || true)"
        ! systemctl is-enabled --quiet trunklined || fail "the service is enabled"
    done
    systemctl disable --now snmpd
    systemctl enable --now trunklined
    dpkg-reconfigure trunklined
    expect "the service" active "$(systemctl is-active trunklined)"
    dpkg -P trunklined
fi
echo "installed: ok"
