"""A service group in the terminal: its locks and roles above its processes."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from habemus.cli.cluster_table import KEYS, MARKS, STYLES, ClusterView
from habemus.demo.group import DemoGroup, GroupMember
from habemus.network.operate.cluster import Member
from habemus.service.view import ROLE

CELLS = 10  # of the bar that shows how long a lease lasts


class GroupView(ClusterView):
    """Shows a group, with the page beside it, until it is to end."""

    def __init__(self, group: DemoGroup) -> None:
        super().__init__(group, group.name)
        self.group = group
        self.told: set[tuple[str, str, str]] = set()  # grants: kind, name, token

    # Without a terminal

    def print_change(self, member: Member, event: str) -> None:
        if event == "refused":
            refusal = self.group.store.describe()["refusals"][0]
            name, old, new = refusal["name"], refusal["token"], refusal["highest"]
            self.print_line(f'process {member.id}: the store refuses token {old} of "{name}": it has seen {new}')
        elif event not in ("access", "report") and (event != "leader" or member.id <= self.group.voters):
            super().print_change(member, event)
        if event == "report":
            self.print_grants()

    def print_grants(self) -> None:
        grants = {
            (lock["kind"], lock["name"], holder["token"]): f"process {holder['member']} {describe_grant(lock, holder)}"
            for lock in self.group.describe()["locks"]
            for holder in lock["holders"]
        }
        for grant, text in grants.items():
            if grant not in self.told:
                self.print_line(text)
        self.told = set(grants)

    # In a terminal

    def table(self) -> RenderableType:
        described = self.group.describe()
        leader, store = self.group.leader, described["store"]
        members = self.group.members.values()
        voters, workers = self.group.voters, len(members) - self.group.voters
        head = Text.assemble(
            (f'group "{self.title}", {voters} voter{"s" if voters != 1 else ""}, {workers} workers', "bold"),
            f"   {leader} coordinates" if leader is not None else "   no quorum: nothing can be decided",
        )
        refused = Text(f"{store['refused']:,} refused", "bold #D55E00" if store["refused"] else "")
        counts = Text.assemble(f"the store has accepted {store['accepted']:,}, ", refused, describe_refusal(store))
        locks = self.lock_table(described)
        return Group(
            *(head, Text(self.page, "dim"), Text(), locks, Text(), counts, Text(), self.member_table(described)),
            *(Text(), Text(KEYS, "dim")),
        )

    def lock_table(self, described: dict[str, Any]) -> Table:
        grid = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for heading in ("lock", "mode", "held by", "token", "time left", "who waits, in order"):
            grid.add_column(heading, justify="right" if heading in ("held by", "token") else "left")
        for lock in described["locks"]:
            waiters = ", ".join(str(waiter["member"]) for waiter in lock["waiters"])
            held = [
                (Text(str(holder["member"]), STYLES["inside"]), holder["token"], draw_time(holder, described["ttl"]))
                for holder in lock["holders"]
            ]
            first, *others = held or [(Text("–"), "", Text())]
            grid.add_row(lock["name"], name_mode(lock), *first, waiters)
            for other in others:
                grid.add_row("", "", *other)
        return grid

    def member_table(self, described: dict[str, Any]) -> Table:
        grid = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for heading in ("", "process", "", "state", "", "http"):
            grid.add_column(heading, justify="right" if heading == "process" else "left")
        for member in self.group.members.values():
            grid.add_row(*self.member_row(member, described), style="dim" if member.state != "running" else "")
        return grid

    def member_row(self, member: GroupMember, described: dict[str, Any]) -> list[RenderableType]:
        held = [
            lock["name"] for lock in described["locks"] for holder in lock["holders"] if holder["member"] == member.id
        ]
        role = "leader" if member.id == self.group.leader else "inside" if held else ""
        text = "coordinates" if role == "leader" else ", ".join(held)
        state = member.state if member.state != "dead" or not member.last_error else f"dead: {member.last_error[:60]}"
        if member.id in self.group.cut_off:
            state = f"{state}, cut off"
        return [
            Text("›" if member.id == self.selected else " ", "bold"),
            str(member.id),
            "voter" if member.votes else "worker",
            state,
            Text(f"{MARKS.get(role, ' ')} {text}", STYLES.get(role, "")),
            str(member.options.http) if member.alive else "",
        ]


def name_mode(lock: dict[str, Any]) -> str:
    if lock["kind"] == ROLE:
        return "role"
    if lock["slots"] > 1:
        return f"{lock['slots']} slots"
    shared = any(holder["shared"] for holder in lock["holders"])
    return "shared" if shared else "exclusive"


def draw_time(holder: dict[str, Any], ttl: float) -> Text:
    """How long the lease lasts, as a bar; a holder that does not renew it runs out of it."""
    if holder["ends"] is None:
        return Text("")
    left = max(0.0, holder["ends"] / 1000 - time.time())
    full = min(CELLS, round(CELLS * left / ttl))
    style = STYLES["inside"] if left > ttl / 2 else "#D55E00"
    return Text.assemble(("━" * full, style), ("─" * (CELLS - full), "dim"), f" {left:3.1f} s")


def describe_grant(lock: dict[str, Any], holder: dict[str, Any]) -> str:
    what = f'leads "{lock["name"]}"' if lock["kind"] == ROLE else f'has "{lock["name"]}"'
    return f"{what}, token {holder['token']}"


def describe_refusal(store: dict[str, Any]) -> str:
    if not store["refusals"]:
        return ""
    last = store["refusals"][0]
    return (
        f': process {last["member"]} came with token {last["token"]} of "{last["name"]}", '
        f"{last['highest']} was there before"
    )
