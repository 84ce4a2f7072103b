//! Commands, the copy, progress, threads.

use super::{Folder, hex, pattern};
use blake3_lanes::Tier;

#[test]
fn tiers_are_listed() {
    let folder = Folder::new("tiers_are_listed");
    let text = folder.run(["tiers"]).text();
    let names: Vec<_> = Tier::available().map(Tier::name).collect();
    assert_eq!(text.lines().count(), names.len());
    assert!(
        text.ends_with(&format!("{} (used)\n", Tier::detect().name())),
        "{text}"
    );
}

#[test]
fn bench_names_the_tier_and_gives_numbers() {
    let folder = Folder::new("bench_names");
    let text = folder.run(["bench"]).text();
    assert!(
        text.starts_with(&format!("tier {}", Tier::detect())),
        "{text}"
    );
    let last = text.lines().last().unwrap();
    let numbers: Vec<f64> = last
        .split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect();
    assert_eq!(numbers.len(), Tier::available().count() + 2);
    assert!(numbers.iter().all(|&number| number > 0.0), "{text}");
}

#[test]
fn completions_and_manual() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(["completions", shell]).text();
        assert!(script.contains("ignore-missing"), "{shell}");
    }
    let page = folder.run(["man"]).text();
    assert!(
        page.contains(".TH lanesum 1") && page.contains("derive\\-key"),
        "{page}"
    );
}

/// As `b3sum` does with `b3sum *`.
#[test]
fn a_file_with_the_name_of_a_command() {
    let folder = Folder::new("a_file_with_the_name");
    folder.write("bench", b"a file");
    folder.write("x", b"x");
    let line = |name: &str, content| format!("{}  {name}\n", hex(content));
    let expected = line("bench", b"a file") + &line("x", b"x");
    assert_eq!(folder.run(["bench", "x"]).text(), expected);
    assert_eq!(folder.run(["--", "bench", "x"]).text(), expected);
    let other = line("x", b"x") + &line("bench", b"a file");
    assert_eq!(folder.run(["x", "bench"]).text(), other);
}

#[test]
fn the_copy_is_the_input() {
    let folder = Folder::new("the_copy");
    for len in [0, 1, 100_000, 3_000_000] {
        let content = pattern(len);
        let run = folder.run_with(&content, ["--tee"]);
        assert_eq!(run.stderr(), format!("{}  -\n", hex(&content)));
        assert!(run.0.stdout == content);
    }
    folder.write("a", b"a");
    let run = folder.run(["--tee", "--tag", "a"]);
    assert_eq!(run.stdout(), "a");
    assert_eq!(run.stderr(), format!("BLAKE3 (a) = {}\n", hex(b"a")));
    folder
        .run(["--tee", "a", "a"])
        .fails("", &["--tee", "found 2"]);
    folder
        .run(["--tee", "gone"])
        .fails("", &["lanesum: gone: "]);
}

#[test]
fn any_number_of_threads_and_maps() {
    let folder = Folder::new("any_number_of_threads");
    let mut expected = String::new();
    let mut names = Vec::new();
    for i in 0..40 {
        let content = pattern(if i % 7 == 0 { 3_000_000 + i } else { i * 1000 });
        let name = format!("f{i}");
        folder.write(&name, &content);
        expected += &format!("{}  {name}\n", hex(&content));
        names.push(name);
    }
    let all = |options: &[&str]| {
        let options = options.iter().map(|option| (*option).to_owned());
        folder.run(options.chain(names.iter().cloned())).text()
    };
    for threads in ["0", "1", "2", "7"] {
        for map in [
            &[][..],
            &["--mmap"],
            &["--no-mmap"],
            &["--mmap", "--no-mmap"],
        ] {
            let option = format!("--num-threads={threads}");
            let options = [&[option.as_str()], map].concat();
            assert_eq!(all(&options), expected, "{options:?}");
        }
    }
    folder
        .run(["--num-threads", "x", "f1"])
        .fails("", &["--num-threads", "x"]);
}

#[test]
fn progress_only_where_it_is_asked_for() {
    let folder = Folder::new("progress_only");
    folder.write("a", &pattern(5_000_000));
    let expected = format!("{}  a\n", hex(&pattern(5_000_000)));
    // None, since standard error is no terminal here.
    assert_eq!(folder.run(["a"]).text(), expected);
    assert_eq!(folder.run(["--progress=auto", "a"]).text(), expected);
    assert_eq!(folder.run(["--progress=never", "a"]).text(), expected);
    let run = folder.run(["--progress=always", "a"]);
    assert_eq!(run.stdout(), expected);
    assert!(run.stderr().contains("MiB"), "{}", run.stderr());
}

/// Whatever Ctrl-C finds half done, what has been printed are whole lines.
#[test]
#[cfg(unix)]
fn an_interrupt_leaves_whole_lines() {
    use super::lanesum;
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let folder = Folder::new("an_interrupt");
    folder.write("a", b"a");
    let line = format!("{}  a\n", hex(b"a"));
    for round in 0..20 {
        let mut child = lanesum()
            .args(std::iter::repeat_n("a", 50_000))
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        out.read_line(&mut text).unwrap();
        std::thread::sleep(std::time::Duration::from_micros(200 * round));
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        out.read_to_string(&mut text).unwrap();
        let code = child.wait().unwrap().code();
        assert!(
            code == Some(130) || text.len() == 50_000 * line.len(),
            "{code:?}"
        );
        assert!(text.len().is_multiple_of(line.len()), "{}", text.len());
        assert_eq!(text, line.repeat(text.len() / line.len()));
    }
}
