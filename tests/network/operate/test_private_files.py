"""Keys, tokens and what a node remembers are for their owner alone."""

import os

import pytest

from habemus.cli import main
from habemus.network.errors import NetworkError
from habemus.network.node.storage import Record, Storage
from habemus.network.operate.cluster import Cluster
from habemus.network.operate.discovery import write_members
from habemus.network.wire.security import require_private
from habemus.scenario import Scenario

TWO = "1=127.0.0.1:7001,2=127.0.0.1:7002"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o622])
def test_a_secret_that_others_can_read_is_refused_with_the_command_that_mends_it(capsys, tmp_path, mode):
    secret = tmp_path / "my key"
    secret.write_text("0123456789abcdef\n")
    secret.chmod(mode)
    http = ["--http", "127.0.0.1:0", "--http-token-file", str(secret), "--data", str(tmp_path / "data")]
    tls = ["--tls-cert", "member.pem", "--tls-key", str(secret), "--tls-ca", "ca.pem"]
    for given in (["--key-file", str(secret)], http, tls):
        assert main(["node", "--id", "1", "--peers", TWO, *given]) == 2
        said = capsys.readouterr().err.strip().splitlines()[-1]
        assert said.endswith(f"{secret} can be read by others, so it is no secret: chmod 600 '{secret}'")


@pytest.mark.parametrize(
    ("owner", "we", "mode", "refused"),
    [
        (1000, 1000, 0o600, False),
        (1000, 1000, 0o400, False),
        (1000, 1000, 0o640, True),
        (0, 1000, 0o640, False),  # as mounts share a secret with our group
        (0, 1000, 0o660, True),
        (0, 1000, 0o644, True),
        (0, 0, 0o640, True),
    ],
)
def test_our_group_may_read_a_secret_only_if_root_owns_it_and_we_are_not_root(monkeypatch, owner, we, mode, refused):
    monkeypatch.setattr(os, "geteuid", lambda: we)
    file = os.stat_result((mode, 1, 1, 1, owner, 1000, 64, 0, 0, 0))
    if refused:
        with pytest.raises(NetworkError, match=r"--key-file key can be read by others, .* chmod 600 key$"):
            require_private(file, "key", "--key-file")
    else:
        require_private(file, "key", "--key-file")


def modes(directory):
    return {each.name: each.stat().st_mode & 0o777 for each in [directory, *directory.rglob("*")]}


@pytest.fixture
def careless():
    """A process that would let everybody read what it writes."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("existing", [None, 0o700, 0o755, 0o777])
def test_the_directory_of_a_process_and_its_files_are_for_their_owner_alone(tmp_path, careless, existing):
    directory = tmp_path / "data"
    if existing is not None:
        directory.mkdir()
        directory.chmod(existing)
        for name in ("state.new", "members.new"):  # as an earlier version may have left them
            (directory / name).write_text("half a")
            (directory / name).chmod(0o644)
    storage = Storage(directory)
    storage.open()
    storage.write(Record("jobs", 1, ["bully"]))
    write_members(directory, {1: ("127.0.0.1", 7001)})
    storage.close()
    assert modes(directory) == {"data": 0o700, "lock": 0o600, "state.json": 0o600, "members.json": 0o600}


def test_a_directory_with_other_files_keeps_its_mode_and_is_refused_if_others_could_change_it(tmp_path):
    (tmp_path / "letters").write_text("private")
    tmp_path.chmod(0o755)
    storage = Storage(tmp_path)
    storage.open()
    storage.close()
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    tmp_path.chmod(0o777)
    with pytest.raises(NetworkError, match=f"can be changed by others: chmod 700 {tmp_path}"):
        Storage(tmp_path).open()
    tmp_path.chmod(0o700)


def test_the_key_of_a_cluster_is_secret(tmp_path, careless):
    Cluster(Scenario("bully"), 2, tmp_path)
    assert modes(tmp_path)["key"] == 0o600
