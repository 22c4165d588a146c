"""Provider: the conversation with one provider of OpenID Connect.

It is the authorization code flow with PKCE. What the provider says about itself (discovery) and
its keys are kept for a while; a new key is looked for when a signature needs it.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from joserfc.jwk import KeySet

from quintain_host.accounts.names import BadName, email_address, plain_name
from quintain_host.settings import SignOnProvider
from quintain_host.sign_on.attempts import AttemptSecrets
from quintain_host.sign_on.calls import BadAnswer, SignOnFailed, call, checked_address
from quintain_host.sign_on.id_tokens import UnknownKey, read_id_token, signing_keys
from quintain_host.sign_on.person import ProvedPerson

LOG = logging.getLogger("quintain_host.sign_on")

DISCOVERY = "/.well-known/openid-configuration"
SCOPE = "openid email profile"
KEPT = 3600.0
"""For how many seconds it is kept what a provider says about itself."""
PAUSE = 60.0
"""How many seconds pass before keys are read again because a signature has an unknown one."""

_ERROR = re.compile(r"[a-z_]{1,40}")


class Provider:
    """A provider, as the web processes of a site speak with it.

    Parameters
    ----------
    settings : its table in ``site.toml``.
    url : the address of the site.
    """

    def __init__(self, settings: SignOnProvider, url: str) -> None:
        self.settings = settings
        self._back = f"{url}/sign-on/{settings.id}/back"
        variable = f"QUINTAIN_SIGN_ON_{settings.id.upper().replace('-', '_')}"
        self._secret = os.environ.get(variable) or settings.client_secret
        self._facts: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def begin(self, secrets: AttemptSecrets) -> str:
        """The address at the provider to which a browser goes."""
        try:
            facts = await self._metadata()
            place = checked_address(self.settings, facts.get("authorization_endpoint"))
        except BadAnswer as problem:
            raise self._away(problem) from None
        client = OAuth2Client(
            None,
            client_id=self.settings.client_id,
            redirect_uri=self._back,
            scope=SCOPE,
            code_challenge_method="S256",
        )
        url, _ = client.create_authorization_url(
            place, state=secrets.state, code_verifier=secrets.verifier, nonce=secrets.nonce
        )
        return str(url)

    async def identify(
        self, answer: Mapping[str, str], secrets: AttemptSecrets, now: datetime
    ) -> ProvedPerson:
        """Who came back from the provider; raises ``SignOnFailed``.

        Parameters
        ----------
        answer : the query with which the browser came back; the caller has checked its state.
        """
        title = self.settings.title
        if answer.get("error") == "access_denied":
            raise SignOnFailed(f"{title} did not let you in, or you stopped there. Nothing changed")
        if "error" in answer or not answer.get("code"):
            error = answer.get("error", "")
            word = error if _ERROR.fullmatch(error) else "no code"
            LOG.warning("sign-on by %s: the provider answered %s", self.settings.id, word)
            raise SignOnFailed(
                f"{title} could not sign you in ({word}). Try again; if it happens again, tell the "
                "operators of this site"
            )
        try:
            facts = await self._metadata()
        except BadAnswer as problem:
            raise self._away(problem) from None
        try:
            return await self._exchange(facts, answer, secrets, now)
        except BadAnswer as problem:
            LOG.warning("sign-on by %s: %s", self.settings.id, problem)
            raise SignOnFailed(
                f"{title} sent a proof that this site does not accept. Begin again; if it happens "
                "again, tell the operators of this site, whose log has the reason"
            ) from None

    def _away(self, problem: BadAnswer) -> SignOnFailed:
        LOG.warning("sign-on by %s: %s", self.settings.id, problem)
        return SignOnFailed(
            f"{self.settings.title} cannot be used at the moment. Try again in a minute, or sign "
            "in with your password"
        )

    async def _metadata(self) -> dict[str, Any]:
        """What the provider says about itself; its issuer has to be the configured one."""
        now = time.monotonic()
        if self._facts is not None and self._facts[0] > now:
            return self._facts[1]
        url = f"{self.settings.issuer.rstrip('/')}{DISCOVERY}"
        status, facts = await call(self.settings, "GET", url)
        if status != 200:
            raise BadAnswer(f"{url} answered with status {status}")
        if facts.get("issuer") != self.settings.issuer:
            raise BadAnswer(
                f"the provider calls itself {str(facts.get('issuer'))[:200]!r}; "
                "write this very issuer into [[sign_on]] if it is right"
            )
        self._facts = (now + KEPT, facts)
        return facts

    async def _exchange(
        self,
        facts: Mapping[str, Any],
        answer: Mapping[str, str],
        secrets: AttemptSecrets,
        now: datetime,
    ) -> ProvedPerson:
        """Exchange the code for a statement about the person, and check it."""
        sender, promise = answer.get("iss"), "authorization_response_iss_parameter_supported"
        if (sender or facts.get(promise) is True) and sender != self.settings.issuer:
            raise BadAnswer("the answer comes from another issuer")
        tokens = await self._tokens(facts, answer["code"], secrets.verifier)
        access = tokens.get("access_token")
        access = access if isinstance(access, str) else ""
        claims = await self._claims(facts, tokens.get("id_token"), access, secrets.nonce, now)
        if "email" not in claims and access and "userinfo_endpoint" in facts:
            claims = {**await self._user_info(facts, access, claims["sub"]), **claims}
        return self._person(claims)

    async def _tokens(self, facts: Mapping[str, Any], code: str, verifier: str) -> dict[str, Any]:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._back,
            "code_verifier": verifier,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        way = _way_to_sign_in(facts) if self._secret else "none"
        client = ClientAuth(self.settings.client_id, self._secret, way)
        url, headers, body = client.prepare(
            "POST", facts.get("token_endpoint"), headers, urlencode(fields)
        )
        status, tokens = await call(self.settings, "POST", url, headers=headers, content=body)
        if status != 200:
            error = str(tokens.get("error"))
            raise BadAnswer(f"the code is refused: {error if _ERROR.fullmatch(error) else status}")
        return tokens

    async def _claims(
        self,
        facts: Mapping[str, Any],
        id_token: object,
        access_token: str,
        nonce: str,
        now: datetime,
    ) -> dict[str, Any]:
        def read(keys: KeySet) -> dict[str, Any]:
            return read_id_token(
                id_token,
                keys,
                issuer=self.settings.issuer,
                client=self.settings.client_id,
                nonce=nonce,
                access_token=access_token,
                now=now,
            )

        try:
            return read(await self._known_keys(facts, KEPT))
        except UnknownKey:  # providers change their keys from time to time
            return read(await self._known_keys(facts, PAUSE))

    async def _known_keys(self, facts: Mapping[str, Any], age: float) -> KeySet:
        """The keys of the provider, read at most ``age`` seconds ago."""
        now = time.monotonic()
        if self._keys is not None and now - self._keys[0] <= age:
            return self._keys[1]
        status, published = await call(self.settings, "GET", facts.get("jwks_uri"))
        if status != 200:
            raise BadAnswer(f"the keys of the provider cannot be read: status {status}")
        self._keys = (now, signing_keys(published))
        return self._keys[1]

    async def _user_info(
        self, facts: Mapping[str, Any], access_token: str, subject: str
    ) -> dict[str, Any]:
        """What the provider tells about the person besides; it has to be the same person."""
        headers = {"Authorization": f"Bearer {access_token}"}
        status, claims = await call(
            self.settings, "GET", facts["userinfo_endpoint"], headers=headers
        )
        if status != 200 or claims.get("sub") != subject:
            raise BadAnswer("the provider tells about somebody else than it has signed in")
        return claims

    def _person(self, claims: Mapping[str, Any]) -> ProvedPerson:
        verified = claims.get("email_verified")
        checked = verified is True or verified == "true" or self.settings.vouches
        email = ""
        if checked and isinstance(claims.get("email"), str):
            try:
                email = email_address(claims["email"])
            except BadName:
                LOG.warning("sign-on by %s: an e-mail address cannot be used", self.settings.id)
        return ProvedPerson(self.settings.issuer, claims["sub"], email, _name_in(claims))


def _way_to_sign_in(facts: Mapping[str, Any]) -> str:
    """How this site shows its secret to a provider."""
    ways = facts.get("token_endpoint_auth_methods_supported")
    basic = "client_secret_basic"
    posted = isinstance(ways, list) and basic not in ways and "client_secret_post" in ways
    return "client_secret_post" if posted else basic


def _name_in(claims: Mapping[str, Any]) -> str:
    for claim in ("name", "preferred_username", "nickname"):
        try:
            return plain_name(str(claims.get(claim) or ""))
        except BadName:
            continue
    return ""
