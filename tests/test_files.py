"""Files are written whole or not at all, and what is not a file stays what it is."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from laconic import SetCoveringClassifier, model_file
from laconic._files import check_place, same_file, write_whole


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_a_new_file_has_the_permissions_that_the_user_gives_new_files(tmp_path):
    older = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", "text")
    finally:
        os.umask(older)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_replaced_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


def test_the_target_of_a_link_is_replaced(tmp_path):
    (tmp_path / "there").write_text("old")
    (tmp_path / "link").symlink_to("there")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_text() == "new"


def test_a_read_only_file_stays_unless_forced(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="is read-only, and stays as it is"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    write_whole(path, "new", force=True)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o444)


def test_a_model_is_not_saved_over_a_read_only_file(tmp_path):
    model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit([[0.0], [1.0]], [0, 1])
    path = tmp_path / "model.json"
    path.touch(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        model.save(path)
    assert path.read_bytes() == b""
    model_file.save(model, path, force=True)
    assert model_file.load(path).predict([[0.0]]).tolist() == [0]


def test_a_pipe_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(path.read_bytes)
        write_whole(path, b"text" * 50_000)  # more than a pipe holds
        assert read.result(timeout=60) == b"text" * 50_000
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_a_device_stays_a_device():
    write_whole(os.devnull, "text")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
def test_a_full_device_is_an_error_that_names_it():
    with pytest.raises(OSError, match="/dev/full") as refused:
        write_whole("/dev/full", "text")
    assert refused.value.errno == errno.ENOSPC
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_broken_pipe_is_an_error_that_names_it():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with pytest.raises(BrokenPipeError, match=f"/dev/fd/{writing}"):
            write_whole(f"/dev/fd/{writing}", "text")
    finally:
        os.close(writing)


def test_an_open_file_is_appended_to_where_it_was_opened_so(tmp_path):
    """As ``laconic predict ... -o /dev/stdout >> log`` needs it; through links, too."""
    log = tmp_path / "log"
    log.write_text("old\n")
    with log.open("a") as file:
        (tmp_path / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        write_whole(f"/dev/fd/{file.fileno()}", "new\n")
        write_whole(tmp_path / "link", "newer\n")
    assert log.read_text() == "old\nnew\nnewer\n"
    with pytest.raises(FileNotFoundError, match="is not open"):
        check_place("/dev/fd/987654")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "names a directory"),
        ("folder/", "names a directory"),
        ("new/", "names a directory"),
        ("", "names a directory"),
        ("missing/file", "There is no directory '.*missing' to write 'file' to"),
        ("astray", "There is no directory '.*missing' to write 'file' to"),
        ("loop", "Too many levels of symbolic links"),
        ("file/below", "Not a directory"),
        ("socket", "is no file, and nothing that a stream can be written to"),
        ("x" * 300, "File name too long"),
    ],
)
def test_places_are_refused_before_anything_is_written(tmp_path, name, message, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket has to be short
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "astray").symlink_to("missing/file")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        before = names(tmp_path)
        for attempt in (check_place, lambda path: write_whole(path, "new")):
            with pytest.raises(OSError, match=message):
                attempt(name)
    assert names(tmp_path) == before
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_directory_that_cannot_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="The directory .* cannot be written to"):
        check_place(tmp_path / "file")
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("trouble", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_when_the_writing_fails_the_older_file_stays_and_nothing_else(tmp_path, monkeypatch, trouble):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(_):
        raise trouble

    monkeypatch.setattr("laconic._files.os.fsync", fail)
    with pytest.raises(type(trouble)) as failed:
        write_whole(path, "new")
    if isinstance(trouble, OSError):
        assert failed.value.filename == str(path)
    assert names(tmp_path) == ["file"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_ended_while_it_writes_leaves_the_older_file(tmp_path, blow):
    path = tmp_path / "file"
    path.write_text("old")
    code = f"""
import os, time
from laconic._files import write_whole
def slow(_):
    print("writing", flush=True)
    time.sleep(60)
os.fsync = slow
write_whole({str(path)!r}, "new")
"""
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running.stdout.readline()
    running.send_signal(blow)
    running.communicate(timeout=60)
    assert path.read_text() == "old"
    left = [name for name in names(tmp_path) if name != "file"]
    assert len(left) == (blow == signal.SIGKILL)  # nobody can clean up after that


def test_of_several_writers_one_wins_and_nothing_is_mixed(tmp_path):
    path = tmp_path / "file"
    texts = [letter * 100_000 for letter in "abcd"]
    start = threading.Barrier(len(texts))

    def write(text):
        start.wait()
        for _ in range(5):
            write_whole(path, text)

    with ThreadPoolExecutor(len(texts)) as writers:
        list(writers.map(write, texts))
    assert path.read_text() in texts
    assert names(tmp_path) == ["file"]


def test_one_file_has_many_names(tmp_path):
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_text("a")
    other.write_text("a")
    (tmp_path / "soft").symlink_to("file")
    (tmp_path / "hard").hardlink_to(path)
    assert same_file(path, tmp_path / "soft")
    assert same_file(tmp_path / "hard", path)
    assert not same_file(path, other)
    with path.open() as opened:
        assert same_file(path, opened.fileno())
    assert not same_file(os.devnull, os.devnull)  # nothing is lost there
