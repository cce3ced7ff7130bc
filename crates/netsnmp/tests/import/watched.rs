//! Programs, and what is watched.

use super::check;

#[test]
fn programs_and_watched_resources() {
    check(&[
        (
            "extend date /bin/date -u '+%s %N'",
            &["[[extend]]\nname = \"date\"\ncommand = [\"/bin/date\", \"-u\", \"+%s %N\"]"],
            &[],
        ),
        // snmpd answers a community however long the value is.
        (
            "rocommunity public\npass .1.3.6.1.4.1.99 /bin/a",
            &["[[pass]]", "max-unproved-answer = 65507"],
            &[],
        ),
        (
            "extend -cacheTime 30 -execType sh .1.3.6.1.4.1.99 users who | wc -l",
            &[
                "name = \"users\"\ncommand = [\"who | wc -l\"]\nshell = true\ncache = \"30s\"\noid = \"1.3.6.1.4.1.99\"",
            ],
            &[],
        ),
        ("extend date date", &[], &["full path"]),
        ("extend a /bin/a\nextend a /bin/b", &["\"/bin/a\""], &["takes precedence"]),
        ("extend", &[], &["no program"]),
        ("extendfix a /bin/a", &[], &["not supported"]),
        (
            "exec echotest /bin/echo hello world\nexecfix echotest /bin/true",
            &[
                "[[exec]]\nname = \"echotest\"\ncommand = [\"/bin/echo\", \"hello\", \"world\"]\nfix = [\"/bin/true\"]",
            ],
            &[],
        ),
        (
            "sh uptime uptime | cut -c1-5",
            &["name = \"uptime\"\ncommand = [\"uptime | cut -c1-5\"]\nshell = true"],
            &[],
        ),
        // snmpd has not a row for it either.
        (
            "exec a /bin/a\nexec .1.3.6.1.4.1.2021.50 shelltest /bin/sh /tmp/x\nexec b /bin/b\nexec a /bin/c",
            &["name = \"a\"\ncommand = [\"/bin/a\"]\n[[exec]]\nname = \"b\""],
            &["refuses an exec", "takes precedence"],
        ),
        ("exec a a\nexec b /bin/b", &["name = \"b\""], &["have lower numbers"]),
        ("execfix a /bin/a", &[], &["no exec"]),
        (
            "pass .1.3.6.1.4.1.8072.2.255 /bin/sh /usr/local/bin/passtest",
            &[
                "[[pass]]\noid = \"1.3.6.1.4.1.8072.2.255\"\ncommand = [\"/bin/sh\", \"/usr/local/bin/passtest\"]",
            ],
            &[],
        ),
        (
            "pass_persist -p 10 .1.3.6.1.4.1.8072.2.255 /usr/bin/perl /x",
            &["persistent = true\npriority = 10"],
            &[],
        ),
        ("pass .1.3.6.1.4.1.99 relative", &[], &["full path"]),
        (
            "proc sshd\nproc httpd 10 2\nproc cron 0 1\nproc nobody 0 0\nproc most 5",
            &[
                "name = \"sshd\"\n[[process]]",
                "name = \"httpd\"\nmin = 2\nmax = 10",
                "name = \"cron\"\nmin = 1\n",
                "name = \"nobody\"\nmin = 0\nmax = 0",
                "name = \"most\"\nmax = 5",
            ],
            &[],
        ),
        // Each has a row.
        (
            "proc odd 1 3\nproc few few\nproc below -1\nproc odd 7\nproc two 3x 2 ^/a",
            &[
                "name = \"odd\"\nmin = 3\nmax = 1\n[[process]]\nname = \"few\"\nmax = 0\n[[process]]\nname = \"below\"\nmax = 0\n\
                 [[process]]\nname = \"two\"\nmin = 2\nmax = 3\n",
            ],
            &[
                "is read as 0, as in snmpd",
                "-1 is read as 0",
                "odd is monitored by",
                "by their name",
                "\"3x\" is read as 3",
            ],
        ),
        (
            "proc httpd\nprocfix httpd /bin/systemctl restart httpd",
            &["fix = [\"/bin/systemctl\", \"restart\", \"httpd\"]"],
            &[],
        ),
        ("procfix x /bin/y", &[], &["no proc"]),
        (
            "disk / 10000\ndisk /var 5%\ndisk /home\nincludeAllDisks 10%",
            &[
                "path = \"/\"\nminimum = 10000",
                "path = \"/var\"\nminimum = \"5%\"",
                "path = \"/home\"\n[[disk]]",
                "path = \"*\"\nminimum = \"10%\"",
            ],
            &[],
        ),
        ("disk / much", &[], &["10%"]),
        ("load 12 10 5", &["[load]\nmax-1 = 12\nmax-5 = 10\nmax-15 = 5"], &[]),
        ("load 12.5", &["max-1 = 12.5"], &[]),
        ("load much", &[], &["much"]),
        ("diskio sda\ndiskio /dev/sdb\ndiskio sda", &["[disk-io]\ndevices = [\"sda\", \"sdb\"]\n"], &[]),
        (
            "diskio_exclude_fd yes\ndiskio_exclude_loop yes\ndiskio_exclude_ram no\ndiskio_exclude_fd no",
            &["[disk-io]\nexclude = [\"loop\"]\n"],
            &[],
        ),
        ("diskio", &[], &["names no device"]),
        (
            "file /var/log/syslog 1000\nfile /etc/motd\nfile /etc/issue -1\nfile /etc/motd 7\nfile log 1",
            &[
                "[[file]]\npath = \"/var/log/syslog\"\nmax = 1000\n",
                "[[file]]\npath = \"/etc/motd\"\n[[file]]\npath = \"/etc/issue\"\n",
            ],
            &["takes precedence", "full path"],
        ),
        ("file /etc/motd much", &[], &["much"]),
        (
            "logmatch app-error /var/log/app.log 60 (error|fatal): [0-9]+ \"x\"\nlogmatch idle /var/log/b -1 a",
            &[
                "[[log-match]]\nname = \"app-error\"\npath = \"/var/log/app.log\"\n\
                 pattern = \"(error|fatal): [0-9]+ \\\"x\\\"\"\nevery = \"60s\"\n",
                "name = \"idle\"\npath = \"/var/log/b\"\npattern = \"a\"\nevery = \"0s\"\n",
            ],
            &[],
        ),
        (
            "logmatch a /var/log/a 30 a\\1[\nlogmatch b /var/log/%Y 30 b\nlogmatch c /var/log/c 30\n\
             logmatch d /var/log/d often d",
            &[],
            &["written anew", "the date", "CYCLETIME", "often"],
        ),
        ("swap 64000", &["[swap]\nminimum = 64000\n"], &[]),
        ("swap much", &[], &["much"]),
        ("skipNFSInHostResources yes", &["[storage]\nnetwork-disks = false\n"], &[]),
        (
            "skipNFSInHostResources true\nskipNFSInHostResources 0\nrealStorageUnits 0\nstorageUseNFS 1",
            &["[snmp]"],
            &[],
        ),
        ("realStorageUnits 1\nstorageUseNFS 2", &[], &["32 bits", "not fixed disks"]),
        // Without any disk dskTable stays empty.
        ("load 12", &["[[disk]]\npath = \"*\"\nshown = false\n"], &[]),
    ]);
}

#[test]
fn monitors_become_triggers() {
    check(&[
        (
            "monitor -r 60 -I \"high load\" 1.3.6.1.4.1.2021.10.1.5.1 > 400",
            &[
                "[[trigger]]\nname = \"high load\"\nobject = \"1.3.6.1.4.1.2021.10.1.5.1\"\nevery = \"60s\"\nboolean = { comparison = \">\", value = 400 }",
            ],
            &[],
        ),
        // The instance of a scalar is known, that of a column is the one that fires.
        (
            "monitor mem -o sysName -o prNames -i ifDescr.1 memAvailReal <= -100",
            &[
                "object = \"1.3.6.1.4.1.2021.4.6.*\"\nevery = \"600s\"\nobjects = [\"1.3.6.1.2.1.1.5.0\", \"1.3.6.1.4.1.2021.2.1.2.*\", \"1.3.6.1.2.1.2.2.1.2.1\"]\nboolean = { comparison = \"<=\", value = -100 }",
            ],
            &[],
        ),
        (
            "monitor -D -r 2m t memAvailReal 10 20\nmonitor -S -I u 1.3.6.1.9.1 1 0x10 -5 5",
            &[
                "every = \"120s\"\ndelta = true\nthreshold = { rising = 20, falling = 10 }",
                "threshold = { rising = 16, falling = 1, delta-rising = 5, delta-falling = -5, startup = \"none\" }",
            ],
            &[],
        ),
        (
            "monitor -d ifCounterDiscontinuityTime a ifInOctets > 5\nmonitor -di 1.3.6.1.9.1.0 b ifInOctets = 5",
            &[
                "discontinuity = \"1.3.6.1.2.1.31.1.1.1.19.*\"\nboolean",
                "discontinuity = \"1.3.6.1.9.1.0\"\nboolean = { comparison = \"==\", value = 5 }",
            ],
            &[],
        ),
        (
            "monitor a ifOperStatus\nmonitor b ! ifOperStatus\nmonitor -S c != ifOperStatus\nmonitor -i -t d ifOperStatus.1",
            &[
                "name = \"a\"\nobject = \"1.3.6.1.2.1.2.2.1.8.*\"\nevery = \"600s\"\nexistence = { test = [\"present\"] }",
                "existence = { test = [\"absent\"] }",
                "existence = { test = [\"changed\"], startup = [] }",
                "name = \"d\"\nobject = \"1.3.6.1.2.1.2.2.1.8.1\"",
            ],
            &[],
        ),
        (
            "iquerySecName internal\nmonitor a ifOperStatus\nmonitor -u other b ifOperStatus",
            &["user = \"internal\"\nexistence", "user = \"other\"\nexistence"],
            &[],
        ),
        // Without keys: nobody can ask as this user over the network, but the monitors can.
        (
            "createUser internal\nrouser internal\niquerySecName internal\nmonitor a ifOperStatus",
            &[
                "name = \"internal\"\nrole = \"internal\"",
                "level = \"authNoPriv\"",
                "user = \"internal\"\nexistence",
            ],
            &[],
        ),
        ("createUser keyless\nrouser keyless", &[], &["it has no access, as in snmpd"]),
        ("monitor a ifOperStatus !=0", &[], &["not a comparison"]),
        ("monitor a ifOperStatus > 5000000000", &[], &["32 bits"]),
        ("monitor a ifOperStatus 20 10", &[], &["lower limit"]),
        ("monitor -x a ifOperStatus", &[], &["not an option"]),
        ("monitor -e", &[], &["lacks its value"]),
        ("monitor a\nmonitor b !", &[], &["no expression", "lacks its object"]),
        ("monitor a ifOperStatus\nmonitor a ifOperStatus", &["[[trigger]]"], &["precedence, as in snmpd"]),
        (
            "monitor a ifOperStatus\nmonitor a ifOperStatus > 1",
            &["[[trigger]]"],
            &["one trigger with both tests"],
        ),
        (
            "monitor \"process table\" prErrorFlag != 0\ndefaultMonitors yes",
            &["name = \"process table\"", "name = \"snmperrs\""],
            &["precedence, as in snmpd"],
        ),
        (
            "createUser i SHA maplesyrup\niquerySecName i\ndefaultMonitors yes",
            &[
                "name = \"process table\"\nobject = \"1.3.6.1.4.1.2021.2.1.100.*\"\nevery = \"600s\"\nuser = \"i\"\nobjects = [\"1.3.6.1.4.1.2021.2.1.2.*\", \"1.3.6.1.4.1.2021.2.1.101.*\"]\nboolean = { comparison = \"!=\", value = 0 }",
                "name = \"memory\"",
                "name = \"extTable\"",
                "name = \"dskTable\"",
                "name = \"laTable\"",
                "name = \"fileTable\"",
                "name = \"snmperrs\"",
            ],
            &["has no access, as in snmpd"],
        ),
        ("linkUpDownNotifications yes", &[], &[]),
        ("strictDisman yes\nmonitor a ifOperStatus", &["[events]\norder = \"trigger-first\""], &[]),
    ]);
}

#[test]
fn events_of_monitors() {
    check(&[
        (
            "notificationEvent e .1.3.6.1.4.1.99.0.1 -i sysName.0 -o ifDescr ifIndex\nmonitor -I -e e n 1.3.6.1.4.1.99.1.0 > 5",
            &[
                "[[event]]\nname = \"e\"\nnotification = \"1.3.6.1.4.1.99.0.1\"\nobjects = [\"1.3.6.1.2.1.1.5.0\", \"1.3.6.1.2.1.2.2.1.2.*\", \"1.3.6.1.2.1.2.2.1.1.*\"]",
                "value = 5, event = \"e\" }",
            ],
            &[],
        ),
        (
            "notificationEvent e linkUp -m",
            &["objects = [\"1.3.6.1.2.1.2.2.1.1.*\", \"1.3.6.1.2.1.2.2.1.7.*\", \"1.3.6.1.2.1.2.2.1.8.*\"]"],
            &[],
        ),
        ("notificationEvent e .1.3.6.1.4.1.99.0.1 -m", &[], &["not known here"]),
        ("notificationEvent e", &[], &["expected NAME"]),
        (
            "iquerySecName i\nsetEvent s ifAdminStatus = 1\nsetEvent t -I sysServices.0 = 72\nmonitor -e s n ifOperStatus == 2",
            &[
                "name = \"s\"\nset = { object = \"1.3.6.1.2.1.2.2.1.7.*\", value = 1 }",
                "set = { object = \"1.3.6.1.2.1.1.7.0\", value = 72 }",
            ],
            &[],
        ),
        (
            "setEvent s ifAdminStatus = 1\nmonitor -e s n ifOperStatus == 2",
            &["[[trigger]]"],
            &["by whose rights"],
        ),
        ("setEvent s ifAdminStatus", &[], &["expected NAME"]),
        ("setEvent s ifAdminStatus = 1\nsetEvent s ifAdminStatus = 2", &["value = 1"], &["takes precedence"]),
        ("monitor -e _linkUp n ifOperStatus != 2", &["event = \"_linkUp\""], &[]),
        ("monitor -I -e gone n 1.3.6.1.4.1.99.1.0 > 5", &[], &["is not defined"]),
    ]);
}
