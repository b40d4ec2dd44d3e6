"""Visitors whom somebody else knows: a provider of identities (OpenID Connect), or a proxy in front that signs people in
and names them in a header."""

import hashlib
import hmac
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from memviz.core.errors import AccessError
from memviz.models.class_door import Visitor

LOGIN = "MEMVIZ_LOGIN"
IDENTITY_HEADER = "MEMVIZ_IDENTITY_HEADER"
TRUSTED_PROXIES = "MEMVIZ_TRUSTED_PROXIES"
TEACHERS = "MEMVIZ_TEACHERS"
LONGEST_IDENTITY_CHARS = 320
"""The longest an email address may be (RFC 3696); what is longer names nobody."""


@dataclass(frozen=True)
class TrustedProxies:
    """The proxies that sign people in, by their addresses or networks ("10.0.0.5", "10.0.0.0/24"), and the header in
    which they say whom, such as ``X-Forwarded-Email``. From anywhere else the header says nothing."""

    header: str
    networks: tuple[str, ...]

    def check(self) -> None:
        """Raise :class:`memviz.core.errors.AccessError` for proxies that are none, or a header without a name."""
        if not self.networks:
            raise AccessError(
                f"Anybody could send the header {self.header}: name the proxies that it is believed from, such as "
                "--trusted-proxy 10.0.0.5."
            )
        for network in self.networks:
            try:
                ip_network(network)
            except ValueError:
                raise AccessError(
                    f"{network!r} is no address of a proxy: give one such as 10.0.0.5, or a network such as 10.0.0.0/24."
                ) from None

    def vouch(self, peer: str) -> bool:
        """Return whether a connection from the address ``peer`` is that of one of them."""
        try:
            address = ip_address(peer)
        except ValueError:  # a socket of the system has no address
            return False
        return any(address in ip_network(network) for network in self.networks)

    def identity_in(self, values: Sequence[str]) -> str:
        """Return whom the values of the header name: "ana@example.com"; empty for nobody. Two values name nobody, since
        the first could be the browser's own, which a proxy passed on."""
        if len(values) != 1:
            return ""
        identity = values[0].strip()
        return identity if len(identity) <= LONGEST_IDENTITY_CHARS else ""


def trusted_proxies(
    environment: Mapping[str, str] = os.environ,
) -> TrustedProxies | None:
    """Return the proxies that the environment names; ``None`` where none signs people in."""
    header = environment.get(IDENTITY_HEADER, "")
    if not header:
        return None
    return TrustedProxies(header, tuple(environment.get(TRUSTED_PROXIES, "").split()))


def known_visitor(
    key: bytes, kind: str, identity: str, name: str, teachers: Sequence[str]
) -> Visitor:
    """Return the visitor who is ``identity`` to the provider or proxy of this ``kind``, the same one at every visit.

    Their library is named by a digest under the ``key`` of its folder: the names of files say nobody's address.
    ``teachers`` are names as they are shown, in upper or lower case.
    """
    digest = hmac.new(key, f"{kind}\n{identity}".encode(), hashlib.sha256).hexdigest()
    is_teacher = name.casefold() in {teacher.casefold() for teacher in teachers}
    return Visitor(digest[:32], name, is_teacher)
