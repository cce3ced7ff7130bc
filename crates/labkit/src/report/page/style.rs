//! How a page looks: on a light and a dark ground, on wide and narrow screens, and on paper.

use std::fmt::Write;

use crate::report::{claims, palette};

/// The whole style sheet.
pub(super) fn css() -> String {
    let mut css = String::new();
    for (around, ground) in AROUND.into_iter().zip([0, 1, 0]) {
        let values: String =
            GROUNDS.iter().map(|(name, values)| format!("--{name}:{};", values[ground])).collect();
        let _ = write!(css, "{}:root{{{values}}}{}", around.0, around.1);
    }
    css + &palette::css() + STYLE + claims::STYLE + PRINTED
}

/// What the values are for: any screen, a dark one, and paper whatever the screen is.
const AROUND: [(&str, &str); 3] =
    [("", ""), ("@media (prefers-color-scheme:dark){", "}"), ("@media print{", "}")];

/// The colours of everything but the series, on a light and a dark ground.
const GROUNDS: [(&str, [&str; 2]); 10] = [
    ("ground", ["#ffffff", "#14181d"]),
    ("ink", ["#1b1f24", "#e6eaef"]),
    ("quiet", ["#57606a", "#9aa5b1"]),
    ("edge", ["#d0d7de", "#3a434d"]),
    ("hair", ["#e7eaee", "#272e36"]),
    ("axis", ["#8c959f", "#6f7a86"]),
    ("soft", ["#f6f8fa", "#1c2229"]),
    ("link", ["#1260a8", "#6cb0ff"]),
    ("good", ["#1a7f37", "#4cc26a"]),
    ("warn", ["#9a5b00", "#e3b341"]),
];

const STYLE: &str = "\
:root{color-scheme:light dark}\
*{box-sizing:border-box}\
html{scroll-behavior:smooth}\
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI','Liberation Sans',Arial,sans-serif}\
main{max-width:1280px;margin:0 auto;padding:28px 24px 64px}\
h1{font-size:30px;line-height:1.2;margin:4px 0 10px}h2{font-size:21px;line-height:1.3;margin:0 0 4px}h3{font-size:16px;margin:22px 0 4px}\
a{color:var(--link)}p{margin:0 0 10px}.over{margin:0;color:var(--link);font-weight:600}\
.meta,.note,.of,figcaption{color:var(--quiet);font-size:14px;max-width:96ch}.note{margin:10px 0 0}.of{margin:0 0 10px}\
h2 small{font-size:13px;font-weight:400;color:var(--quiet);margin-left:8px;white-space:nowrap}\
section{margin:26px 0 0}section.sheet,section.how{margin-top:44px;padding-top:16px;border-top:1px solid var(--edge)}\
.answer{border-left:4px solid var(--good);padding:2px 16px}.answer h2{font-size:15px;color:var(--good)}\
.answer ul{margin:0;padding:0;list-style:none}.answer li{margin:4px 0;max-width:96ch}.answer li:first-child{font-size:1.2em;font-weight:600}\
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px;margin:20px 0 0}\
.tiles div{border:1px solid var(--edge);border-radius:8px;padding:12px 14px;display:flex;flex-direction:column;background:var(--soft)}\
.tiles span{color:var(--quiet);font-size:14px}.tiles b{font-size:26px;line-height:1.3}.tiles small{font-size:14px}\
nav ol{margin:0;padding:0;list-style:none;columns:2 420px;column-gap:32px}nav li{margin:0 0 6px;break-inside:avoid;line-height:1.35}nav h2{font-size:17px;margin-bottom:8px}\
nav a{text-decoration:none}nav a:hover{text-decoration:underline}nav small{color:var(--quiet)}\
details.doubts{margin:12px 0 0;border-left:3px solid var(--warn);padding:2px 0 2px 12px;font-size:14px}\
.doubts summary{cursor:pointer}.doubts summary b{color:var(--warn)}.doubts ul{margin:6px 0;padding-left:18px}\
.doubts li{margin:3px 0;overflow-wrap:anywhere;max-width:110ch}\
details.rows>summary{font-weight:600;cursor:pointer;margin:8px 0}\
figure{margin:14px 0 20px;max-width:1000px}figcaption{margin-top:4px}svg{display:block;width:100%;height:auto}\
svg text{font-family:system-ui,-apple-system,'Segoe UI','Liberation Sans',Arial,sans-serif;fill:var(--ink)}\
svg .panel{font-weight:600}svg .axis{fill:var(--quiet)}svg .name,svg .label{fill:currentColor}svg .label{paint-order:stroke;stroke:var(--ground);stroke-width:3px;stroke-linejoin:round}\
svg .grid{stroke:var(--hair);fill:none}svg .frame{stroke:var(--axis);fill:none}\
.narrow{display:none;max-width:520px}@media screen and (max-width:760px){.wide{display:none}.narrow{display:block}}\
.scroll{overflow-x:auto;max-width:max-content;background:\
linear-gradient(90deg,var(--ground) 30%,transparent) left/36px 100% local,linear-gradient(270deg,var(--ground) 30%,transparent) right/36px 100% local,\
radial-gradient(farthest-side at 0 50%,rgba(127,127,127,.45),transparent) left/14px 100% scroll,\
radial-gradient(farthest-side at 100% 50%,rgba(127,127,127,.45),transparent) right/14px 100% scroll;background-repeat:no-repeat}\
table{border-collapse:separate;border-spacing:0;font-size:14px;font-variant-numeric:tabular-nums lining-nums}\
th,td{padding:4px 12px;text-align:right;vertical-align:baseline;border-bottom:1px solid var(--hair)}\
td{white-space:nowrap}th{font-weight:600;vertical-align:bottom;max-width:150px;line-height:1.25}thead tr:last-child th,thead td{border-bottom:2px solid var(--axis)}\
th.group{text-align:center;border-bottom:1px solid var(--edge);max-width:none}th.group,.first{border-left:1px solid var(--hair)}\
.name{text-align:left}td.name{white-space:normal;min-width:210px;max-width:420px}td.of{font-size:inherit;white-space:nowrap;min-width:0}\
tr>.name:first-child{position:sticky;left:0;background:var(--ground);z-index:1}\
.paper,.ratio{color:var(--quiet)}.ratio{font-style:italic}\
td small{color:var(--quiet);font-size:11px;margin-left:4px}td.noisy{color:var(--warn)}td.noisy small{color:inherit}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;font-size:15px;margin:0}dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}\
code{background:var(--soft);padding:2px 6px;border-radius:4px;font-size:14px;overflow-wrap:anywhere}\
@media (max-width:600px){main{padding:18px 14px 48px}h1{font-size:25px}h2{font-size:19px}h2 small{display:block;margin:0}table{font-size:13px}\
th,td{padding:4px 8px}td.name{min-width:104px;max-width:40vw;overflow-wrap:break-word}dl{grid-template-columns:1fr}dd{margin-bottom:6px}nav ol{columns:1}}";

/// On paper nothing scrolls and nothing is folded: tables shrink and wrap, and may go over several pages.
const PRINTED: &str = "\
@media print{@page{size:A4;margin:12mm}:root{color-scheme:light}body{font-size:10pt}main{max-width:none;padding:0}\
section.sheet{margin-top:16px;padding-top:8px}section,figure,ul,table,.scroll{break-inside:auto}h1,h2,h3,summary{break-after:avoid}\
h1,h2,figure,tr,.tiles div,.answer{break-inside:avoid}.of{break-after:avoid}.meta,.note,.of,figcaption,details.doubts{font-size:8.5pt}\
.note,.of,figcaption{max-width:none}thead{display:table-header-group}\
.scroll{overflow:visible;max-width:none;background:none}table{font-size:8pt;width:100%}table.dense{font-size:6.5pt}table.dense th,table.dense td{padding:1px 2px}\
th,td{padding:2px 4px}td{white-space:normal}th{max-width:none;overflow-wrap:break-word}tr>.name:first-child{position:static}td.name{min-width:34mm;max-width:none}td.of{min-width:0}\
td small{font-size:85%}.narrow{display:none}.wide{display:block}svg{max-height:85mm}figure{margin:6px 0 8px}a{color:inherit;text-decoration:none}\
details::details-content{content-visibility:visible;block-size:auto;height:auto}summary{list-style:none}h1{font-size:18pt}h2{font-size:12pt}.tiles b{font-size:14pt}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_grounds_and_paper_define_every_variable() {
        let css = css();
        for (name, values) in GROUNDS {
            assert_eq!(
                css.matches(&format!("--{name}:{};", values[0])).count(),
                2,
                "{name}: screen and paper"
            );
            assert_eq!(css.matches(&format!("--{name}:{};", values[1])).count(), 1, "{name}: dark");
        }
        for used in css.split("var(--").skip(1) {
            let name = used.split(')').next().unwrap();
            assert!(css.contains(&format!("--{name}:")), "{name} is used and not defined");
        }
    }

    #[test]
    fn paper_shows_all_columns_and_everything_that_is_folded() {
        let css = css();
        let printed = css.rsplit_once("@media print{@page").unwrap().1;
        for rule in [
            "size:A4",
            ".scroll{overflow:visible",
            "table{font-size:8pt;width:100%}",
            "td{white-space:normal}",
            "thead{display:table-header-group}",
            "section,figure,ul,table,.scroll{break-inside:auto}",
            "details::details-content{content-visibility:visible",
            "summary{list-style:none}",
        ] {
            assert!(printed.contains(rule), "{rule}");
        }
        assert_eq!(css.matches('{').count(), css.matches('}').count());
    }
}
