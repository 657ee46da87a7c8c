"""The options of `habemus node`, and what follows from them."""

from __future__ import annotations

import math

import msgspec

from habemus.network.errors import NetworkError
from habemus.network.node.timing import LEAST_PATIENCE
from habemus.network.wire.addresses import (
    HIGHEST_ID,
    Address,
    Members,
    derive_id,
    format_address,
    is_unspecified,
    parse_address,
    parse_members,
)
from habemus.process import Pid
from habemus.scenario import Scenario


class NodeOptions(msgspec.Struct, kw_only=True):
    """How the operator wants a node to run."""

    scenario: Scenario
    id: Pid | None = None
    peers: str | None = None
    registry: str | None = None
    zeroconf: bool = False
    expect: int | None = None
    listen: str | None = None
    advertise: str | None = None
    http: str | None = None
    http_host: str = ""
    http_token_file: str | None = None
    data: str | None = None
    group: str = "habemus"
    key_file: str | None = None
    tls: tuple[str | None, str | None, str | None] = (None, None, None)
    think: str | None = None
    hold: str = "constant:100"
    call_after: str | None = None
    wait: float = 1.0
    stall: int | None = None
    report_every: float = 30.0
    log: str = "text"
    trace: str | None = None


def check_options(options: NodeOptions) -> None:
    """Refuse values that make no sense."""
    if options.log not in ("text", "json"):
        raise NetworkError(f"--log {options.log}: expected text or json")
    if options.http_token_file is not None and options.http is None:
        raise NetworkError(f"--http-token-file {options.http_token_file}: nobody can send the token without --http")
    if not 0 <= options.report_every < math.inf:
        raise NetworkError(f"--report-every {options.report_every:g}: expected seconds, or 0 for changes only")
    if not 0 < options.wait < math.inf:
        raise NetworkError(f"--wait {options.wait:g}: expected seconds, as in --wait 1")
    if options.id is not None and not 0 <= options.id <= HIGHEST_ID:
        raise NetworkError(f"--id {options.id}: expected a number from 0 to {HIGHEST_ID}")
    if options.stall is not None and options.stall < LEAST_PATIENCE:
        raise NetworkError(f"--stall {options.stall}: expected at least {LEAST_PATIENCE} ms, as in --stall 1000")


def listed_members(options: NodeOptions) -> Members | None:
    """The members that --peers lists; None if they have to be discovered."""
    ways = [bool(options.peers), options.registry is not None, options.zeroconf]
    if sum(ways) != 1:
        raise NetworkError(
            "--peers: list the members, as in 1=127.0.0.1:7001,2=127.0.0.1:7002; or give --registry or --zeroconf; "
            "exactly one of the three"
        )
    if options.peers is None or options.peers.startswith("dns:"):
        return None
    if options.expect is not None:
        raise NetworkError(f"--expect {options.expect}: --peers lists all members, so none has to be discovered")
    return parse_members(options.peers)


def own_address(options: NodeOptions, listed: Members | None) -> Address:
    """The address at which peers reach this process."""
    if listed is not None and options.id is not None:
        if options.id not in listed:
            raise NetworkError(f"--id {options.id}: not one of the members in --peers, which are {format_ids(listed)}")
        return listed[options.id]
    advertised = options.advertise is not None
    option, given = ("--advertise", options.advertise) if advertised else ("--listen", options.listen)
    if given is None:
        if listed is not None:
            raise NetworkError(f"--id: say which of the members this is: {format_ids(listed)}")
        raise NetworkError("--listen: say where this process can be reached, as in --listen 10.0.0.1:7001")
    own = parse_address(given, option)
    if listed is None and (own[1] == 0 or is_unspecified(own)):
        raise NetworkError(
            f"{option} {given}: peers cannot reach this process there; give its own address and port, as in "
            f"--advertise 10.0.0.1:7001"
        )
    return own


def own_id(options: NodeOptions, listed: Members | None, own: Address) -> Pid:
    """The id of this process: the given one, or that of the member with its address."""
    by_dns = listed is None and options.peers is not None
    if by_dns and options.id is not None and options.id != derive_id(own):
        raise NetworkError(
            f"--id {options.id}: a DNS name lists no ids, so peers could not know it; leave it out, and it is derived "
            f"from address and port"
        )
    if options.id is not None:
        return options.id
    if listed is None:
        return derive_id(own)
    for id, address in listed.items():
        if address == own:
            return id
    raise NetworkError(f"{format_address(own)} is not the address of a member; give --id, one of {format_ids(listed)}")


def format_ids(members: Members) -> str:
    return ", ".join(map(str, members))
