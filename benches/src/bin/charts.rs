//! `charts`: draws what `ladder` measured.
//!
//! ```text
//! cargo run --release -p benches --bin charts -- ladder.json --out docs
//! ```
//!
//! For each of our tiers in the reports, two charts: time per byte by size, and the peers' time over ours by size.
//! Reports of several builds, with the official crate held to several tiers, can be given together.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use benches::{KIB, Mode, Peer, Report, Run, label};
use clap::Parser;
use plotters::coord::Shift;
use plotters::coord::combinators::WithKeyPoints;
use plotters::prelude::*;

/// Draws SVG charts of what `ladder` wrote.
#[derive(Debug, Parser)]
struct Args {
    /// Files that `ladder --json` wrote.
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    /// The folder for the charts, which are named `time-TIER.svg` and `ratio-TIER.svg`.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// The mode to draw; other modes than `hash` are added to the files' names.
    #[arg(long, value_enum, default_value = "hash")]
    mode: Mode,
    /// Leaves out peers on another tier than ours, where they say.
    #[arg(long)]
    like: bool,
}

/// Below, the time per byte says nothing that the time per hash does not.
const LEAST: usize = 64;

const SIZE: (u32, u32) = (960, 540);
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(0x33, 0x3a, 0x42);
const GRID: RGBColor = RGBColor(0xd5, 0xda, 0xe0);
const FAINT: RGBColor = RGBColor(0xef, 0xf1, 0xf4);
const OURS: RGBColor = RGBColor(0xd9, 0x48, 0x0f);

/// Colours that remain apart for the colour-blind.
const fn colour(peer: Peer) -> RGBColor {
    match peer {
        Peer::Official => RGBColor(0x1c, 0x6d, 0xd0),
        Peer::Rscrypto => RGBColor(0x0c, 0x9a, 0x74),
        Peer::Sha2 => RGBColor(0x86, 0x8e, 0x96),
        Peer::Ourselves => RGBColor(0x3b, 0x3b, 0x3b),
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut reports: Vec<Report> = Vec::new();
    for path in &args.reports {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        let report = serde_json::from_reader(BufReader::new(file))
            .with_context(|| path.display().to_string())?;
        reports.push(report);
    }
    let first = &reports[0];
    for report in &reports {
        // One chart, one title.
        let same =
            report.machine.cpu == first.machine.cpu && report.build.profile == first.build.profile;
        ensure!(
            same,
            "the reports are of different machines or build profiles"
        );
    }
    let runs: Vec<_> = reports
        .iter()
        .flat_map(|report| &report.runs)
        .filter(|run| run.mode == args.mode && run.points.iter().any(|point| point.size >= LEAST))
        .filter(|run| !args.like || run.peer_tier.as_ref().is_none_or(|tier| *tier == run.tier))
        .collect();
    ensure!(
        !runs.is_empty(),
        "nothing to draw for mode {}",
        args.mode.name()
    );

    let mut tiers: Vec<&str> = runs.iter().map(|run| run.tier.as_str()).collect();
    tiers.sort_unstable();
    tiers.dedup();
    fs::create_dir_all(&args.out)?;
    let suffix = if args.mode == Mode::Hash {
        String::new()
    } else {
        format!("-{}", args.mode.name())
    };
    for tier in tiers {
        let runs: Vec<_> = runs
            .iter()
            .copied()
            .filter(|run| run.tier == tier)
            .collect();
        let what = if args.mode == Mode::Hash {
            String::new()
        } else {
            format!(" ({})", args.mode.name())
        };
        let place = format!(
            "{}, {tier}, one thread, {} build",
            first.machine.cpu, first.build.profile
        );
        for (kind, title, draw) in [
            (
                "time",
                format!("BLAKE3{what}: time per byte"),
                draw_times as Draw,
            ),
            (
                "ratio",
                format!("BLAKE3{what}: the peer's time over ours"),
                draw_ratios as Draw,
            ),
        ] {
            let path = args.out.join(format!("{kind}-{tier}{suffix}.svg"));
            let title = Title {
                title,
                place: place.clone(),
            };
            draw(&path, &title, &runs).with_context(|| path.display().to_string())?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

type Draw = fn(&Path, &Title, &[&Run]) -> Result<()>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Log = LogCoord<f64>;

struct Title {
    title: String,
    place: String,
}

/// The sheet below the title.
fn sheet<'a>(path: &'a Path, title: &Title) -> Result<Area<'a>> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    root.draw(&Text::new(
        title.title.clone(),
        (20, 16),
        (FONT, 25).into_font().style(FontStyle::Bold).color(&INK),
    ))?;
    root.draw(&Text::new(
        title.place.clone(),
        (20, 44),
        (FONT, 17).into_font().color(&INK),
    ))?;
    Ok(root.margin(76, 12, 12, 36))
}

/// The sizes at the x axis: every fourth power of two, from the least to the greatest drawn.
fn ticks(runs: &[&Run]) -> (f64, f64, Vec<f64>) {
    let sizes = || {
        runs.iter()
            .flat_map(|run| &run.points)
            .map(|point| point.size)
            .filter(|&size| size >= LEAST)
    };
    let least = sizes().min().unwrap_or(LEAST);
    let greatest = sizes().max().unwrap_or(KIB).max(2 * least);
    let ticks = (6..40)
        .step_by(2)
        .map(|power| 1_usize << power)
        .filter(|size| (least..=greatest).contains(size));
    (
        least as f64,
        greatest as f64,
        ticks.map(|size| size as f64).collect(),
    )
}

/// Round values of a logarithmic axis that holds `least` and `greatest`: its ends, and its ticks.
fn round_values(least: f64, greatest: f64, steps: &[f64]) -> (f64, f64, Vec<f64>) {
    let decades = (least.log10().floor() as i32)..=(greatest.log10().ceil() as i32);
    let values: Vec<_> = decades
        .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
        .collect();
    let low = values
        .iter()
        .copied()
        .filter(|&value| value <= least)
        .fold(values[0], f64::max);
    let high = values
        .iter()
        .copied()
        .filter(|&value| value >= greatest)
        .fold(f64::INFINITY, f64::min);
    let inside = values
        .into_iter()
        .filter(|value| (low..=high).contains(value))
        .collect();
    (low, high, inside)
}

type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<WithKeyPoints<Log>, WithKeyPoints<Log>>>;

/// Axes and grid.
fn axes<'a, 'b>(
    area: &'a Area<'b>,
    (x0, x1, xs): (f64, f64, Vec<f64>),
    (y0, y1, ys): (f64, f64, Vec<f64>),
    y_title: &str,
    y_label: &dyn Fn(&f64) -> String,
) -> Result<Chart<'a, 'b>> {
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (x0..x1).log_scale().with_key_points(xs),
            (y0..y1).log_scale().with_key_points(ys),
        )?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(FAINT)
        .axis_style(INK)
        .label_style((FONT, 16).into_font().color(&INK))
        .axis_desc_style((FONT, 17).into_font().color(&INK))
        .x_labels(32)
        .y_labels(32)
        .x_desc("input size (log scale)")
        .y_desc(y_title)
        .x_label_formatter(&|size| label(size.round() as usize))
        .y_label_formatter(y_label)
        .draw()?;
    Ok(chart)
}

fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, position: SeriesLabelPosition) -> Result<()> {
    chart
        .configure_series_labels()
        .position(position)
        .margin(14)
        .legend_area_size(28)
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .label_font((FONT, 17).into_font().color(&INK))
        .draw()?;
    Ok(())
}

fn draw_line(
    chart: &mut Chart<'_, '_>,
    points: impl IntoIterator<Item = (f64, f64)>,
    colour: RGBColor,
    width: u32,
    name: String,
) -> Result<()> {
    let style = colour.stroke_width(width);
    chart
        .draw_series(LineSeries::new(points, style))?
        .label(name)
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], style));
    Ok(())
}

fn draw_times(path: &Path, title: &Title, runs: &[&Run]) -> Result<()> {
    let per_byte = |run: &Run, time: fn(&benches::Summary) -> f64| -> Vec<_> {
        let points = run.points.iter().filter(|point| point.size >= LEAST);
        points
            .map(|point| (point.size as f64, time(&point.summary) / point.size as f64))
            .collect()
    };
    // Ours was measured against each of them; the first is as good as any.
    let ours = per_byte(runs[0], |summary| summary.ours);
    let theirs: Vec<_> = runs
        .iter()
        .map(|run| (*run, per_byte(run, |summary| summary.theirs)))
        .collect();
    let all = || {
        theirs
            .iter()
            .flat_map(|(_, points)| points)
            .chain(&ours)
            .map(|&(_, time)| time)
    };
    let (least, greatest) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(0.0, f64::max),
    );

    let root = sheet(path, title)?;
    let mut chart = axes(
        &root,
        ticks(runs),
        round_values(least, greatest, &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]),
        "ns per byte (log scale), lower is better",
        &|time| format!("{}", (time * 1e6).round() / 1e6),
    )?;
    for (run, points) in theirs {
        draw_line(&mut chart, points, colour(run.peer), 2, run.peer_label())?;
    }
    let name = format!("blake3-lanes ({})", runs[0].tier);
    draw_line(&mut chart, ours, OURS, 3, name)?;
    legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    drop(chart);
    root.present()?;
    Ok(())
}

fn draw_ratios(path: &Path, title: &Title, runs: &[&Run]) -> Result<()> {
    // SHA-256 is another league in bulk: on the same axis it would flatten all else.
    let runs: Vec<_> = runs
        .iter()
        .copied()
        .filter(|run| run.peer.is_blake3())
        .collect();
    ensure!(
        !runs.is_empty(),
        "no peer that computes BLAKE3 was measured"
    );
    let points = |run: &Run, ratio: fn(&benches::Summary) -> f64| -> Vec<_> {
        let points = run.points.iter().filter(|point| point.size >= LEAST);
        points
            .map(|point| (point.size as f64, ratio(&point.summary)))
            .collect()
    };
    let all = |ratio| {
        runs.iter()
            .flat_map(move |run| points(run, ratio))
            .map(|(_, ratio)| ratio)
    };
    let least = all(|summary| summary.low).fold(1.0, f64::min);
    let greatest = all(|summary| summary.high).fold(1.0, f64::max);

    let root = sheet(path, title)?;
    let x = ticks(&runs);
    let (x0, x1) = (x.0, x.1);
    let steps = [
        1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
    ];
    let mut chart = axes(
        &root,
        x,
        round_values(least, greatest, &steps),
        "peer's time / ours (log scale), higher is better",
        &|ratio| format!("{}", (ratio * 1e6).round() / 1e6),
    )?;
    for run in &runs {
        // Between the 10th and the 90th percentile of the pairs.
        let low = points(run, |summary| summary.low);
        let band = points(run, |summary| summary.high)
            .into_iter()
            .chain(low.into_iter().rev());
        chart.draw_series([Polygon::new(
            band.collect::<Vec<_>>(),
            colour(run.peer).mix(0.15),
        )])?;
    }
    for run in &runs {
        draw_line(
            &mut chart,
            points(run, |summary| summary.ratio),
            colour(run.peer),
            2,
            run.peer_label(),
        )?;
    }
    draw_line(
        &mut chart,
        [(x0, 1.0), (x1, 1.0)],
        OURS,
        2,
        format!("blake3-lanes ({})", runs[0].tier),
    )?;
    legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    drop(chart);
    root.present()?;
    Ok(())
}
