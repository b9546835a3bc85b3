"""Webhooks: verified deliveries, and endpoints for ASGI and WSGI servers."""
from ._verify_webhook import Event, verify_webhook
from ._webhook_apps import Seen, asgi_app, wsgi_app
from .errors import OptionsError, WebhookVerificationError

__all__ = [
    "Event",
    "OptionsError",
    "Seen",
    "WebhookVerificationError",
    "asgi_app",
    "verify_webhook",
    "wsgi_app",
]
