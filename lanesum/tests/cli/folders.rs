//! All files of folders.

use super::{Folder, hex};
use std::fs;

#[test]
fn files_come_in_the_order_of_their_names() {
    let folder = Folder::new("files_come_in_order");
    for dir in ["d", "d/b", "d/b/deep", "d/empty"] {
        fs::create_dir(folder.path().join(dir)).unwrap();
    }
    let files = ["d/a", "d/b/deep/z", "d/b/x", "d/b.txt", "d/c"];
    for file in files.iter().rev() {
        folder.write(file, file.as_bytes());
    }
    folder.write("other", b"other");
    let expected: String = files
        .iter()
        .map(|file| format!("{}  {file}\n", hex(file.as_bytes())))
        .collect();
    let other = format!("{}  other\n", hex(b"other"));
    for threads in ["1", "3"] {
        let run = folder.run(["--num-threads", threads, "-r", "d", "other"]);
        assert_eq!(run.text(), format!("{expected}{other}"));
    }
    folder
        .run(["d"])
        .fails("", &["lanesum: d: ", "expected a file, or --recursive"]);
    folder
        .run(["-r", "gone", "d"])
        .fails(&expected, &["lanesum: gone: "]);
    folder
        .run(["-r", "-c", "d"])
        .fails("", &["--recursive", "--check"]);
}

#[test]
#[cfg(unix)]
fn special_files_are_skipped_with_a_word() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    let folder = Folder::new("special_files");
    fs::create_dir(folder.path().join("d")).unwrap();
    folder.write("d/a", b"a");
    symlink("a", folder.path().join("d/link")).unwrap();
    symlink("..", folder.path().join("d/loop")).unwrap();
    let fifo = folder.path().join("d/fifo");
    assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
    let run = folder.run(["-r", "d"]);
    assert_eq!(run.stdout(), format!("{}  d/a\n", hex(b"a")));
    assert_eq!(
        run.stderr(),
        "lanesum: d/fifo: skipped: a special file\n\
         lanesum: d/link: skipped: a symbolic link\n\
         lanesum: d/loop: skipped: a symbolic link\n"
    );
    assert_eq!(run.0.status.code(), Some(0));
}
