//! A table drawn for a terminal: as wide as it may be, in several blocks if it must be,
//! each with the row keys in front.

use comfy_table::{Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};
use trunkline_smi::visible;

/// A table to draw. Cells and names may contain anything from an agent: they are made visible here.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// The names of all columns.
    pub header: Vec<String>,
    /// How many columns in front name the row; they are repeated in each block.
    pub keys: usize,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
    /// Which columns hold numbers: these are right-aligned.
    pub numeric: Vec<bool>,
}

/// Cells longer than this are broken into lines: an endpoint of IPv6 is not.
const WIDEST: usize = 48;
/// Between two columns: padding and the space of [`LINES`].
const GAP: usize = 2;
/// Spaces between columns, a line of dashes under the header.
const LINES: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('-').junction(' '))
    .content_lines(ContentLineStyle::none().junction(' '));

impl Drawing {
    /// The table as text; without a width as wide as its content.
    pub fn draw(&self, width: Option<usize>) -> String {
        let blocks = self.blocks(width.unwrap_or(usize::MAX));
        let drawn: Vec<String> = blocks.iter().map(|columns| self.block(columns, width)).collect();
        drawn.join("\n\n") + "\n"
    }

    /// Whether one block is enough.
    pub fn fits(&self, width: usize) -> bool {
        (0..self.header.len()).map(|column| self.width(column)).sum::<usize>() <= width
    }

    /// How wide the keys are.
    pub fn keys_width(&self) -> usize {
        (0..self.keys.min(self.header.len())).map(|column| self.width(column)).sum()
    }

    /// Which columns are in which block.
    fn blocks(&self, width: usize) -> Vec<Vec<usize>> {
        let keys: Vec<usize> = (0..self.keys.min(self.header.len())).collect();
        let keys_width = self.keys_width();
        let mut blocks = Vec::new();
        let (mut block, mut used) = (keys.clone(), keys_width);
        for column in self.keys..self.header.len() {
            let needed = self.width(column);
            if used + needed > width && block.len() > keys.len() {
                blocks.push(std::mem::replace(&mut block, keys.clone()));
                used = keys_width;
            }
            block.push(column);
            used += needed;
        }
        blocks.push(block);
        blocks
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).chain([&self.header[column]]);
        let longest = cells.map(|cell| visible(cell).chars().count()).max();
        longest.unwrap_or(0).min(WIDEST) + GAP
    }

    fn block(&self, columns: &[usize], width: Option<usize>) -> String {
        let mut table = Table::new();
        table.load_style(LINES).set_content_arrangement(ContentArrangement::Dynamic);
        let widths = columns.iter().map(|column| self.width(*column)).sum::<usize>();
        table.set_width(u16::try_from(widths.min(width.unwrap_or(widths))).unwrap_or(u16::MAX));
        table.set_header(columns.iter().map(|column| self.cell(*column, &self.header[*column])));
        for row in &self.rows {
            let cell = |column: &usize| self.cell(*column, row.get(*column).map_or("", String::as_str));
            table.add_row(columns.iter().map(cell));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 1));
        }
        let text = table.to_string();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    fn cell(&self, column: usize, text: &str) -> Cell {
        let numeric = self.numeric.get(column).copied().unwrap_or(false);
        let alignment = if numeric { CellAlignment::Right } else { CellAlignment::Left };
        Cell::new(visible(text)).set_alignment(alignment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing() -> Drawing {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        Drawing {
            header: words("ifIndex ifDescr ifMtu ifPhysAddress ifOperStatus"),
            keys: 1,
            rows: vec![words("1 lo 65536 - up"), words("12 eth0 1500 52:54:0:12:34:56 down")],
            numeric: vec![true, false, true, false, false],
        }
    }

    #[test]
    fn a_table_that_fits_is_one_block() {
        assert_eq!(
            drawing().draw(None),
            "\
ifIndex  ifDescr  ifMtu  ifPhysAddress     ifOperStatus
-------- -------- ------ ----------------- -------------
      1  lo       65536  -                 up
     12  eth0      1500  52:54:0:12:34:56  down
"
        );
    }

    #[test]
    fn a_table_that_does_not_fit_has_blocks_with_the_keys_repeated() {
        assert_eq!(
            drawing().draw(Some(30)),
            "\
ifIndex  ifDescr  ifMtu
-------- -------- ------
      1  lo       65536
     12  eth0      1500

ifIndex  ifPhysAddress
-------- -----------------
      1  -
     12  52:54:0:12:34:56

ifIndex  ifOperStatus
-------- -------------
      1  up
     12  down
"
        );
    }

    #[test]
    fn no_cell_ends_its_line() {
        let mut drawing = drawing();
        drawing.rows[0][1] = "lo\n     13  eth1\r\u{202e}".to_owned();
        drawing.rows[1][0] = "12\n".to_owned();
        let drawn = drawing.draw(None);
        assert_eq!(drawn.lines().count(), 4, "{drawn}");
        assert!(drawn.contains("lo\\n     13  eth1\\r\\u{202E}  65536"), "{drawn}");
    }

    #[test]
    fn nothing_is_drawn_wider_than_requested() {
        for width in [20, 30, 40, 60, 80, 120] {
            let mut drawing = drawing();
            drawing.rows[0][1] =
                "a very long description of an interface that nobody would want to type".into();
            let drawn = drawing.draw(Some(width));
            let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width.max(26), "{width}: {widest}\n{drawn}");
        }
    }
}
