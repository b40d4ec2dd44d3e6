"""The key and the address that a model is called with: those that were given, or those of this machine."""

from collections.abc import Mapping
from socket import gaierror
from typing import Any

from memviz.core.model_errors import BadKeyError, BadRequestError, MissingKeyError
from memviz.core.translation import _
from memviz.models.access import ModelAccess
from memviz.models.failure_evidence import Call
from memviz.models.http_guard import (
    Limits,
    PrivateAddressError,
    load_litellm,
    public_url,
)
from memviz.models.litellm_errors import typed_error
from memviz.models.provider_keys import (
    OWN_ACCOUNT,
    OWN_SIGN_IN,
    key_variables,
    missing_keys,
    provider_of,
)
from memviz.models.redaction import (
    SHORTEST_KEY_CHARS,
    environment_secrets,
    public_address,
    secrets_of,
)

NO_KEY = "no-key"
"""Sent where no key was given and none of the environment may be used: that belongs to its provider alone."""
OPERATOR = ModelAccess(environment_keys=True, private_base_urls=True)
"""Whoever calls memviz from a terminal or a program of his own uses what is his."""


def settings_of(
    name: str, api_key: str | None, api_base: str | None, access: ModelAccess
) -> dict[str, str]:
    """The settings that say where the model is and who asks.

    Raises :class:`memviz.core.model_errors.ModelError` for a key or an address that cannot be one.
    """
    # Some providers' routes would go there, past all that holds for a base URL.
    if "://" in name:
        raise BadRequestError(
            _(
                "The model's name holds a web address: name only the model, and give the address as the base URL."
            ),
            model=name.partition("/")[0],
        )
    key = (api_key or "").strip()
    _expect_key(key, name)
    if api_base:
        _expect_web_address(api_base, name)
    # litellm would take a key from the environment where none is given: not for an address that somebody entered, and
    # not for visitors.
    if not key and (api_base or not access.environment_keys):
        key = NO_KEY
    settings = {}
    if key:
        settings["api_key"] = key
    if api_base:
        settings["api_base"] = api_base
    return settings


def _expect_key(key: str, model_name: str) -> None:
    if not key.isascii() or any(character.isspace() for character in key):
        raise BadKeyError(
            _(
                "The API key for model {name} holds a space or a character that no key has: copy it again.",
                name=model_name,
            ),
            model=model_name,
        )


def _expect_web_address(api_base: str, model_name: str) -> None:
    if not public_address(api_base):
        # The address is not repeated in the sentence: a key may be in the wrong field.
        raise BadRequestError(
            _(
                "The base URL given for model {name} is not a web address: it has to start with http:// or "
                "https://.",
                name=model_name,
            ),
            model=model_name,
        )


def check_credentials(
    name: str, settings: Mapping[str, Any], access: ModelAccess
) -> None:
    """Refuse to call where that is known to be in vain, or is not allowed: providers answer a missing key in odd ways,
    some only after retries. Raises :class:`memviz.core.model_errors.ModelError`."""
    has_key = settings.get("api_key", NO_KEY) != NO_KEY
    has_address = "api_base" in settings
    if access != OPERATOR and provider_of(name).startswith(OWN_ACCOUNT):
        _check_account(name, has_address, access)
    if not access.environment_keys and not has_key and not has_address:
        raise MissingKeyError(
            _(
                "Model {name} needs an API key and none was given: enter one. Visitors of this server do not use "
                "its own keys, unless who runs it says --allow-environment-keys.",
                name=name,
            ),
            model=name,
        )
    if "api_key" not in settings:
        _check_environment(name)
    if make_call_limits(settings, access).public_only and has_address:
        _check_address(name, settings["api_base"])


def make_call_limits(settings: Mapping[str, Any], access: ModelAccess) -> Limits:
    """The limits of a call's requests: an address that was given gets no other key than the one that was given,
    and neither does any address from somebody who may not use the keys of this machine."""
    is_own = access.environment_keys and "api_base" not in settings
    if is_own:
        return Limits()
    other_keys = environment_secrets() - secrets_of(settings)
    return Limits(
        not access.private_base_urls,
        frozenset(key for key in other_keys if len(key) >= SHORTEST_KEY_CHARS),
    )


def _check_account(name: str, has_address: bool, access: ModelAccess) -> None:
    if not access.environment_keys or has_address:
        raise BadRequestError(
            _(
                "Model {name} is called with the account of the machine that memviz runs on, which is not open to "
                "visitors: choose a model that takes an API key.",
                name=name,
            ),
            model=name,
        )


def _check_environment(name: str) -> None:
    # memviz knows the variables of the larger providers; for all others litellm is asked, which takes seconds to load.
    missing = missing_keys(name)
    provider = provider_of(name)
    if provider not in key_variables() and not provider.startswith(OWN_SIGN_IN):
        missing = tuple(load_litellm().validate_environment(name)["missing_keys"])
    if missing:
        raise MissingKeyError(
            _(
                "Model {name} needs an API key and none was given: enter one, or set {names}.",
                name=name,
                names=_(" and ").join(missing),
            ),
            model=name,
        )


def _check_address(name: str, api_base: str) -> None:
    try:
        public_url(api_base)
    except PrivateAddressError:
        error = typed_error(PrivateAddressError(), Call(name, public_address(api_base)))
    except gaierror:
        return  # the call will say that nobody answers
    else:
        return
    raise error
