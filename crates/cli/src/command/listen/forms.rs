//! Notifications as text for programs, files and logs.

use std::fmt::Write as _;

use trunkline_client::{Received, VarBind};
use trunkline_mib::{Names, Quick, Style};
use trunkline_receiver::{Form, Forms, addresses, bindings};
use trunkline_smi::{Oid, visible};

use super::record;
use trunkline_show::record::{line, value};

/// Names, and how they are written.
pub struct Written<'n> {
    pub(super) names: &'n Names,
    pub(super) style: Style,
    /// As Net-SNMP writes for programs.
    quick: Style,
    pub(super) show_community: bool,
}

impl<'n> Written<'n> {
    /// Names and values in this style.
    pub fn new(names: &'n Names, style: &Style, show_community: bool) -> Self {
        let mut quick = *style;
        quick.quick = Quick::Space;
        quick.hex_line = 0;
        Written { names, style: *style, quick, show_community }
    }

    /// The address line and the objects.
    fn traphandle(&self, received: &Received) -> String {
        let mut out = addresses(received) + "\n";
        for binding in bindings(received) {
            let _ = writeln!(out, "{}", visible(&line(self.names, &self.quick, &binding)));
        }
        out
    }
}

impl Forms for Written<'_> {
    fn write(&self, form: Form, received: &Received) -> String {
        match form {
            Form::Traphandle => self.traphandle(received),
            Form::Json => {
                let record = record::record(received, self.names, &self.style, self.show_community);
                // A record is made of texts and numbers.
                serde_json::to_string(&record).unwrap_or_default() + "\n"
            }
            Form::Text => record::text(received, self.names, &self.style, self.show_community),
        }
    }

    fn line(&self, received: &Received) -> String {
        let mut out = record::sender(received, self.show_community);
        let _ = write!(out, ": {}", self.names.format_oid(&received.notification.trap_oid, &self.style));
        for binding in &received.notification.bindings {
            let _ = write!(out, ", {}", line(self.names, &self.style, binding));
        }
        let out = visible(&out).into_owned();
        if out.len() <= MOST_OF_A_LINE {
            return out;
        }
        let end = (0..=MOST_OF_A_LINE).rev().find(|end| out.is_char_boundary(*end)).unwrap_or(0);
        format!("{}...", &out[..end])
    }

    fn value(&self, binding: &VarBind) -> String {
        value(self.names, binding)
    }

    fn oid(&self, name: &str) -> Result<Oid, String> {
        self.names.resolve(name).map_err(|fault| fault.to_string())
    }
}

/// Octets of a line in a log: /dev/log and the journal take longer ones, but those who read them do not.
const MOST_OF_A_LINE: usize = 4000;
