"""A Django management command that never runs twice at once: in a project it is management/commands/send_reminders.py.

python examples/service/django_command.py
"""

import os
import time
from typing import Any

import django
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

import habemus.sync

WHERE = os.environ.get("ORDERS_GROUP")  # nothing: the processes of this host


class Command(BaseCommand):  # type: ignore[misc]
    help = "Send reminders for orders that were not paid."

    def handle(self, *arguments: Any, **options: Any) -> None:
        try:
            with habemus.sync.join("orders", WHERE) as group, group.lock("reminders", wait=0) as lease:
                for order in (1, 2, 3):
                    lease.ensure()  # before each step that others would notice
                    self.stdout.write(f"reminder for order {order} with token {lease.token}")
                    self.stdout.flush()
                    time.sleep(0.2)
        except habemus.LockTaken:
            raise CommandError("reminders are being sent already", returncode=75) from None


if __name__ == "__main__":
    settings.configure()
    django.setup()
    try:
        call_command(Command())
    except CommandError as error:
        raise SystemExit(f"{error}") from None
