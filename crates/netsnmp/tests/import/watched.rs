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
        ("exec .1.3.6.1.4.1.2021.50 shelltest /bin/sh /tmp/x", &["name = \"shelltest\""], &["extTable"]),
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
    ]);
}

#[test]
fn monitors() {
    check(&[
        (
            "monitor -r 60 -I \"high load\" 1.3.6.1.4.1.2021.10.1.5.1 > 400",
            &[
                "[[monitor]]\nname = \"high load\"\nexpression = \"1.3.6.1.4.1.2021.10.1.5.1\"\nevery = \"60s\"\nabove = 400",
            ],
            &[],
        ),
        (
            "monitor -o sysName mem memAvailReal <= 100",
            &[
                "expression = \"1.3.6.1.4.1.2021.4.6.0\"\nevery = \"600s\"\nbelow = 101\nsend = [\"1.3.6.1.2.1.1.5.0\"]",
            ],
            &[],
        ),
        (
            "monitor a memSwapError != 0\nmonitor b memSwapError == 1\nmonitor c memSwapError != -2",
            &[
                "expression = \"1.3.6.1.4.1.2021.4.100.0 * 1.3.6.1.4.1.2021.4.100.0\"\nevery = \"600s\"\nabove = 0",
                "expression = \"(1.3.6.1.4.1.2021.4.100.0 - 1) * (1.3.6.1.4.1.2021.4.100.0 - 1)\"\nevery = \"600s\"\nbelow = 1",
                "(1.3.6.1.4.1.2021.4.100.0 + 2)",
            ],
            &[],
        ),
        (
            "monitor -D -r 2m t memAvailReal 10 20",
            &[
                "name = \"t 1\"\nexpression = \"delta(1.3.6.1.4.1.2021.4.6.0)\"\nevery = \"120s\"\nabove = 19\nclear = 10",
                "name = \"t 2\"",
                "below = 11\nclear = 20",
            ],
            &[],
        ),
        (
            "proc a\nproc b\nmonitor -o prNames p prErrorFlag != 0",
            &[
                "name = \"p 2\"\nexpression = \"1.3.6.1.4.1.2021.2.1.100.2 * 1.3.6.1.4.1.2021.2.1.100.2\"",
                "send = [\"1.3.6.1.4.1.2021.2.1.2.2\"]",
            ],
            &[],
        ),
        ("monitor i ifOperStatus != 2", &[], &["every row"]),
        ("monitor i ! ifOperStatus\nmonitor j ifOperStatus", &[], &["existence", "existence"]),
        (
            "notificationEvent e .1.3.6.1.4.1.99.0.1 -i sysName.0\nmonitor -I -e e n 1.3.6.1.4.1.99.1.0 > 5",
            &["notification = \"1.3.6.1.4.1.99.0.1\"\nsend = [\"1.3.6.1.2.1.1.5.0\"]"],
            &[],
        ),
        (
            "setEvent s x.0 = 1\nmonitor -I -e s n 1.3.6.1.4.1.99.1.0 > 5",
            &[],
            &["set nothing", "sets something"],
        ),
        ("monitor -I -e gone n 1.3.6.1.4.1.99.1.0 > 5", &[], &["is not defined"]),
        (
            "createUser i SHA maplesyrup\niquerySecName i\ndefaultMonitors yes\nload 5\nproc sshd\ndisk / 5%",
            &["name = \"process table\"", "name = \"memory\"", "name = \"dskTable\"", "name = \"laTable 3\""],
            &[],
        ),
    ]);
}
