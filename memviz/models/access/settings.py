"""The switches of a server: who may reach it, and what visitors may use of its machine.

``memviz ui`` sets them as environment variables, so that the server finds them however it was started.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import NamedTuple

from memviz.core.errors import AccessError

TRUST_EVERYONE = "MEMVIZ_TRUST_EVERYONE"
PASSWORD_FILE = "MEMVIZ_PASSWORD_FILE"  # noqa: S105 - the name of a variable
ALLOW_ENVIRONMENT_KEYS = "MEMVIZ_ALLOW_ENVIRONMENT_KEYS"
ALLOW_PRIVATE_BASE_URLS = "MEMVIZ_ALLOW_PRIVATE_BASE_URLS"
EMBEDDABLE_BY = "MEMVIZ_EMBEDDABLE_BY"

_ORIGIN = re.compile(r"https?://[a-z0-9_.-]+(?::[0-9]{1,5})?", re.IGNORECASE)
_WORDS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


class ModelAccess(NamedTuple):
    """The things that a model that a visitor chose may use of the machine that calls
    it: its API keys, and addresses that are not public."""

    environment_keys: bool
    private_base_urls: bool


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """The openness of a server that listens on ``address``. A switch that is ``None``
    is on where nobody but this machine can reach the server, and off everywhere else.

    ``environment_keys``: an empty key field uses the server's own API keys. ``private_base_urls``: base URLs that
    visitors enter may lead to this machine and its network. ``embeddable_by`` are the origins whose pages may show
    memviz in a frame, besides its own; they may do nothing else.
    """

    address: str
    trust_everyone: bool = False
    password_file: str = ""
    environment_keys: bool | None = None
    private_base_urls: bool | None = None
    embeddable_by: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """True if only this machine can reach the server."""
        return is_loopback(self.address)

    @property
    def is_shared(self) -> bool:
        """True if others reach the server: by its address, or because somebody decided who of them may come in."""
        return not self.is_local or self.trust_everyone or bool(self.password_file)

    @property
    def of_models(self) -> ModelAccess:
        """The rights of models that visitors chose."""
        keys = self.environment_keys
        base_urls = self.private_base_urls
        return ModelAccess(
            environment_keys=self.is_local if keys is None else keys,
            private_base_urls=self.is_local if base_urls is None else base_urls,
        )

    def check(self) -> None:
        """Raise :class:`memviz.core.errors.AccessError` if others could come in without
        anybody having decided so, or if what may show memviz in a frame is no
        origin."""
        for origin in self.embeddable_by:
            if not _ORIGIN.fullmatch(origin):
                raise AccessError(
                    f"{origin!r} is no origin of a page: give scheme, host and port, such as https://course.example.com"
                    " or http://127.0.0.1:8000."
                )
        if self.is_local or self.trust_everyone or self.password_file:
            return
        raise AccessError(
            f"Others can reach {self.address or 'all addresses'}, and nothing would ask them who they are: "
            "give --password-file FILE, or --trust-everyone if all of them may read, change and delete every "
            f"conversation (without memviz ui: the environment variable {PASSWORD_FILE}, or {TRUST_EVERYONE}=1)."
        )

    def variables(self) -> dict[str, str]:
        """The environment variables that say all of this but the address."""
        said = {
            TRUST_EVERYONE: "1" if self.trust_everyone else "",
            PASSWORD_FILE: self.password_file,
        }
        for name, switch in (
            (ALLOW_ENVIRONMENT_KEYS, self.environment_keys),
            (ALLOW_PRIVATE_BASE_URLS, self.private_base_urls),
        ):
            said[name] = "" if switch is None else str(int(switch))
        said[EMBEDDABLE_BY] = " ".join(self.embeddable_by)
        return {name: value for name, value in said.items() if value}


def server_access(
    address: str | None, environment: Mapping[str, str] = os.environ
) -> ServerAccess:
    """The switches as the environment has them, for a server on ``address`` (``None``: on all addresses).

    Raises :class:`memviz.core.errors.AccessError` for a switch that is neither on nor off.
    """
    return ServerAccess(
        address or "",
        _switch(environment, TRUST_EVERYONE) or False,
        environment.get(PASSWORD_FILE, ""),
        _switch(environment, ALLOW_ENVIRONMENT_KEYS),
        _switch(environment, ALLOW_PRIVATE_BASE_URLS),
        tuple(environment.get(EMBEDDABLE_BY, "").split()),
    )


def _switch(environment: Mapping[str, str], name: str) -> bool | None:
    value = environment.get(name, "").strip().lower()
    if not value:
        return None
    if value not in _WORDS:
        raise AccessError(
            f"The environment variable {name} is {value!r}: set it to 1 or 0."
        )
    return _WORDS[value]


def is_loopback(host: str) -> bool:
    """Return whether ``host``, a name or an address, is this machine as nobody else can reach it."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
