"""Journals: whatever is cut, killed, altered or written at once, the chain holds, or it is said where it does not."""

import contextlib
import hashlib
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic import _journal
from laconic._journal import START, Entry, locked, read
from laconic.exceptions import DamagedFile

PAYLOADS = [{"name": "Zoë", "lines": "one\ntwo"}, 1.5, ["a", None, {"sha256": "0" * 64}]]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits as POSIX has them")


@pytest.fixture
def quick(monkeypatch):
    """Do not wait for the disk, where a test writes hundreds of times."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def append(path, *payloads, after=START):
    with locked(path, after) as journal:
        journal.append(*payloads)
    return journal


def payloads(path):
    return [entry.payload for entry in read(path)]


def check_chain(data):
    """Check a journal as the module's text says, without its code, and return what it holds."""
    previous, found = "0" * 64, []
    assert data.endswith(b"\n") or not data
    for line in data.splitlines():
        content = json.loads(line)
        assert list(content) == ["previous", "payload", "sha256"]
        assert content["previous"] == previous
        previous = content["sha256"]
        assert previous == hashlib.sha256(line[: line.rindex(b',"sha256"')]).hexdigest()
        found.append(content["payload"])
    return found


def test_what_is_appended_is_read_and_is_as_it_is_described(tmp_path):
    place = tmp_path / "a journal"
    for payload in PAYLOADS:
        append(place, payload)
    assert payloads(place) == PAYLOADS
    assert check_chain(place.read_bytes()) == PAYLOADS
    last = append(place, 4, 5).last
    assert read(place)[-1] == last
    assert read(place, last) == ()
    append(place, 6)
    assert [entry.payload for entry in read(place, last)] == [6]


def test_a_file_that_is_cut_anywhere_has_its_whole_lines_and_goes_on(tmp_path, quick):
    place = tmp_path / "whole"
    append(place, *PAYLOADS)
    data, ends = place.read_bytes(), [entry.end for entry in read(place)]
    for size in range(len(data) + 1):
        place.write_bytes(data[:size])
        left = PAYLOADS[: sum(end - 1 <= size for end in ends)]
        assert payloads(place) == left
        assert place.read_bytes() == data[:size]  # who reads does not write
        append(place, "next")
        assert check_chain(place.read_bytes()) == [*left, "next"]


def test_a_disk_that_lost_what_was_not_yet_ended_leaves_a_piece(tmp_path):
    place = tmp_path / "holes"
    append(place, *PAYLOADS)
    start, size = read(place)[1].end, place.stat().st_size
    data = bytearray(place.read_bytes())
    data[start : start + 20] = bytes(20)
    place.write_bytes(data[: size - 1])
    assert payloads(place) == PAYLOADS[:2]
    append(place, "next")
    assert check_chain(place.read_bytes()) == [*PAYLOADS[:2], "next"]


def test_every_altered_byte_is_noticed(tmp_path):
    place = tmp_path / "altered"
    append(place, *PAYLOADS)
    data = place.read_bytes()
    for at in range(len(data)):
        for other in {data[at] ^ 1, ord("\n")} - {data[at]}:
            place.write_bytes(data[:at] + bytes([other]) + data[at + 1 :])
            with pytest.raises(DamagedFile, match="Restore the file"):
                read(place)
            with pytest.raises(DamagedFile), locked(place):
                pass
            assert len(place.read_bytes()) == len(data)  # nothing was repaired away


def test_lines_that_are_dropped_moved_or_inserted_are_noticed(tmp_path):
    place, other = tmp_path / "lines", tmp_path / "other"
    append(place, *"abcd")
    append(other, *"wxyz")
    a, b, c, d = place.read_bytes().splitlines(keepends=True)
    stranger = other.read_bytes().splitlines(keepends=True)[1]
    for lines in ([b, c, d], [a, c, d], [a, b, d], [a, c, b, d], [a, b, b, c, d], [a, stranger, b, c, d], [a, b, c, a]):
        place.write_bytes(b"".join(lines))
        with pytest.raises(DamagedFile, match="dropped, inserted or moved"):
            read(place)
    for data, said in (
        (b"a,b\n1,2\n", "is no journal"),
        (b'{\n "format": "laconic watch"\n}\n', "is no journal"),
        (b"\n" + a, "its line 1"),
        (a + b"\n", "its line 2"),
        (a.replace(b"\n", b"\r\n") + b, "its line 1"),
    ):
        place.write_bytes(data)
        with pytest.raises(DamagedFile, match=said):
            read(place)


def test_a_sealed_line_that_is_no_json_is_refused_in_words(tmp_path):
    for inside in (b"nothing", b'"\xff"', b"[" * 100_000 + b"]" * 100_000):
        head = _journal._head("0" * 64) + inside
        (tmp_path / "odd").write_bytes(head + _journal._seal(hashlib.sha256(head).hexdigest()) + b"\n")
        with pytest.raises(DamagedFile, match="line 1 is no JSON"):
            read(tmp_path / "odd")


def test_who_has_read_an_entry_notices_that_it_is_gone(tmp_path):
    place, other = tmp_path / "journal", tmp_path / "other"
    known = append(place, 1, 2).last
    first, second = place.read_bytes().splitlines(keepends=True)
    append(other, "x" * 500)
    for data in (b"", first, first + second[:-20], other.read_bytes()):
        place.write_bytes(data)
        with pytest.raises(DamagedFile, match="no longer holds line 2"):
            read(place, known)
        with pytest.raises(DamagedFile, match="no longer holds line 2"):
            append(place, 3, after=known)
        assert place.read_bytes() == data


def test_places_that_cannot_hold_a_journal_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no directory"):
        append(tmp_path / "missing" / "journal", 1)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "missing")
    with pytest.raises(IsADirectoryError, match="names a directory"):
        append(tmp_path, 1)
    place = tmp_path / "journal"
    append(place, 1)
    place.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        append(place, 2)
    assert payloads(place) == [1]


@POSIX
def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", "/dev/null"):
        for use in (read, append):
            with pytest.raises(OSError, match="no ordinary file"):
                use(place)


@POSIX
@pytest.mark.parametrize("room", [0, 1, 150, 300, 420])
def test_a_disk_that_is_full_leaves_the_journal_as_it_was(tmp_path, room):
    import resource

    place = tmp_path / "journal"
    append(place, 1)
    before, limits = place.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (len(before) + room, limits[1])
    )  # the system writes what there is room for
    try:
        with pytest.raises(OSError, match="journal"):
            append(place, "x" * 200, "y" * 200)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert place.read_bytes() == before
    assert payloads(place) == [1]
    append(place, 2)
    assert check_chain(place.read_bytes()) == [1, 2]


@pytest.fixture
def answers_ctrl_c():
    """Have Python's own handler, also where the tests run in the background, which ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_on_the_way_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    place = tmp_path / "journal"
    append(place, 1)
    before = place.read_bytes()
    for finished in ([], [None]):  # before and after the line feed
        left = iter(finished)
        monkeypatch.setattr(
            os, "fsync", lambda _, left=left: next(left, 0) is None or signal.raise_signal(signal.SIGINT)
        )
        with pytest.raises(KeyboardInterrupt):
            append(place, 2)
        assert place.read_bytes() == before


# ---- several at once

COUNTER = """
import sys
from laconic._journal import locked

print("ready", flush=True)
sys.stdin.readline()
for _ in range(12):
    with locked(sys.argv[1]) as journal:
        journal.append(len(journal.entries))
    print(len(journal.entries))
"""


def start(code, *arguments):
    """Start a program, which waits for a line once it is ready."""
    environment = os.environ | {"PYTHONPATH": os.path.dirname(os.path.dirname(laconic.__file__))}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def test_processes_that_write_at_once_lose_nothing(tmp_path):
    place = tmp_path / "journal"
    programs = [start(COUNTER, place) for _ in range(8)]
    for program in programs:
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        program.stdin.write("go\n")
        program.stdin.flush()
    said = [int(line) for program in programs for line in program.communicate(timeout=60)[0].splitlines()]
    assert sorted(said) == list(range(96))
    assert check_chain(place.read_bytes()) == list(range(96))


def test_threads_that_write_at_once_lose_nothing(tmp_path):
    place = tmp_path / "journal"

    def count():
        for _ in range(10):
            with locked(place) as journal:
                journal.append(len(journal.entries))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert check_chain(place.read_bytes()) == list(range(40))


WRITER = """
import sys
from laconic import _journal

def write(journal, data):  # slowly, so that it is hit on the way
    for at in range(0, len(data), 16):
        journal.file.write(data[at : at + 16])

_journal.Journal._write = write
last = _journal.START
while True:
    with _journal.locked(sys.argv[1], last) as journal:
        journal.append("x" * 20_000)
    last = journal.last
    print(last.number, flush=True)
"""


@POSIX
def test_a_process_that_is_killed_at_any_time_leaves_a_valid_journal(tmp_path):
    place, rng, torn = tmp_path / "journal", random.Random(0), 0
    for _ in range(12):
        with start(WRITER, place) as program:
            told = int(program.stdout.readline())
            time.sleep(rng.random() * 0.05)
            program.kill()
            told = [told, *map(int, program.stdout.read().split())][-1]
        assert told <= len(read(place)) <= told + 1  # at most a line more, whose line feed was missing
        torn += not place.read_bytes().endswith(b"\n")
    assert torn, "no line was hit"
    held = payloads(place)
    append(place, "next")
    assert check_chain(place.read_bytes()) == [*held, "next"]


KILLED = """
import os, signal, sys
from laconic import _journal

def write(journal, data):
    at = int(sys.argv[2]) - journal.file.seek(0, 2)
    journal.file.write(data[:max(at, 0)])
    if at < len(data):
        os.kill(os.getpid(), signal.SIGKILL)

_journal.Journal._write = write
with _journal.locked(sys.argv[1]) as journal:
    journal.append("x" * 30)
"""


@POSIX
@pytest.mark.parametrize("left", [0, 1, 60, 100, None])
def test_a_process_that_is_killed_at_a_byte_leaves_a_piece_and_no_lock(tmp_path, left):
    place = tmp_path / "journal"
    append(place, "x" * 30)
    size = place.stat().st_size
    written = 0 if left is None else size - 1 - left
    with start(KILLED, place, size + written) as program:
        assert program.wait(60) == -signal.SIGKILL
    assert place.stat().st_size == size + written
    whole = ["x" * 30] * (2 if left == 0 else 1)  # all but the line feed
    assert payloads(place) == whole
    append(place, "next")
    assert check_chain(place.read_bytes()) == [*whole, "next"]


STEPS = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 2), st.lists(st.integers(0, 9), max_size=3)),
    st.tuples(st.just("read"), st.integers(0, 2), st.none()),
    st.tuples(st.just("crash"), st.integers(0, 2), st.integers(0, 400)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_any_order_of_steps_gives_what_was_appended_in_its_order(tmp_path_factory, steps):
    place, held = tmp_path_factory.mktemp("steps") / "journal", []
    known: list[list[Entry]] = [[], [], []]
    append(place)
    for verb, who, what in steps:
        mine = known[who]
        last = mine[-1] if mine else START
        if verb == "read":
            mine += read(place, last)
        elif verb == "append":
            with locked(place, last) as journal:
                mine += journal.entries
                assert [entry.payload for entry in mine] == held
                journal.append(*what)
            held += what
        else:
            with contextlib.suppress(ConnectionAbortedError), locked(place, last) as journal:
                held += crash(journal, what)
        assert [entry.payload for entry in mine] == held[: len(mine)]
    assert payloads(place) == held


def crash(journal, size):
    """Write the first bytes of a line and nothing more; it counts if it lacks no more than its line feed."""
    head = _journal._head(journal.last.digest) + b'"crash"'
    line = head + _journal._seal(hashlib.sha256(head).hexdigest())
    journal._mend()
    journal.file.write(line[:size])
    return ["crash"] if size >= len(line) else []


def test_windows_locks_a_byte_far_behind_the_lines(tmp_path, monkeypatch):
    """Run the code for Windows on a stand-in for its locks, which knows one holder of a byte at a time."""
    held, used = {}, []

    def locking(number, mode, n_bytes):
        byte = os.lseek(number, 0, os.SEEK_CUR)
        inode = os.fstat(number).st_ino
        used.append((mode, byte, n_bytes))
        if mode == 2:  # try to lock
            if held.setdefault((inode, byte), number) != number:
                raise PermissionError(13, "Permission denied")
        else:
            assert held.pop((inode, byte)) == number

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2, LK_UNLCK=0))
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("laconic._journal_of_windows", _journal.__file__)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.undo()
    place = tmp_path / "journal"

    def count():
        for _ in range(10):
            with module.locked(place) as journal:
                journal.append(len(journal.entries))
                module.time.sleep(0.001)

    threads = [threading.Thread(target=count) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    with pytest.raises(ZeroDivisionError), module.locked(place):
        raise ZeroDivisionError
    assert held == {}
    assert {(byte > 2**30, n_bytes) for _, byte, n_bytes in used} == {(True, 1)}
    assert check_chain(place.read_bytes()) == list(range(30))
    assert [entry.payload for entry in module.read(place)] == list(range(30))
