"""The client: one thread-safe object for all interfaces."""
from __future__ import annotations

from typing import Any, Optional

from . import records
from ._interfaces import SignedInterface, TokenInterface
from ._requests import Requests, Settings, header_text
from ._secret import Secret
from ._tokens import Tokens
from ._transport import Transport
from .activities import CollaboratorSync
from .admin import Admin
from .pages import Feed
from .payments import Balance, BalanceTransactions, Invoices, PaymentCapabilities, PaymentWebhooks, Payouts


class Placar:
    """Placar client. `url` is the URL of the functions: `https://<ref>.supabase.co/functions/v1`.

    Activity sync and payments need `api_key`; records need `client_id` and `client_secret`. Pass those that you use.
    `variant` selects the naming of records. `origin` is returned in the events that your changes cause.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str] = None,
        client_id: Optional[str] = None,
        client_secret: Optional[str] = None,
        variant: str = "a",
        scope: Optional[str] = None,
        origin: Optional[str] = None,
        timeout: float = 30.0,
        max_retries: int = 4,
        max_wait: float = 60.0,
        backoff: float = 1.0,
    ) -> None:
        """
        `scope`: scopes to request for tokens; default: all scopes of the client. `timeout`: seconds per attempt.
        `max_retries`: retries after the first attempt. `max_wait`: longest accepted `Retry-After` in seconds; a longer one raises.
        `backoff`: first delay in seconds if the service specifies none; it doubles each time.
        """
        if variant not in ("a", "b", "c"):
            raise ValueError("variant must be 'a', 'b' or 'c'")
        if (client_id is None) != (client_secret is None):
            raise ValueError("client_id and client_secret must be given together")
        if timeout <= 0 or max_retries < 0 or max_wait < 0 or backoff < 0:
            raise ValueError("timeout must be greater than 0; max_retries, max_wait and backoff must not be negative")
        self._url, self._variant = url, variant
        self._transport = Transport(url)
        requests = Requests(self._transport, Settings(timeout, max_retries, max_wait, backoff))
        signed = SignedInterface(requests, None if api_key is None else Secret(api_key, "api_key"))
        tokens: Optional[Tokens] = None
        if client_id is not None and client_secret is not None:
            secrets = Secret(client_id, "client_id"), Secret(client_secret, "client_secret")
            tokens = Tokens(requests, *secrets, scope)
        if origin is not None:
            header_text("origin", origin)
        token = TokenInterface(requests, tokens, variant, origin)

        self.activities = records.Activities(token, signed)
        self.collaborators = CollaboratorSync(signed)
        self.invoices = Invoices(signed)
        self.payouts = Payouts(signed)
        self.balance_transactions = BalanceTransactions(signed)
        self.balance = Balance(signed)
        self.capabilities = PaymentCapabilities(signed)
        self.payment_events = Feed(lambda given: signed.get("/payments/events", given))
        self.payment_webhooks = PaymentWebhooks(signed)
        self.leads = records.Leads(token)
        self.deals = records.Deals(token)
        self.opportunities = records.Opportunities(token)
        self.stages = records.Stages(token)
        self.users = records.Users(token)
        self.missions = records.Missions(token)
        self.standings = records.Standings(token)
        self.seasons = records.Seasons(token)
        self.badges = records.Badges(token)
        self.challenges = records.Challenges(token)
        self.invitations = records.Invitations(token)
        self.teams = records.Teams(token)
        self.webhooks = records.Webhooks(token)
        self.events = Feed(lambda given: token.get("/events", given))
        self.admin = Admin(token)

    def close(self) -> None:
        """Closes pooled connections."""
        self._transport.close()

    def __enter__(self) -> "Placar":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Placar(url={self._url!r}, variant={self._variant!r})"
