//! The tools of Net-SNMP that we stand in for, and their `-h` output.

/// One of Net-SNMP's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `snmpget`.
    Get,
    /// `snmpgetnext`.
    GetNext,
    /// `snmpbulkget`.
    BulkGet,
    /// `snmpwalk`.
    Walk,
    /// `snmpbulkwalk`.
    BulkWalk,
    /// `snmpset`.
    Set,
    /// `snmptable`.
    Table,
    /// `snmptranslate`.
    Translate,
    /// `snmptrap`.
    Trap,
    /// `snmpinform`.
    Inform,
    /// `snmpusm`.
    Usm,
    /// `snmpvacm`.
    Vacm,
    /// `encode_keychange`.
    Keychange,
    /// `snmpstatus`.
    Status,
    /// `snmpdf`.
    Df,
    /// `snmpnetstat`.
    Netstat,
    /// `snmpdelta`.
    Delta,
    /// `snmptest`.
    Test,
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 18] = [
        Tool::Get,
        Tool::GetNext,
        Tool::BulkGet,
        Tool::Walk,
        Tool::BulkWalk,
        Tool::Set,
        Tool::Table,
        Tool::Translate,
        Tool::Trap,
        Tool::Inform,
        Tool::Usm,
        Tool::Vacm,
        Tool::Keychange,
        Tool::Status,
        Tool::Df,
        Tool::Netstat,
        Tool::Delta,
        Tool::Test,
    ];

    /// The tool of this name.
    pub fn named(name: &str) -> Option<Self> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The name it is called by.
    pub const fn name(self) -> &'static str {
        match self {
            Tool::Get => "snmpget",
            Tool::GetNext => "snmpgetnext",
            Tool::BulkGet => "snmpbulkget",
            Tool::Walk => "snmpwalk",
            Tool::BulkWalk => "snmpbulkwalk",
            Tool::Set => "snmpset",
            Tool::Table => "snmptable",
            Tool::Translate => "snmptranslate",
            Tool::Trap => "snmptrap",
            Tool::Inform => "snmpinform",
            Tool::Usm => "snmpusm",
            Tool::Vacm => "snmpvacm",
            Tool::Keychange => "encode_keychange",
            Tool::Status => "snmpstatus",
            Tool::Df => "snmpdf",
            Tool::Netstat => "snmpnetstat",
            Tool::Delta => "snmpdelta",
            Tool::Test => "snmptest",
        }
    }

    /// Whether options may follow the first operand. Not if values follow, which may begin with `-`.
    pub const fn permutes(self) -> bool {
        !matches!(self, Tool::Set | Tool::Trap | Tool::Inform)
    }

    /// The exit status if the session cannot send a request or the answer is an error of the session: no user, an
    /// unknown user, a wrong password.
    pub const fn session_status(self) -> u8 {
        if matches!(self, Tool::Status) { 2 } else { 1 }
    }

    /// What follows the options.
    const fn operands(self) -> &'static str {
        match self {
            Tool::Get | Tool::GetNext | Tool::BulkGet | Tool::Delta => "AGENT OID [OID]...",
            Tool::Walk | Tool::BulkWalk => "AGENT [OID]",
            Tool::Set => "AGENT OID TYPE VALUE [OID TYPE VALUE]...",
            Tool::Table => "AGENT TABLE-OID",
            Tool::Translate => "OID [OID]...",
            Tool::Trap | Tool::Inform => "AGENT TRAP-PARAMETERS",
            Tool::Usm | Tool::Vacm => "AGENT COMMAND",
            Tool::Status | Tool::Df | Tool::Netstat | Tool::Test => "AGENT",
            Tool::Keychange => "-t md5|sha1 -E ENGINE-ID",
        }
    }

    /// The letters of `-C` and what else is the tool's own.
    const fn own_help(self) -> &'static str {
        match self {
            Tool::Get | Tool::GetNext | Tool::Status => {
                "  -C f     do not repeat the request without the refused object\n"
            }
            Tool::BulkGet => {
                "  -C nNUM  non-repeaters: how many objects are read once\n  -C rNUM  max-repetitions: how many instances of the others are read (10)\n"
            }
            Tool::BulkWalk => {
                "  -C c     continue if object identifiers do not increase\n  -C i     also read the given object itself\n  \
                 -C nNUM  non-repeaters (0)\n  -C p     print how many variables were found\n  -C rNUM  max-repetitions (10)\n"
            }
            Tool::Walk => {
                "  -C p     print how many variables were found\n  -C i     also read the given object itself\n  \
                 -C I     do not read the object itself if nothing is below it\n  \
                 -C c     continue if object identifiers do not increase\n  -C t     print how long it took\n  -C T     print how long each answer took\n  -C E OID end the walk there\n"
            }
            Tool::Set => {
                "  -C q     print nothing on success\n\n  TYPE: i INTEGER, u Unsigned32, t TimeTicks, a IpAddress, o OBJECT IDENTIFIER, s text,\n  \
                 x hexadecimal, d decimal octets, b BITS, U I F D numbers in Opaque, n NULL, = the module's type\n"
            }
            Tool::Table => {
                "  -C b     short names of columns\n  -C B     no GetBulk\n  -C cNUM  width of the columns\n  -C fSEP  separator between columns\n  \
                 -C h     only the heading\n  -C H     no heading\n  -C i     show the index\n  -C l     align to the left\n  \
                 -C rNUM  rows per GetBulk\n  -C wNUM  split the table at this width\n"
            }
            Tool::Translate => {
                "  -T a     all known names, with numbers\n  -T B     all objects whose name matches an expression (with -Ib)\n  \
                 -T d     everything known about the object\n  -T l     all names with path and numbers\n  \
                 -T o     the numbers of all objects\n  -T p     the tree below the object\n  -T s     the paths of all objects\n  \
                 -T t     all names as a tree\n  -T z     names and numbers of all objects\n"
            }
            Tool::Df => {
                "  -C u     the disks of UCD-SNMP-MIB (by default hrStorageTable, if there is one)\n  \
                 -C h     sizes in MiB, GiB and TiB\n  -C H     sizes in MB, GB and TB\n"
            }
            Tool::Delta => {
                "  -C s     with the time of day; k: with its seconds if the period is minutes\n  -C t     by the agent's clock, in a second\n  \
                 -C S     with the sum; L NAME: called so\n  -C m     with the largest change so far\n  -C T     as a table\n  \
                 -C p SECONDS  from one look to the next (1)\n  -C P NUMBER   looks for a line, which has the largest change too\n  \
                 -C l     into a file for each value, HOST-NAME\n  -C F FILE     objects, one a line\n  -C v NUMBER   objects in a message (60)\n  \
                 -C f     a refused object ends it\n"
            }
            Tool::Netstat => {
                "  -C a     sockets that wait for others, too\n  -C n     numbers in place of names\n  -C v     accepted: names are never cut\n  \
                 -C L     the old tables\n  -C f inet|inet6  only this family\n  -C p PROTOCOL    only tcp, udp, ip, ip6, icmp or icmp6\n  \
                 -C i     interfaces; with b octets too, o only octets, d packets dropped\n  -C I NAME        only this interface\n  \
                 -C w SECONDS     what the interfaces carry in this time, again and again\n  -C s     statistics; ss: only what is not 0\n  \
                 -C r     routes\n  -C R NUMBER      accepted: requests are as large as answers allow\n"
            }
            Tool::Test => {
                "\nSTANDARD INPUT:\n  An object in each line; an empty line sends the request, and another one sends it again.\n  \
                 $G $N $B $S  requests from now on are Get, GetNext, GetBulk, Set\n  $I $T        informs, SNMPv2 traps\n  \
                 $D           show the messages' octets, or no longer\n  $QP          quick printing on or off\n  $Q           end\n"
            }
            Tool::Trap | Tool::Inform => {
                "  -C i     send an inform instead of a trap\n\n  TRAP-PARAMETERS:\n  \
                 with -v1: ENTERPRISE-OID AGENT-ADDRESS GENERIC-TRAP SPECIFIC-TRAP UPTIME [OID TYPE VALUE]...\n  \
                 otherwise: UPTIME TRAP-OID [OID TYPE VALUE]...\n"
            }
            Tool::Usm | Tool::Keychange | Tool::Vacm => self.security_help(),
        }
    }

    /// The same for tools that change users and rights.
    const fn security_help(self) -> &'static str {
        match self {
            Tool::Usm => {
                "  -C E ENGINE-ID  the engine ID of the user's row (the agent's)\n  -C p TEXT  set usmUserPublic (create, cloneFrom)\n  \
                 -C w     create the user without activating it\n  -C a     change the key for authentication only\n  \
                 -C x     change the key for privacy only\n  -C k     passphrases that begin with 0x are localized keys\n\n  COMMAND:\n  \
                 create USER [FROM], cloneFrom USER FROM, delete USER, activate USER, deactivate USER,\n  \
                 passwd OLD NEW [USER]; `trunkline user password` keeps passphrases off the command line\n"
            }
            Tool::Keychange => {
                "  -t NAME        md5, sha1, SHA-224, SHA-256, SHA-384 or SHA-512: the user's hash\n  \
                 -E ENGINE-ID   the agent's: hexadecimal digits after 0x, otherwise a text of Net-SNMP\n  \
                 -O PASSPHRASE  the old one; otherwise the first line of ~/.snmp/passphrase.ek, or typed\n  \
                 -N PASSPHRASE  the new one; otherwise the second line\n  \
                 -f  read both from standard input   -P  no prompt   -V  show what is typed   -v  with a heading\n"
            }
            Tool::Vacm => {
                "  -C e     createView: exclude the subtree from the view\n\n  COMMAND:\n  \
                 createSec2Group MODEL NAME GROUP, deleteSec2Group MODEL NAME,\n  \
                 createView VIEW SUBTREE [MASK], deleteView VIEW SUBTREE,\n  \
                 createAccess GROUP [CONTEXT] MODEL LEVEL MATCH READ WRITE NOTIFY,\n  \
                 deleteAccess GROUP [CONTEXT] MODEL LEVEL,\n  \
                 createAuth GROUP [CONTEXT] MODEL LEVEL KIND MATCH VIEW,\n  \
                 deleteAuth GROUP [CONTEXT] MODEL LEVEL KIND\n  \
                 MODEL: 1 SNMPv1, 2 SNMPv2c, 3 USM; LEVEL: 1 noAuthNoPriv, 2 authNoPriv, 3 authPriv;\n  \
                 MATCH: 1 exact, 2 prefix;\n  \
                 `trunkline access` takes words in place of numbers\n"
            }
            _ => "",
        }
    }

    /// What `-h` and mistakes show.
    pub fn usage(self) -> String {
        let (name, operands, own) = (self.name(), self.operands(), self.own_help());
        let session = if self == Tool::Translate { "" } else { SESSION_HELP };
        let (session, names) = if self == Tool::Keychange { ("", "") } else { (session, NAMES_HELP) };
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "USAGE: {name} [OPTIONS] {operands}\n\n  Trunkline {version} in place of Net-SNMP's {name}; see `trunkline --help`.\n\n\
             OPTIONS:\n{GENERAL_HELP}{session}{names}{own}"
        )
    }
}

/// Whether it is a program of Net-SNMP 5.9 that we do not stand in for (`trunklined` does for `snmpd`).
pub fn is_unprovided(name: &str) -> bool {
    const OTHERS: [&str; 9] =
        ["agentxtrap", "mib2c", "snmpconf", "snmpd", "snmpping", "snmpps", "snmptls", "snmptop", "tkmib"];
    OTHERS.contains(&name)
}

const GENERAL_HELP: &str = "  -h, --help     this help\n  -V, --version  the version\n";

const SESSION_HELP: &str = "  -v 1|2c|3      version of SNMP
  -c COMMUNITY   community (versions 1 and 2c)
  -u NAME  -l noAuthNoPriv|authNoPriv|authPriv  -n CONTEXT
  -a MD5|SHA|SHA-224|SHA-256|SHA-384|SHA-512  -A PASSPHRASE
  -x DES|AES|AES-192|AES-256  -X PASSPHRASE
  -e ENGINE-ID  -E ENGINE-ID  security and context engine (version 3)
  -r RETRIES  -t SECONDS      how often and how long to wait for an answer
  -d             show the messages' octets
";

const NAMES_HELP: &str = "  -m MODULES  -M FOLDERS      MIB modules, and where they are
  -O LETTERS     output: n f s S u numbers, full, short, with module, as UCD; q Q quick;
                 v values only; e t U numbers without names, ticks, units; a x T 0 strings;
                 b E X indexes; p PRECISION
  -I LETTERS     input: R any name, b best match, r no range check, h no hints, u; s SUFFIX,
                 S PREFIX
  -L, -D, -P     accepted for Net-SNMP's sake
  -Y TOKEN=VALUE, --TOKEN=VALUE  a line of snmp.conf
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usages_fit_into_100_columns() {
        for tool in Tool::ALL {
            let usage = tool.usage();
            let long: Vec<&str> = usage.lines().filter(|line| line.chars().count() >= 100).collect();
            assert!(long.is_empty(), "{}: {long:#?}", tool.name());
        }
    }

    #[test]
    fn names_are_names_of_tools() {
        for tool in Tool::ALL {
            assert_eq!(Tool::named(tool.name()), Some(tool));
            assert!(tool.usage().starts_with(&format!("USAGE: {} [OPTIONS] ", tool.name())));
        }
        assert_eq!(Tool::named("snmp"), None);
        assert!(is_unprovided("snmpps") && !is_unprovided("snmpget") && !is_unprovided("snmp"));
    }
}
