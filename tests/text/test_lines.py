"""Text files: lines, conversations, gzip, digests, and files that cannot be read."""

import gzip
import os
from hashlib import blake2b

import pytest

from dialometer.core.errors import DataError
from dialometer.text import lines
from dialometer.text.lines import file_digest, read_lines, read_paragraphs, read_unpacked

TALKS = "hello\n  hi there \n\n\nnaïve 👍\r\nbye\n\n"


@pytest.fixture(params=["plain", "gzip"])
def file(tmp_path, request):
    path = tmp_path / "talks.txt"
    path.write_bytes(TALKS.encode() if request.param == "plain" else gzip.compress(TALKS.encode()))
    return str(path)


def test_lines_and_conversations(file):
    assert read_unpacked(file) == TALKS.encode()
    assert read_lines(file) == ["hello", "hi there", "naïve 👍", "bye"]
    assert read_paragraphs(file) == [["hello", "hi there"], ["naïve 👍", "bye"]]


def test_nothing_in_it(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("\n \n")
    assert read_lines(str(path)) == read_paragraphs(str(path)) == []


def test_the_digest_is_of_the_content(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"tea")
    other.write_bytes(b"tea")
    assert file_digest(str(one)) == file_digest(str(other)) == blake2b(b"tea", digest_size=4).hexdigest()
    other.write_bytes(b"cake")
    assert file_digest(str(other)) == blake2b(b"cake", digest_size=4).hexdigest()


def test_the_digest_is_remembered_until_the_file_changes(tmp_path, monkeypatch):
    path = tmp_path / "text"
    path.write_bytes(b"tea")
    before = file_digest(str(path))
    read = []
    monkeypatch.setattr(lines, "blake2b", lambda raw, **how: read.append(raw) or blake2b(raw, **how))
    assert file_digest(str(path)) == before
    assert read == []
    path.write_bytes(b"pie")  # as long as before
    os.utime(path, ns=(0, 0))
    assert file_digest(str(path)) != before
    assert read == [b"pie"]


@pytest.mark.parametrize("read", [read_lines, read_paragraphs, read_unpacked, file_digest])
def test_no_such_file(read, tmp_path):
    with pytest.raises(DataError, match=r"nowhere.*cannot be read: no such file or directory\n.*check the path"):
        read(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="is a directory, not a regular file"):
        read(str(tmp_path))


def test_damage_is_named(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(b"tea and cake " * 50)[:-12])
    with pytest.raises(DataError, match=r"gzip is damaged .*\n.*gzip -t"):
        read_lines(str(path))
    path.write_bytes(b"tea\ncaf\xe9\n")
    with pytest.raises(DataError, match=r":2.*not UTF-8"):
        read_lines(str(path))
