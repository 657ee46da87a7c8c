"""The task of the lecture notes, for real: each process calls an election at a random time, and none before."""

import json
import signal
import subprocess
import sys
import time

from groups import free_ports

HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())", "node"]


def test_nobody_leads_before_the_first_call_and_the_highest_does_after_it(tmp_path):
    ports = free_ports(3)
    peers = ",".join(f"{id}=127.0.0.1:{port}" for id, port in enumerate(ports, 1))
    begun = time.time()
    nodes = [
        subprocess.Popen(
            [
                *HABEMUS,
                *(
                    "--id",
                    str(id),
                    "--peers",
                    peers,
                    "--data",
                    str(tmp_path / str(id)),
                    "--log",
                    "json",
                    "--algorithm",
                    "bully",
                ),
                *("--call-after", "uniform:2500:3500"),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for id in (1, 2, 3)
    ]
    try:
        reports = [first_with_a_leader(node) for node in nodes]
    finally:
        for node in nodes:
            node.send_signal(signal.SIGTERM)
        for node in nodes:
            node.wait(20)
            node.stdout.close()
    assert [report["leader"] for report in reports] == [3, 3, 3]
    assert all(report["time"] - begun > 2.5 for report in reports)


def first_with_a_leader(node):
    reports = map(json.loads, node.stdout)
    return next(report for report in reports if report["leader"] is not None)
