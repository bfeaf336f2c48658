# SPDX-License-Identifier: Apache-2.0
"""Signals while the library calls back.

The interpreter runs the handler of a signal at the next bytecode of the main thread: for one that arrives in the library, at the entry of a
callback, ahead of its first "try".  What a handler raises there is lost (ctypes prints it) and the answer of the callback is undefined.  So
handlers wait while the library works, and get their signals within the callback, or after the call.
"""
from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Callable, Iterator

_NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2") if hasattr(signal, name)]


class Signals:
    """Handlers that wait while something is deferred; in threads other than the main one, which get no signals, nothing happens."""

    def __init__(self) -> None:
        self._handlers: dict[int, Callable[[int, Any], Any]] = {}
        self._waiting: list[tuple[int, Any]] = []

    def _wait(self, number: int, frame: Any) -> None:
        self._waiting.append((number, frame))

    def begin(self) -> None:
        """Lets handlers wait; whatever happens meanwhile, end has to follow."""
        if threading.current_thread() is threading.main_thread():
            for number in _NUMBERS:
                handler = signal.getsignal(number)
                if callable(handler) and handler != self._wait:
                    self._handlers[number] = handler
                    signal.signal(number, self._wait)

    def end(self) -> None:
        """Puts the handlers back and calls those whose signals have waited; what they raise is the caller's."""
        try:
            self._restore()
        except BaseException:  # of a handler that is back already
            self._restore()
            raise
        handlers, self._handlers = self._handlers, {}
        waiting, self._waiting = self._waiting, []
        raised: BaseException | None = None
        for number, frame in waiting:  # all of them: a handler that raises does not take away the signals behind it
            try:
                handlers[number](number, frame)
            except BaseException as error:
                raised = raised or error
        if raised:
            raise raised

    def _restore(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def _between(self, first: Callable[[], None], last: Callable[[], None]) -> Iterator[None]:
        try:
            first()
            yield
        finally:
            last()

    def deferred(self) -> contextlib.AbstractContextManager[None]:
        return self._between(self.begin, self.end)

    def lifted(self) -> contextlib.AbstractContextManager[None]:
        """Within a callback: handlers get what has waited and what arrives."""
        return self._between(self.end, self.begin)
