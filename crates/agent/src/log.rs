//! The format of an event in the log: one record, whatever a stranger put into it.

use std::fmt::{self, Debug};

use tracing::field::Field;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use trunkline_smi::{visible, visible_lines};

/// Writes fields as `tracing-subscriber` does, but with escapes: a field is on one line, and only the first line
/// of a message begins a line of the log, so that no sender can forge a record.
pub fn fields() -> impl for<'w> FormatFields<'w> + Send + Sync + 'static {
    debug_fn(write_field).delimited(" ")
}

fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> fmt::Result {
    let text = format!("{value:?}");
    let name = field.name();
    if name == "message" {
        return writer.write_str(&visible_lines(&text).replace('\n', "\n    "));
    }
    let (name, text) = (name.strip_prefix("r#").unwrap_or(name), visible(&text));
    match writer.has_ansi_escapes() {
        true => write!(writer, "\x1b[3m{name}\x1b[0m\x1b[2m=\x1b[0m{text}"),
        false => write!(writer, "{name}={text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt;
    use trunkline_config::log_filter;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(octets)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged of a stranger's text.
    fn logged(ansi: bool, log: impl FnOnce()) -> String {
        let written = Written::default();
        let to = written.clone();
        let subscriber = tracing_subscriber::fmt().fmt_fields(fields()).with_writer(move || to.clone());
        let subscriber = subscriber.with_ansi(ansi).without_time().with_target(false).finish();
        tracing::subscriber::with_default(subscriber, log);
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn library_messages_that_strangers_cause_are_logged_only_on_request() {
        let logged = |text: &str| {
            let written = Written::default();
            let to = written.clone();
            let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE);
            let subscriber =
                subscriber.with_writer(move || to.clone()).with_ansi(false).without_time().finish();
            tracing::subscriber::with_default(subscriber.with(log_filter(text).unwrap()), || {
                tracing::warn!(target: "h2::proto::streams", "too many resets");
                tracing::warn!(target: "trunkline_transport::http", "refused");
            });
            String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
        };
        let (ours, both) = (" WARN trunkline_transport::http: refused\n", 2);
        assert_eq!(logged("info"), ours);
        assert_eq!(logged("warn,trunkline_transport=info"), ours);
        assert_eq!(logged("info,h2=warn").lines().count(), both);
        assert_eq!(logged("h2=debug,info").lines().count(), both);
    }

    const LIE: &str = "x\n2026-01-01 INFO ann was here\r\u{1b}[2J\u{85}\u{2028}\u{202e}";

    #[test]
    fn a_record_cannot_be_forged() {
        let shown = "x\\n2026-01-01 INFO ann was here\\r\\x1B[2J\\x85\\u{2028}\\u{202E}";
        let text = logged(false, || tracing::info!(user = %LIE, count = 3, "refused"));
        assert_eq!(text, format!(" INFO refused user={shown} count=3\n"));
        let text = logged(false, || tracing::warn!("{LIE}"));
        assert_eq!(text, " WARN x\n    2026-01-01 INFO ann was here\\r\\x1B[2J\\x85\\u{2028}\\u{202E}\n");
        let text = logged(true, || tracing::info!(user = %LIE, "refused"));
        assert!(text.contains(shown) && text.lines().count() == 1, "{text:?}");
    }
}
