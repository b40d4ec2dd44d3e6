"""The visitor whose page runs, where each has a library of their own: by the code of a class, a provider of identities,
or a proxy in front."""

from dataclasses import dataclass, field
from typing import Protocol

import streamlit as st

from memviz.models.class_door import Visitor, VisitorCookies
from memviz.models.identities import TrustedProxies, make_known_visitor, read_teachers

VERIFYING_CLAIMS = ("email_verified", "xms_edov")
"""The claims by which a provider says that it has verified somebody's address: that of OpenID Connect, and that of
Entra ID, which does not send the first one."""


class Visitors(Protocol):
    """A way to know who somebody is."""

    def now(self) -> Visitor | None:
        """Return the visitor whose page runs; ``None`` for somebody who is not known."""


@dataclass(frozen=True)
class ClassVisitors:
    """Those who gave the code of a class, by their cookies."""

    cookies: VisitorCookies

    def now(self) -> Visitor | None:
        """Return the visitor whom the cookie of the browser names."""
        cookie = st.context.cookies.get(self.cookies.name, "")
        return self.cookies.visitor_of(cookie)


@dataclass(frozen=True)
class SignedInVisitors:
    """Those whom a provider of identities signed in, as Streamlit knows them."""

    key: bytes
    teachers: frozenset[str] = field(default_factory=read_teachers)

    def now(self) -> Visitor | None:
        """Return the visitor who signed in. Only an address that the provider has verified makes a teacher."""
        claims = st.user.to_dict()
        if not claims.get("is_logged_in"):
            return None
        address = str(claims.get("email") or "")
        is_verified = any(_is_true(claims.get(claim)) for claim in VERIFYING_CLAIMS)
        return make_known_visitor(
            self.key,
            f"{claims.get('iss')}\n{claims['sub']}",
            str(claims.get("name") or address),
            is_teacher=is_verified and address.casefold() in self.teachers,
        )


def _is_true(claim: object) -> bool:
    """Return whether a claim is true, as providers write it: ``True``, 1, "1" or "true"."""
    return str(claim).lower() in ("true", "1")


@dataclass(frozen=True)
class ProxiedVisitors:
    """Those whom a proxy in front names; :class:`memviz.dashboard.ui.shell.server.proxy_door.ProxyDoor` has refused
    everybody else."""

    key: bytes
    proxies: TrustedProxies
    teachers: frozenset[str] = field(default_factory=read_teachers)

    def now(self) -> Visitor | None:
        """Return the visitor whom the header names."""
        values = st.context.headers.get_all(self.proxies.header)
        identity = self.proxies.identity_in(values)
        if not identity:
            return None
        return make_known_visitor(
            self.key,
            identity.casefold(),
            identity,
            is_teacher=identity.casefold() in self.teachers,
        )
