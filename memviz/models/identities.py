"""Visitors who are signed in by somebody else: by a provider of identities (OpenID Connect), or by a proxy in front of
the server that names them in a header.

The dashboard asks here which proxies to believe, which visitor an identity is, and which of them are teachers.
``memviz ui`` sets the variables of the environment that this module reads.
"""

import hashlib
import hmac
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import (
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from memviz.core.errors import AccessError
from memviz.models.access import IDENTITY_HEADER
from memviz.models.class_door import Visitor, clean_name
from memviz.models.environment import make_variables, read_words

TRUSTED_PROXIES = "MEMVIZ_TRUSTED_PROXIES"
TEACHERS = "MEMVIZ_TEACHERS"
BELIEVED_ADDRESSES = "FORWARDED_ALLOW_IPS"
"""uvicorn's variable: connections from these addresses may say in ``X-Forwarded-For`` that they come from elsewhere."""
LONGEST_IDENTITY_CHARS = 320
"""The longest an email address may be (RFC 3696); what is longer names nobody."""
_ID_DIGITS = 32


@dataclass(frozen=True)
class TrustedProxies:
    """The proxies that sign people in, by their addresses or networks ("10.0.0.5", "10.0.0.0/24"), and the header in
    which they say whom, such as ``X-Forwarded-Email``. From anywhere else the header says nothing."""

    header: str
    networks: tuple[str, ...]

    def check(self) -> None:
        """Raise :class:`memviz.core.errors.AccessError` for a header that anybody could send, and for proxies that are
        none."""
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
                    f"{network!r} is no address of a proxy: give 10.0.0.5, or a network such as 10.0.0.0/24."
                ) from None

    def vouch(self, peer: str) -> bool:
        """Return whether a connection from the address ``peer`` is that of one of them."""
        try:
            address = ip_address(peer)
        except ValueError:  # a socket of the system has no address
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped  # of a server that listens on ::
        return any(address in network for network in self._parsed_networks)

    @cached_property
    def _parsed_networks(self) -> list[IPv4Network | IPv6Network]:
        """The networks, read once: every request is asked for."""
        return [ip_network(network) for network in self.networks]

    def identity_in(self, values: Sequence[str]) -> str:
        """Return whom the values of the header name: "ana@example.com"; empty for nobody. Two values name nobody, since
        one of them could be the browser's own, which a proxy passed on."""
        if len(values) != 1:
            return ""
        identity = values[0].strip()
        return identity if len(identity) <= LONGEST_IDENTITY_CHARS else ""

    def variables(self) -> dict[str, str]:
        """Return the environment variables that say all of this. The address of a connection is the proxy's own then,
        whatever it says of others'."""
        settings = {IDENTITY_HEADER: self.header, TRUSTED_PROXIES: self.networks}
        return {**make_variables(settings), BELIEVED_ADDRESSES: ""}


def read_trusted_proxies(
    environment: Mapping[str, str] = os.environ,
) -> TrustedProxies | None:
    """Return the proxies that the environment names; ``None`` where none signs people in.

    Raises :class:`memviz.core.errors.AccessError` where the address of a connection could be made up.
    """
    header = environment.get(IDENTITY_HEADER, "")
    if not header:
        return None
    if environment.get(BELIEVED_ADDRESSES) != "":
        raise AccessError(
            f"Start memviz ui, or set {BELIEVED_ADDRESSES} to nothing: otherwise a program of this machine could say "
            "in X-Forwarded-For that it is the proxy."
        )
    return TrustedProxies(header, read_words(TRUSTED_PROXIES, environment))


def make_known_visitor(
    key: bytes, identity: str, name: str, *, is_teacher: bool
) -> Visitor:
    """Return the visitor who is ``identity`` to a provider or a proxy, the same one at every visit.

    Their library is named by a digest under the ``key`` of its folder, so that names of files say nobody's address.
    """
    digest = hmac.new(key, identity.encode(), hashlib.sha256).hexdigest()
    return Visitor(digest[:_ID_DIGITS], clean_name(name), is_teacher)


def read_teachers(environment: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Return the teachers that the environment names, by their addresses: "ana@example.com"."""
    return frozenset(map(str.casefold, read_words(TEACHERS, environment)))
