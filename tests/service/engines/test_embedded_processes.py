"""Processes of an embedded group that are killed and stopped: the next one gets in. Those that write: tests/fencing."""

import signal
from time import sleep

import pytest
from embedded_groups import free_peers, voters
from programs import Programs

import habemus.sync

TTL = 0.6  # seconds; processes are stopped for longer than that
HOLD = """
ttl, voter = float(sys.argv[2]), sys.argv[4] == "True"
with habemus.sync.join("orders", WHERE, id="holder", ttl=ttl, data=sys.argv[3], voter=voter) as group:
    print("joined", flush=True)
    sys.stdin.readline()
    with group.lock("a") as lease:
        print("holds", lease.token, flush=True)
        sys.stdin.readline()
        try:
            lease.ensure()
            print("still holds", flush=True)
        except habemus.LeaseLost as lost:
            print("lost", lost.reason, flush=True)
        sys.stdin.readline()
"""


@pytest.fixture
def peers():
    return free_peers()


@pytest.fixture
def programs(peers):
    programs = Programs(peers)
    yield programs
    programs.end()


def tell(program, expected):
    """Let a program go on, and hear what it says then."""
    program.stdin.write("\n")
    program.stdin.flush()
    assert program.stdout.readline().startswith(expected)


def joined(programs, *arguments):
    program = programs.start(HOLD, *map(str, arguments))
    assert program.stdout.readline() == "joined\n"
    return program


@pytest.mark.parametrize("voter", [True, False])
def test_after_kill_9_of_the_holder_the_next_acquire_succeeds(peers, programs, tmp_path, voter):
    with voters(peers, tmp_path, ttl=TTL) as members:
        if voter:
            members.pop().__exit__(None, None, None)
        holder = joined(programs, TTL, tmp_path, voter)
        tell(holder, "holds")
        holder.send_signal(signal.SIGKILL)
        with members[0].lock("a", wait=60):
            pass


def test_after_kill_9_of_the_voter_that_leads_everybody_goes_on(peers, programs, tmp_path):
    started = [joined(programs, 20, tmp_path, True) for _ in range(3)]
    with habemus.sync.join("orders", peers, ttl=20, voter=False) as client, client.lock("a") as lease:
        addresses = sorted(peers.split(","), key=lambda address: int(address.partition(":")[2]))
        coordinator = client.membership.engine.fetch_view().result(60).coordinator
        victim = started[addresses.index(coordinator)]  # they were taken in this order
        victim.send_signal(signal.SIGKILL)
        lease.check()
        with client.lock("b", wait=60):
            pass
        joined(programs, 20, tmp_path, True)
        lease.check()


def test_a_holder_that_was_stopped_learns_of_the_loss_before_it_acts(peers, programs, tmp_path):
    with voters(peers, tmp_path, ttl=TTL) as members:
        holder = joined(programs, TTL, tmp_path, False)
        tell(holder, "holds")
        holder.send_signal(signal.SIGSTOP)
        with members[0].lock("a", wait=60) as lease:
            holder.send_signal(signal.SIGCONT)
            tell(holder, "lost")
            lease.check()


def test_a_voter_that_was_stopped_while_it_led_is_replaced_and_comes_back(peers, programs, tmp_path):
    with voters(peers, tmp_path, ttl=TTL) as members:
        members.pop(0).__exit__(None, None, None)
        holder = joined(programs, TTL, tmp_path, True)
        tell(holder, "holds")
        holder.send_signal(signal.SIGSTOP)
        with members[0].lock("a", wait=60):
            pass
        holder.send_signal(signal.SIGCONT)
        tell(holder, "lost")
        members.pop(0).__exit__(None, None, None)  # so it is needed for a majority
        with members[0].lock("a", wait=60):
            pass


@pytest.mark.parametrize("voter", [True, False])
def test_the_kernel_tells_of_a_death_on_this_host_long_before_the_ttl(peers, programs, tmp_path, voter):
    with voters(peers, tmp_path, ttl=600) as members:
        if voter:
            members.pop().__exit__(None, None, None)
        holder = joined(programs, 600, tmp_path, voter)
        tell(holder, "holds")
        while "holder" not in [member.id for member in members[0].view.members]:
            sleep(0.01)
        holder.send_signal(signal.SIGKILL)
        with members[0].lock("a", wait=60):
            pass
