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
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 10] = [
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
        }
    }

    /// Whether options may follow the first operand. Not if values follow, which may begin with `-`.
    pub const fn permutes(self) -> bool {
        !matches!(self, Tool::Set | Tool::Trap | Tool::Inform)
    }

    /// What follows the options.
    const fn operands(self) -> &'static str {
        match self {
            Tool::Get | Tool::GetNext | Tool::BulkGet => "AGENT OID [OID]...",
            Tool::Walk | Tool::BulkWalk => "AGENT [OID]",
            Tool::Set => "AGENT OID TYPE VALUE [OID TYPE VALUE]...",
            Tool::Table => "AGENT TABLE-OID",
            Tool::Translate => "OID [OID]...",
            Tool::Trap | Tool::Inform => "AGENT TRAP-PARAMETERS",
        }
    }

    /// The letters of `-C` and what else is the tool's own.
    const fn own_help(self) -> &'static str {
        match self {
            Tool::Get | Tool::GetNext => "  -C f     do not repeat the request without the refused object\n",
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
            Tool::Trap | Tool::Inform => {
                "  -C i     send an inform instead of a trap\n\n  TRAP-PARAMETERS:\n  \
                 with -v1: ENTERPRISE-OID AGENT-ADDRESS GENERIC-TRAP SPECIFIC-TRAP UPTIME [OID TYPE VALUE]...\n  \
                 otherwise: UPTIME TRAP-OID [OID TYPE VALUE]...\n"
            }
        }
    }

    /// What `-h` and mistakes show.
    pub fn usage(self) -> String {
        let (name, operands, own) = (self.name(), self.operands(), self.own_help());
        let session = if self == Tool::Translate { "" } else { SESSION_HELP };
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "USAGE: {name} [OPTIONS] {operands}\n\n  Trunkline {version} in place of Net-SNMP's {name}; see `trunkline --help`.\n\n\
             OPTIONS:\n{GENERAL_HELP}{session}{NAMES_HELP}{own}"
        )
    }
}

/// Whether it is a program of Net-SNMP 5.9 that we do not stand in for (`trunklined` does for `snmpd`).
pub fn is_unprovided(name: &str) -> bool {
    const OTHERS: [&str; 18] = [
        "agentxtrap",
        "encode_keychange",
        "mib2c",
        "snmpconf",
        "snmpd",
        "snmpdelta",
        "snmpdf",
        "snmpnetstat",
        "snmpping",
        "snmpps",
        "snmpstatus",
        "snmptest",
        "snmptls",
        "snmptop",
        "snmptrapd",
        "snmpusm",
        "snmpvacm",
        "tkmib",
    ];
    OTHERS.contains(&name)
}

const GENERAL_HELP: &str = "  -h, --help     this help\n  -V, --version  the version\n";

const SESSION_HELP: &str = "\
  -v 1|2c|3      version of SNMP
  -c COMMUNITY   community (versions 1 and 2c)
  -u NAME  -l noAuthNoPriv|authNoPriv|authPriv  -n CONTEXT
  -a MD5|SHA|SHA-224|SHA-256|SHA-384|SHA-512  -A PASSPHRASE
  -x DES|AES|AES-192|AES-256  -X PASSPHRASE
  -e ENGINE-ID  -E ENGINE-ID  security and context engine (version 3)
  -r RETRIES  -t SECONDS      how often and how long to wait for an answer
  -d             show the messages' octets
";

const NAMES_HELP: &str = "\
  -m MODULES  -M FOLDERS      MIB modules, and where they are
  -O LETTERS     output: n f s S u numbers, full, short, with module, as UCD; q Q quick; v values only;
                 e t U numbers without names, ticks, units; a x T 0 strings; b E X indexes; p PRECISION
  -I LETTERS     input: R any name, b best match, r no range check, h no hints, u; s SUFFIX, S PREFIX
  -L, -D, -P     accepted for Net-SNMP's sake
  -Y TOKEN=VALUE, --TOKEN=VALUE  a line of snmp.conf
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_tools() {
        for tool in Tool::ALL {
            assert_eq!(Tool::named(tool.name()), Some(tool));
            assert!(tool.usage().starts_with(&format!("USAGE: {} [OPTIONS] ", tool.name())));
        }
        assert_eq!(Tool::named("snmp"), None);
        assert!(is_unprovided("snmpdf") && !is_unprovided("snmpget") && !is_unprovided("snmp"));
    }
}
