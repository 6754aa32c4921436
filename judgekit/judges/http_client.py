"""JSON over HTTP: bounded retries, a request rate, Retry-After, and a key that never leaves its header."""

import email.utils
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import requests

from judgekit.errors import MissingData

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
HIDDEN = "[key]"


@dataclass(frozen=True)
class Reply:
    """What came of one request.

    Attributes
    ----------
    body : dict or None
        The JSON answer; None where none was had.
    finish : str
        `stop`, `timeout` or `error`.
    calls : int
        Requests sent, retries included.
    seconds : float
        From the first request to the answer, waiting included.
    note : str
        What went wrong, without the key.
    """

    body: dict[str, Any] | None
    finish: str
    calls: int
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Patience:
    """How hard a request is tried.

    Attributes
    ----------
    attempts : int
        Requests at most.
    timeout : float
        Seconds one request may take.
    pause, longest_pause : float
        Seconds before the second try, doubled each time up to the longest; a server's Retry-After is heeded
        up to the longest.
    requests_per_minute : float
        Rate kept across all threads; 0 = none.
    """

    attempts: int = 6
    timeout: float = 120.0
    pause: float = 1.0
    longest_pause: float = 60.0
    requests_per_minute: float = 0.0


class Client:
    """One server.

    Parameters
    ----------
    url : str
        Base address, up to and including /v1.
    key_variable : str
        Environment variable that holds the key; "" = no key is sent. Read at each request and kept nowhere.
    patience : Patience
        Retries, timeouts and rate.
    sleep : callable
        How to wait.
    """

    def __init__(
        self, url: str, *, key_variable: str, patience: Patience, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.url = url.rstrip("/")
        self._variable = key_variable
        self._patience = patience
        self._sleep = sleep
        self._local = threading.local()
        self._turn = threading.Lock()
        self._next = 0.0
        if key_variable and not os.environ.get(key_variable):
            raise MissingData(f"the API key in ${key_variable}", f"export {key_variable}=...")

    def post(self, path: str, content: Mapping[str, Any]) -> Reply:
        """Reply to a POST; never raises for what a server or a network does."""
        started = time.monotonic()
        finish, note = "error", ""
        for attempt in range(1, self._patience.attempts + 1):
            self._await_turn()
            try:
                answer = self._session().post(
                    self.url + path,
                    json=content,
                    auth=self._authorized,
                    timeout=self._patience.timeout,
                    allow_redirects=False,
                )
            except requests.Timeout:
                finish, note, wait = (
                    "timeout",
                    f"no answer in {self._patience.timeout:g} s",
                    self._pause(attempt),
                )
            except requests.RequestException as error:
                # Its text may hold the address, with whatever was written into it.
                finish, note, wait = "error", type(error).__name__, self._pause(attempt)
            else:
                if answer.status_code == 200:
                    body = _json(self._without_key(answer.text))
                    if body is not None:
                        return Reply(body, "stop", attempt, time.monotonic() - started)
                    finish, note, wait = "error", "an answer that is not JSON", self._pause(attempt)
                else:
                    finish = "error"
                    note = f"HTTP {answer.status_code}: {self._scrubbed(answer.text)[:300]}"
                    if answer.status_code not in _RETRIED:
                        return Reply(None, finish, attempt, time.monotonic() - started, note)
                    wait = self._asked_to_wait(answer, attempt)
            if attempt < self._patience.attempts:
                self._sleep(wait)
        return Reply(None, finish, self._patience.attempts, time.monotonic() - started, note)

    def _authorized(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        # As `auth`, and not as a header, so that a .netrc file cannot put other credentials in its place.
        key = os.environ.get(self._variable, "") if self._variable else ""
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        return request

    def _session(self) -> requests.Session:
        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
        session: requests.Session = self._local.session
        return session

    def _await_turn(self) -> None:
        if not self._patience.requests_per_minute:
            return
        with self._turn:
            now = time.monotonic()
            mine = max(now, self._next)
            self._next = mine + 60.0 / self._patience.requests_per_minute
        if mine > now:
            self._sleep(mine - now)

    def _pause(self, attempt: int) -> float:
        return min(self._patience.pause * 2 ** (attempt - 1), self._patience.longest_pause)

    def _asked_to_wait(self, answer: requests.Response, attempt: int) -> float:
        asked = _retry_after(answer.headers.get("Retry-After", ""))
        return self._pause(attempt) if asked is None else min(asked, self._patience.longest_pause)

    def _scrubbed(self, text: str) -> str:
        return " ".join(self._without_key(text).split())

    def _without_key(self, text: str) -> str:
        key = os.environ.get(self._variable, "") if self._variable else ""
        return text.replace(key, HIDDEN) if key else text


def _json(text: str) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _retry_after(value: str) -> float | None:
    """Seconds of a Retry-After header: a number, or a date."""
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None
