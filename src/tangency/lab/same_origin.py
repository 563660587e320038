"""Only pages of the lab itself may drive it: pages of other sites in the same browser are refused.

A browser lets every page connect to 127.0.0.1 and only states, in the header Origin, where the page comes from.  viser
has no option to check it, so its requests are looked at here before viser sees them.
"""

from __future__ import annotations

import http
import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

LOCAL_NAMES = ("127.0.0.1", "localhost")


def refusal(host: str, origin: str | None) -> str | None:
    """Why a request is refused; None if it is not.

    The name in `host` must be that of this machine, or a site could give its own name the address 127.0.0.1.  The port
    is free: it differs from the lab's when the connection is forwarded, as by ssh.  Programs send no `origin`; browsers
    do for every connection that can change something.
    """
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        name = None
    if name not in LOCAL_NAMES:
        return f"the lab is at 127.0.0.1 or localhost, not at {host!r}"
    if origin is not None and origin != f"http://{host}":
        return f"a page from {origin!r} may not use the lab"
    return None


def for_own_pages(make: Callable[[], Any]) -> Any:
    """The viser server that `make` starts, such that it serves its own pages only.

    Raises
    ------
    ImportError
        If this viser does not serve through the function that is guarded here.
    """
    from websockets.asyncio import server

    original, started = server.serve, []

    def serve(*arguments: Any, process_request: Callable[..., Any] | None = None, **options: Any) -> Any:
        async def guarded(connection: Any, request: Any) -> Any:
            reason = refusal(request.headers.get("Host", ""), request.headers.get("Origin"))
            if reason is not None:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f"{reason}\n")
            answer = process_request(connection, request) if process_request else None
            answer = await answer if inspect.isawaitable(answer) else answer
            if answer is not None:  # nor may another site show the lab inside a page of its own
                answer.headers["Content-Security-Policy"] = "frame-ancestors 'none'"
            return answer

        started.append(True)
        return original(*arguments, process_request=guarded, **options)

    server.serve = serve  # type: ignore[assignment, misc]
    try:
        made = make()
    finally:
        server.serve = original  # type: ignore[misc]
    if not started:
        made.stop()
        raise ImportError("tangency lab needs viser 1.1: this version cannot be kept from pages of other sites")
    return made
