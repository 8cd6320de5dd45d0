"""Counting k-mers equals a dictionary's; faults are named by file and line; nothing half-built is taken for whole."""

import contextlib
import gzip
import json
import resource
import signal
import subprocess
import sys
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.oracles import kmers as oracle

from laconic.covering import PackedBits
from laconic.covering.packed import _writer
from laconic.covering.parts import text_of
from laconic.exceptions import DamagedFile
from laconic.genomics import _building as building
from laconic.genomics import _drafts as drafts
from laconic.genomics import _held as held
from laconic.genomics import _kernels as kernels
from laconic.genomics import _sequences as sequences_module
from laconic.genomics import build_kmers


def drawn(rng, n_letters, letters="ACGT"):
    return "".join(rng.choice(list(letters), n_letters))


def write(path, sequences, width=60):
    lines = [
        f">s{number}\n" + "".join(s[i : i + width] + "\n" for i in range(0, len(s), width))
        for number, s in enumerate(sequences)
    ]
    text = "".join(lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def unpacked(bits):
    table = bits.__laconic_table__()
    k = table.store.header.k
    return [text_of(int(code), k) for code in table.store.codes], [
        (table.unpacked(place) == 1).tolist() for place in range(bits.n_packed)
    ]


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.sampled_from([1, 3, 5, 7, 13, 31]),
    n_genomes=st.sampled_from([1, 3, 65]),
    min_count=st.sampled_from([1, 2, 3]),
)
def test_the_matrix_is_that_of_dictionaries(tmp_path_factory, seed, k, n_genomes, min_count):
    rng, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("genomes")
    common = drawn(rng, 80)
    genomes = []
    for _ in range(n_genomes):
        parts = [drawn(rng, rng.integers(0, 60), "ACGTN"), oracle.turned(common), common, common[20:], drawn(rng, 40)]
        genomes.append([*parts, "ACRYGTNNACG"])
    files = {f"g{i}": write(folder / f"{i}.fa{'.gz' if i % 2 else ''}", each) for i, each in enumerate(genomes)}
    bits = build_kmers(files, folder / "x.kmers", k, min_count=min_count)
    kmers, who = oracle.matrix(genomes, k, min_count)
    assert unpacked(bits) == (kmers, who)
    assert bits.rows == tuple(files)
    store = bits.__laconic_table__().store
    assert store.sizes.tolist() == np.sum(who, axis=0).tolist()
    left_in_a_file = store.digests.tolist()
    del store.header.files["digests"], vars(store)["digests"]
    assert left_in_a_file == store.digests.tolist()  # as the bits have it
    bits.verify()


@pytest.mark.parametrize("k", [1, 5, 31])
@pytest.mark.parametrize("piece", [7, 1000])
def test_kernels_equal_their_twins(k, piece):
    rng = np.random.default_rng(k)
    lines = drawn(rng, 300, "ACGTN") + "A" * 40 + "\n" + "T" * 40 + "\r\n"
    text, expected = np.frombuffer(lines.encode(), dtype=np.uint8), oracle.count(["".join(lines.split())], k)
    codes, n_codes = np.empty(len(text), dtype=np.uint64), 0
    walk = sequences_module.Walk(k, "refuse")
    for start in range(0, len(text), piece):  # a walk goes on where it stopped
        n_codes += kernels.canonical_kmers(text[start : start + piece], *walk.told, codes[n_codes:])
    assert sorted(codes[:n_codes].tolist()) == sorted(oracle.code(kmer) for kmer in expected.elements())
    shift, counts = np.uint64(2 * (k - 1)), np.zeros(4, dtype=np.int64)
    kernels.count_parts(codes[:n_codes], shift, counts)
    by_letter = [sum(n for kmer, n in expected.items() if kmer[0] == letter) for letter in "ACGT"]
    assert counts.tolist() == by_letter
    kept = np.empty(n_codes, dtype=np.uint64)
    n_kept = kernels.frequent(np.sort(codes[:n_codes]), 2, kept)
    assert kept[:n_kept].tolist() == sorted(oracle.code(kmer) for kmer, n in expected.items() if n >= 2)
    wanted = np.array(sorted(oracle.code(kmer) for kmer in list(expected)[:3]), dtype=np.uint64)
    counts = np.zeros(len(wanted), dtype=np.int64)
    kernels.count_wanted(codes[:n_codes], wanted, counts)
    assert counts.tolist() == [expected[text_of(int(code), k)] for code in wanted]


@pytest.mark.parametrize("k", [1, 5, 31])
@pytest.mark.parametrize("size", [1, 4, 64])
def test_pages_equal_their_twins(k, size):
    """K-mers of two genomes, of the two middle parts alone, and words that are put again."""
    rng = np.random.default_rng(k)
    texts, shift, n_pages = [drawn(rng, 90, "ACGTN") for _ in range(2)], np.uint64(2 * (k - 1)), 2 + 300 // size
    words, before = np.zeros(n_pages * size, dtype=np.uint64), np.zeros(n_pages, dtype=np.int64)
    starts = np.array([0, size])
    ends = np.append(starts, 2)
    for genome, text in ((5, texts[0]), (63, texts[1])):
        walk = sequences_module.Walk(k, "refuse")
        letters = np.frombuffer(text.encode(), dtype=np.uint8)
        kernels.put_kmers(letters, *walk.told, 1, shift, np.uint64(genome), words, ends, before)
    for part, letter in ((1, "C"), (2, "G")):
        taken = np.zeros(200, dtype=np.uint64)
        place = slice(starts[part - 1], ends[part - 1])
        n_taken = kernels.take_words(words, before, place.start, place.stop, taken)
        assert kernels.take_words(words, before, place.start, place.stop, taken[:0]) == n_taken
        counts = [oracle.count([text], k) for text in texts]
        runs = [
            ([oracle.code(kmer) for kmer in count.elements() if kmer[0] == letter], genome)
            for count, genome in zip(counts, (5, 63), strict=True)
        ]
        assert n_taken == sum(len(codes) for codes, _ in runs)
        found, who, sizes = np.zeros(200, dtype=np.uint64), np.zeros(200, dtype=np.uint64), np.zeros(64, dtype=np.int64)
        ordered = np.sort(taken[:n_taken])
        n_found = kernels.gather(ordered, np.uint64(part) << shift, found, who, sizes) if n_taken else 0
        assert (found[:n_found].tolist(), who[:n_found].tolist()) == oracle.bits_of(runs)
        assert [sizes[5], sizes[63], sizes.sum()] == [
            *(len(set(c)) for c, _ in runs),
            sum(len(set(c)) for c, _ in runs),
        ]
        kernels.put_words(ordered, part - 1, words, ends, before)
        n_twice = kernels.take_words(words, before, place.start, ends[part - 1], taken)
        assert sorted(taken[:n_twice].tolist()) == sorted([*ordered.tolist()] * 2)


@pytest.mark.parametrize("room", [1, 3, 1000])
def test_drafts_united_equal_their_twin(room):
    rng = np.random.default_rng(room)
    drafts = [
        ({int(code): int(rng.integers(1, 2**63)) for code in rng.choice(60, size)}, column)
        for size, column in ((20, 0), (0, 0), (25, 1), (9, 2), (12, 2))
    ]
    words = [np.array([*sorted(each), *(each[code] for code in sorted(each))], dtype=np.uint64) for each, _ in drafts]
    lengths = np.array([len(each) for each, _ in drafts])
    starts, heads = 2 * (np.cumsum(lengths) - lengths), np.zeros(5, dtype=np.int64)
    columns, codes, rows = np.array([column for _, column in drafts]), [], []
    while True:
        found, bits = np.zeros(room, dtype=np.uint64), np.zeros((room, 3), dtype=np.uint64)
        n = kernels.unite(np.concatenate(words), starts, lengths, heads, columns, found, bits, 0)
        codes, rows = codes + found[:n].tolist(), rows + bits[:n].tolist()
        if n < room:
            break
    assert (codes, rows) == oracle.united(drafts, 3)


def contents(bits):
    return {each.name: each.read_bytes() for each in bits.__laconic_table__().store.path.iterdir()}


@pytest.mark.parametrize(
    ("max_memory", "n_drafts"), [(20_000, (5, 5)), (16 * 9200, (3, 2)), (16 * 4502, (5, 5)), (2**26, (1, 1))]
)
@pytest.mark.parametrize("min_count", [1, 2])
def test_memory_drafts_and_passes_do_not_change_a_byte(tmp_path, monkeypatch, max_memory, n_drafts, min_count):
    rng = np.random.default_rng(1)
    genomes = [[drawn(rng, 2000)] * 2 + [drawn(rng, 500)] for _ in range(5)]
    files = {str(i): write(tmp_path / f"{i}.fa", each) for i, each in enumerate(genomes)}
    whole = build_kmers(files, tmp_path / "a", 9, min_count=min_count)
    monkeypatch.setattr(building, "_FEWEST_BYTES", 1)
    written, write_draft = [], drafts._Writer.write
    monkeypatch.setattr(drafts._Writer, "write", lambda self, room: written.append(1) or write_draft(self, room))
    for module in (sequences_module, drafts, held):
        monkeypatch.setattr(module, "MOST_LETTERS", 700)
    small = build_kmers(files, tmp_path / "b", 9, min_count=min_count, max_memory=max_memory)
    assert len(written) == n_drafts[min_count - 1]
    assert contents(small) == contents(whole)
    assert unpacked(small) == oracle.matrix(genomes, 9, min_count)


def test_memory_is_kept_to(tmp_path):
    rng = np.random.default_rng(0)
    files = {str(i): write(tmp_path / f"{i}.fa", [drawn(rng, 20_000)]) for i in range(3)}
    tracemalloc.start()
    try:
        build_kmers(files, tmp_path / "x", max_memory=2**26)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 2**25 < peak < 2**26


def test_a_part_that_does_not_fit_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "_FEWEST_BYTES", 1)
    write(tmp_path / "a.fa", ["A" * 2000])
    with pytest.raises(MemoryError, match="k-mers of genome 'a' do not fit max_memory"):
        build_kmers({"a": tmp_path / "a.fa"}, tmp_path / "x", 9, max_memory=16_000)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", ["drafts", "parts", "end"])
def test_interrupted_work_goes_on(tmp_path, monkeypatch, at):
    rng = np.random.default_rng(2)
    files = {str(i): write(tmp_path / f"{i}.fa", [drawn(rng, 3000)]) for i in range(4)}
    monkeypatch.setattr(building, "_FEWEST_BYTES", 1)
    monkeypatch.setattr(building, "_APPENDED_AT_ONCE", 16 * 1500)
    whole = build_kmers(files, tmp_path / "whole", 11)
    room, name = {
        "drafts": (held.Held, "merged"),
        "parts": (_writer.PackedWriter, "append"),
        "end": (_writer.PackedWriter, "finish"),
    }[at]
    done = []
    with monkeypatch.context() as patched:
        real = getattr(room, name)

        def dying(*given, **named):
            done.append(1)
            if len(done) == (1 if at == "end" else 3):
                raise Killed
            return real(*given, **named)

        patched.setattr(room, name, dying)
        with pytest.raises(Killed):
            build_kmers(files, tmp_path / "x", 11, max_memory=16 * 3100)
    assert not (tmp_path / "x").exists()
    with pytest.raises((FileNotFoundError, DamagedFile)):
        PackedBits.open(tmp_path / "x.part")
    again = []
    for each, verb in ((drafts._Writer, "write"), (_writer.PackedWriter, "append")):
        real_verb = getattr(each, verb)
        monkeypatch.setattr(
            each,
            verb,
            lambda *given, verb=verb, real=real_verb, **named: again.append(verb) or real(*given, **named),
        )
    bits = build_kmers(files, tmp_path / "x", 11, max_memory=16 * 3100)
    n_appends = -(-bits.n_packed // 1500)
    assert again.count("write") == (2 if at == "drafts" else 0)
    assert again.count("append") == {"drafts": n_appends, "parts": n_appends - 2, "end": 0}[at]
    assert contents(bits) == contents(whole)
    assert not list(tmp_path.glob("x.*"))


def test_changed_files_are_counted_anew(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    genomes = [[drawn(rng, 300)] for _ in range(3)]
    files = {str(i): write(tmp_path / f"{i}.fa", each) for i, each in enumerate(genomes)}
    with monkeypatch.context() as patched:
        patched.setattr(building, "_united", lambda *_: (_ for _ in ()).throw(Killed()))
        with pytest.raises(Killed):
            build_kmers(files, tmp_path / "x", 7)
    genomes[1] = [drawn(rng, 301)]
    write(tmp_path / "1.fa", genomes[1])
    assert unpacked(build_kmers(files, tmp_path / "x", 7)) == oracle.matrix(genomes, 7)


@pytest.mark.parametrize(("room", "kept"), [(5_000, []), (100_000, ["0.draft"])])
def test_a_full_disk_leaves_nothing_that_looks_whole(tmp_path, room, kept):
    """While a draft is written, and while the matrix is: 200 genomes take 32 bytes for a k-mer, beside its code."""
    rng = np.random.default_rng(4)
    common = drawn(rng, 3000)
    files = {str(i): write(tmp_path / f"{i}.fa", [common, drawn(rng, 45)]) for i in range(200)}
    whole = contents(build_kmers(files, tmp_path / "whole"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large .*nothing is there half-written, and the same call goes on"):
            build_kmers(files, tmp_path / "x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not (tmp_path / "x").exists()
    assert sorted(each.name for each in (tmp_path / "x.genomes").glob("0*")) == kept
    assert contents(build_kmers(files, tmp_path / "x")) == whole
    assert not list(tmp_path.glob("x.*"))


KILLED = """
import json, os, signal, sys
from laconic.genomics import _building as building, build_kmers

building._FEWEST_BYTES, building._APPENDED_AT_ONCE, files = 1, 16 * 1500, json.loads(sys.argv[1])
left, fsync = [int(sys.argv[3])], os.fsync

def counted(file):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(file)

os.fsync = counted
build_kmers(files, sys.argv[2], 11, max_memory=16 * 3100)
"""


def test_killed_work_goes_on_and_gives_the_same_bytes(tmp_path, monkeypatch):
    """Killed without warning while a draft, then while the matrix is on its way to the disk."""
    rng = np.random.default_rng(2)
    files = {str(i): str(write(tmp_path / f"{i}.fa", [drawn(rng, 3000)])) for i in range(3)}
    monkeypatch.setattr(building, "_FEWEST_BYTES", 1)
    monkeypatch.setattr(building, "_APPENDED_AT_ONCE", 16 * 1500)
    whole = contents(build_kmers(files, tmp_path / "whole", 11))
    for n_syncs in (2, 9):
        words = [sys.executable, "-c", KILLED, json.dumps(files), str(tmp_path / "x"), str(n_syncs)]
        assert subprocess.run(words, check=False, capture_output=True).returncode == -signal.SIGKILL
        assert not (tmp_path / "x").exists()
    assert (tmp_path / "x.part").is_dir()
    assert contents(build_kmers(files, tmp_path / "x", 11, max_memory=16 * 3100)) == whole
    assert not list(tmp_path.glob("x.*"))


NOISE = b">one\n" + np.frombuffer(b"ACGT\n", np.uint8)[np.random.default_rng(0).integers(0, 5, 9000)].tobytes() + b"\n"
GOOD = b">one\nACGTACGTAC\n>two\nGGGATTACA\n"
# without the time of day, which would be in the names of the cases
PACKED_NOISE, PACKED_GOOD = (gzip.compress(content, mtime=0) for content in (NOISE, GOOD))
PACKED_READS = gzip.compress(b"@r\nACGTA\n+\nIIIII\n" * 20_000, mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b">one\nACGT\nACXT\n", r"bad.fa', line 3: 'X' is no base"),
        (b">one\nACGT\n>two\nAcgt\n", r"bad.fa', line 4: lower-case letters \('c'\) mark masked bases"),
        (b"@r\nACGT\n+\nIIII\n@s\nAC-T\n+\nIIII\n", r"bad.fa', line 6: '-' is no base"),
        (b">one\nACGTA>CGT\n", r"bad.fa', line 2: '>' is no base"),
        (b">one\nACGTA*\n", r"bad.fa', line 2: '\*' is no base"),
        (">one\nACGTAé\n".encode(), r"bad.fa', line 2: '.' is no base"),
        (b"@r\nACGT\n+\nII\n", r"bad.fa' is no whole FASTA or FASTQ file: .*quality length is 2 .*line 1"),
        (
            b"@r\nACG\nTAC\n+\nIII\nIII\n",
            r"bad.fa' is no whole FASTA or FASTQ file: .*line 3\); a record .* four lines",
        ),
        (b"@r\nACGT\n", r"bad.fa' is no whole FASTA or FASTQ file: Unexpected end of input \(record 'r' at line"),
        (b"ACGT\n", r"bad.fa', line 1: a FASTA file begins with '>', .* begins with 'A'"),
        (b"\xef\xbb\xbf>one\nACGTACGT\n", r"bad.fa', line 1: a FASTA file begins with '>'"),
        (b"", r"bad.fa' is empty"),
        (gzip.compress(b"", mtime=0), r"bad.fa' is empty"),
        (
            PACKED_NOISE[:1500],
            r"bad.fa' is no whole FASTA or FASTQ file: it is compressed, and cut off \(after line \d+\)",
        ),
        (PACKED_GOOD[:-6] + bytes(6), r"bad.fa' is no whole FASTA or FASTQ file: .*damaged: CRC.*\(after line 4\)"),
        (PACKED_GOOD + b"more", r"bad.fa' is no whole FASTA or FASTQ file: .*damaged: .*\(after line 4\)"),
        (PACKED_READS[:-9], r"bad.fa' is no whole FASTA or FASTQ file: .*after line \d+"),
        (b">one\nACGNNACGNN\n", r"Genome 'bad' \(.*bad.fa\) is empty: it has no k-mer of 5 letters"),
        (b">one\nACGT\n", r"Genome 'bad' \(.*bad.fa\) is empty: it has no k-mer of 5 letters"),
        (b">one\n>two\n", r"Genome 'bad' \(.*bad.fa\) is empty"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path, content, message):
    (tmp_path / "good.fa").write_bytes(GOOD)
    (tmp_path / "bad.fa").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        build_kmers({"good": tmp_path / "good.fa", "bad": tmp_path / "bad.fa"}, tmp_path / "x", 5)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("n_left", [8, 100, 1000, -1])
def test_a_cut_gz_is_never_taken_for_whole(tmp_path, n_left):
    whole = PACKED_NOISE
    cut = whole[:n_left] if n_left > 0 else whole[:-3]
    (tmp_path / "a.fa.gz").write_bytes(cut)
    with pytest.raises(ValueError, match="a.fa.gz' is no whole FASTA or FASTQ file"):
        build_kmers({"a": tmp_path / "a.fa.gz"}, tmp_path / "x", 5)
    (tmp_path / "a.fa.gz").write_bytes(whole + gzip.compress(b">two\nACGTACC\n"))  # as bgzip writes, in members
    assert "ACGTA" in unpacked(build_kmers({"a": tmp_path / "a.fa.gz"}, tmp_path / "y", 5))[0]


def test_lower_case_is_read_or_skipped_if_that_is_said(tmp_path):
    (tmp_path / "a.fa").write_bytes(b">one\nACGTTacgACGGA\n")
    read = unpacked(build_kmers({"a": tmp_path / "a.fa"}, tmp_path / "r", 5, lower_case="read"))[0]
    skipped = unpacked(build_kmers({"a": tmp_path / "a.fa"}, tmp_path / "s", 5, lower_case="skip"))[0]
    assert read == sorted(oracle.count(["ACGTTACGACGGA"], 5))
    assert skipped == sorted(oracle.count(["ACGTTNNNACGGA"], 5))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 4}, "k must be an odd number from 1 to 31"),
        ({"k": 33}, "k must be an odd number from 1 to 31"),
        ({"min_count": 0}, "min_count must be a whole number"),
        ({"lower_case": "yes"}, "lower_case must be"),
        ({"max_memory": 100}, "max_memory must be at least"),
        ({"genomes": {}}, "There is no genome"),
        ({"genomes": {"a": []}}, "Genome 'a' has no file"),
        ({"genomes": {"a": [__file__, __file__]}}, "Genome 'a' lists a file twice"),
    ],
)
def test_wrong_words_are_refused_before_any_work(tmp_path, wrong, message):
    (tmp_path / "a.fa").write_bytes(GOOD)
    with pytest.raises(ValueError, match=message):
        build_kmers(**{"genomes": {"a": tmp_path / "a.fa"}, "path": tmp_path / "x", **wrong})
    with pytest.raises(FileNotFoundError, match="no file '.*b.fa', which genome 'b' should have"):
        build_kmers({"a": tmp_path / "a.fa", "b": tmp_path / "b.fa"}, tmp_path / "x")
    assert [each.name for each in tmp_path.iterdir()] == ["a.fa"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.sampled_from([">", ">x", "> >y", "", "A", "ACGTN", "GATTACA"]), max_size=12),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
    most=st.integers(1, 9),
)
def test_fasta_is_read_as_needletail_reads_it(tmp_path, monkeypatch, lines, end, last, most):
    needletail = pytest.importorskip("needletail")
    path = tmp_path / "a.fa"
    path.write_bytes((end.join([">first", "ACGTACG", *lines, ">last", "CCC"]) + end * last).encode())
    monkeypatch.setattr(sequences_module, "MOST_LETTERS", most)
    walk = sequences_module.Walk(3, "refuse")
    codes, counts = np.empty(most, dtype=np.uint64), Counter()
    for text in walk.along(sequences_module.Genome("a", (path,))):
        n_codes = kernels.canonical_kmers(text, *walk.told, codes)
        counts.update(text_of(int(code), 3) for code in codes[:n_codes])
    records = oracle.sequences(path.read_bytes().decode())
    with contextlib.suppress(needletail.NeedletailError):  # it wants a base in every sequence
        assert [record.seq for record in needletail.parse_fastx_file(str(path))] == records
    assert counts == oracle.count(records, 3)


ONE, TWO = (drawn(np.random.default_rng(seed), 120) for seed in (7, 8))


@pytest.mark.parametrize(
    "contents",
    [
        [f">x\r\n{ONE[:50]}\r\n{ONE[50:]}\r\n>y\r\n{TWO}\r\n".encode()],
        [f">x\n{ONE[:50]}\n\n{ONE[50:]}\n\n>y\n{TWO}\n\n\n".encode()],
        [f">{'h' * 300_000}\n{ONE}\n>y\n{TWO}".encode()],
        [f">x\n{ONE}\n".encode(), gzip.compress(f">y\n{oracle.turned(TWO)}\n".encode())],
        [gzip.compress(f">x\n{ONE[:50]}".encode()) + gzip.compress(f"{ONE[50:]}\n>y\n{TWO}\n".encode())],
        [f"@r\n{ONE}\n+\n{'I' * 120}\n@q\n{TWO}\n+\n{'@' * 120}\n".encode()],
        [f"@r\n{ONE}\n+\n{'I' * 120}\n".encode(), f">q\n{TWO}\n".encode()],
    ],
    ids=["windows", "empty lines", "a long name", "two files, another strand", "members", "fastq", "both formats"],
)
def test_the_same_sequences_however_they_are_written(tmp_path, contents):
    files = [tmp_path / f"{number}.fa" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    assert unpacked(build_kmers({"g": files}, tmp_path / "x"))[0] == sorted(oracle.count([ONE, TWO], 31))
