"""Starlette: several workers, of which one runs the clean-up; orders that no two workers ship at the same time.

uvicorn --app-dir examples/service --workers 3 web_app:app

With FastAPI it is the same: app = FastAPI(lifespan=lifespan).
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypedDict

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import habemus

WHERE = os.environ.get("ORDERS_GROUP")  # nothing: the processes of this host


class State(TypedDict):
    group: habemus.Group


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncGenerator[State, None]:
    async with habemus.join("orders", WHERE) as group:

        @group.singleton("cleanup")
        async def cleanup(lease: habemus.Lease) -> None:
            while True:  # cancelled when the role is lost or the application ends
                await asyncio.sleep(60)

        yield {"group": group}


async def show(request: Request) -> JSONResponse:
    group: habemus.Group = request.state.group
    return JSONResponse({"member": group.id, "cleans up": group.view.leaders.get("cleanup") == group.id})


async def ship(request: Request) -> JSONResponse:
    group: habemus.Group = request.state.group
    try:
        async with group.lock(f"order/{request.path_params['order']}", wait=0) as lease:
            await asyncio.sleep(0.2)  # packing
            return JSONResponse({"token": str(lease.token)})  # the shop's database compares it: habemus.fencing
    except habemus.LockTaken:
        return JSONResponse({"error": "somebody else ships it"}, 409)


app = Starlette(routes=[Route("/", show), Route("/orders/{order:int}/ship", ship, methods=["POST"])], lifespan=lifespan)
