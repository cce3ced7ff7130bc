//! Which programs and receivers get which notifications: `traphandle` and `forward`.

use trunkline_smi::Oid;

/// What is done with a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A command line for the shell.
    Run(String),
    /// Another receiver.
    Forward(String),
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Where it stands, for messages.
    pub name: String,
    /// What is done.
    pub what: What,
}

/// Which notifications a line is for, beside the one that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wild {
    /// None (`OID`).
    Exact,
    /// Those below it, too (`OID*`).
    Within,
    /// Only those below it (`OID.*`).
    Below,
}

/// All lines.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    /// The lines, in their order.
    pub all: Vec<Handler>,
    /// Those of each object identifier, as positions in `all`.
    groups: Vec<(Oid, Vec<(Wild, usize)>)>,
    /// Those for everything else.
    default: Vec<usize>,
}

impl Handlers {
    /// Adds a line for `default`, `OID`, `OID*` or `OID.*`.
    ///
    /// # Errors
    /// Why the name is not known.
    pub fn add(
        &mut self,
        pattern: &str,
        handler: Handler,
        find: &dyn Fn(&str) -> Result<Oid, String>,
    ) -> Result<(), String> {
        let at = self.all.len();
        if pattern == "default" {
            // The last line is the first to run, as in snmptrapd.
            self.default.insert(0, at);
            self.all.push(handler);
            return Ok(());
        }
        let (text, wild) = match (pattern.strip_suffix(".*"), pattern.strip_suffix('*')) {
            (Some(text), _) => (text, Wild::Below),
            (None, Some(text)) => (text, Wild::Within),
            (None, None) => (pattern, Wild::Exact),
        };
        let oid = find(text).map_err(|why| format!("{text:?} is not a known notification: {why}"))?;
        match self.groups.iter_mut().find(|(known, _)| *known == oid) {
            Some((_, lines)) => lines.push((wild, at)),
            None => self.groups.push((oid, vec![(wild, at)])),
        }
        self.all.push(handler);
        Ok(())
    }

    /// The positions of the lines for a notification: those of the longest object identifier that has one for it.
    pub fn of(&self, oid: &Oid) -> Vec<usize> {
        let holding = |(named, lines): &(Oid, Vec<(Wild, usize)>)| -> Vec<usize> {
            let holds = |wild: Wild| match wild {
                Wild::Exact => oid == named,
                Wild::Within => oid.starts_with(named),
                Wild::Below => oid.starts_with(named) && oid != named,
            };
            lines.iter().filter(|(wild, _)| holds(*wild)).map(|(_, at)| *at).collect()
        };
        let found = self.groups.iter().map(|group| (group.0.len(), holding(group)));
        let found = found.filter(|(_, lines)| !lines.is_empty()).max_by_key(|(length, _)| *length);
        found.map_or_else(|| self.default.clone(), |(_, lines)| lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The letters of the lines for 1.3.6.1.4.1.9.0.5, as snmptrapd 5.9.3 runs them.
    fn run(lines: &str) -> String {
        let find = |text: &str| text.parse::<Oid>().map_err(|fault| fault.to_string());
        let mut handlers = Handlers::default();
        for line in lines.split(';') {
            let (letter, pattern) = line.split_once(' ').unwrap();
            let handler = Handler { name: letter.to_owned(), what: What::Run(letter.to_owned()) };
            handlers.add(pattern, handler, &find).unwrap();
        }
        let found = handlers.of(&"1.3.6.1.4.1.9.0.5".parse().unwrap());
        found.into_iter().map(|at| handlers.all[at].name.clone()).collect()
    }

    #[test]
    fn the_longest_name_decides() {
        for (lines, expected) in [
            ("a 1.3.6.1.4.1*;b 1.3.6.1.4.1.9*", "b"),
            ("b 1.3.6.1.4.1.9*;a 1.3.6.1.4.1*", "b"),
            ("a 1.3.6.1.4.1.9.*;b 1.3.6.1.4.1.9*", "ab"),
            ("a 1.3.6.1.4.1.9.0.5;b 1.3.6.1.4.1*;c 1.3.6.1.4.1.9.0.5", "ac"),
            ("b 1.3.6.1.4.1.9.0.5*;c 1.3.6.1.4.1.9.0.5", "bc"),
            ("a 1.3.6.1.4.1.9.0.5.*;b 1.3.6*;c default", "b"),
            ("a 1.3.6.1.4.1.9;c default;d default", "dc"),
            ("a 1.3.6.1.4.1.9.0.6", ""),
        ] {
            assert_eq!(run(lines), expected, "{lines}");
        }
    }
}
