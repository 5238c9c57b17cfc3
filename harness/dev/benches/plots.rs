//! Draws how cost grows, for reports/growth: `cargo bench -p variant-dev --bench plots`.

#![allow(clippy::unwrap_used, reason = "a development tool; a panic says enough")]

use std::collections::BTreeMap;
use std::path::Path;

use plotters::prelude::*;
use variant_dev::{Bench, Growth, project};

const SIZE: (u32, u32) = (720, 440);
const COLOURS: [RGBColor; 2] = [RGBColor(0, 90, 156), RGBColor(196, 78, 0)];

fn main() {
    let mut together: BTreeMap<&str, Vec<Growth>> = BTreeMap::new();
    for growth in Bench::new(&[]).unwrap().growths().unwrap() {
        together.entry(growth.of).or_default().push(growth);
    }
    let folder = project().join("reports/growth");
    std::fs::create_dir_all(&folder).unwrap();
    for (of, growths) in together {
        draw(&folder.join(format!("{of}.svg")), of, &growths);
    }
}

/// Both axes are logarithmic: proportional cost is a line parallel to the grey one.
fn draw(path: &Path, of: &str, growths: &[Growth]) {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE).unwrap();
    let all: Vec<(f64, f64)> = growths.iter().flat_map(points).collect();
    let range = |of: fn(&(f64, f64)) -> f64| {
        let numbers = all.iter().map(of);
        numbers.clone().fold(f64::MAX, f64::min) / 1.5..numbers.fold(0.0, f64::max) * 1.5
    };
    let (x, y) = (range(|point| point.0), range(|point| point.1));
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("CPU time, by the number of {of}"), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(72)
        .build_cartesian_2d(x.log_scale(), y.log_scale())
        .unwrap();
    chart
        .configure_mesh()
        .x_desc(of)
        .y_desc("µs")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y}"))
        .light_line_style(TRANSPARENT)
        .draw()
        .unwrap();
    let ((few, short), (many, _)) = (all[0], all[all.len() - 1]);
    let line = [(few, short), (many, short * many / few)];
    let grey = RGBColor(150, 150, 150);
    chart
        .draw_series(LineSeries::new(line, grey.stroke_width(1)))
        .unwrap()
        .label("in proportion")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], grey));
    for (growth, colour) in growths.iter().zip(COLOURS) {
        let series = LineSeries::new(points(growth), colour.stroke_width(2)).point_size(3);
        let label = format!("{}: power {:.2}", growth.what, growth.exponent());
        chart
            .draw_series(series)
            .unwrap()
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .border_style(grey)
        .background_style(WHITE)
        .draw()
        .unwrap();
    area.present().unwrap();
}

fn points(growth: &Growth) -> Vec<(f64, f64)> {
    #[expect(clippy::cast_precision_loss, reason = "a point of a picture")]
    growth.points.iter().map(|(count, time)| (*count as f64, time.as_secs_f64() * 1e6)).collect()
}
