"""Directories of processes that are gone are removed, and no others."""

import fcntl
import tempfile

import pytest

from habemus.network.operate import temporary
from habemus.network.operate.temporary import TemporaryFolder


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_directory_is_its_owners_until_it_is_removed(own_folder):
    first = TemporaryFolder()
    second = TemporaryFolder()
    assert first.path.exists()
    for folder in (first, second):
        folder.remove()
    assert not list(own_folder.iterdir())


def test_another_start_at_the_moment_in_which_a_directory_is_made_does_not_remove_it(monkeypatch):
    lock = fcntl.flock

    def be_overtaken(descriptor, operation):
        monkeypatch.setattr(temporary.fcntl, "flock", lock)
        TemporaryFolder().remove()
        lock(descriptor, operation)

    monkeypatch.setattr(temporary.fcntl, "flock", be_overtaken)
    folder = TemporaryFolder()
    assert (folder.path / temporary.LOCK).exists()
    folder.remove()


def test_what_is_not_ours_stays(own_folder):
    other = own_folder / f"{temporary.PREFIX}of-somebody"
    other.mkdir()
    TemporaryFolder().remove()
    assert other.exists()
