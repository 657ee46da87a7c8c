"""Groups, locks and roles for programs without asyncio: `habemus.sync.join`.

>>> import habemus.sync
>>> with habemus.sync.join("documentation") as group:
...     with group.lock("sku/42", wait=5) as lease:
...         lease.ensure()
"""

from habemus.service.blocking import Group, Lease, join

__all__ = ["Group", "Lease", "join"]
