//! The styles of a terminal, and which one shows each status.

use anstyle::{AnsiColor, Style};
use variant_runner::status::CellStatus;

pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const AMBER: Style = AnsiColor::Yellow.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();

/// The style by which a status is shown.
pub(crate) fn style_of(mark: CellStatus) -> Style {
    match mark {
        CellStatus::Ok => GREEN,
        CellStatus::Warning | CellStatus::Known => AMBER,
        CellStatus::Fail | CellStatus::NotRun => RED,
        CellStatus::NotSupported | CellStatus::Undecided | CellStatus::None => FAINT,
    }
}
