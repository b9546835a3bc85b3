"""Placar client: activity sync, payments, records and webhooks. Uses only the standard library."""
from ._requests import etag_of
from ._version import VERSION as __version__
from .activities import CollaboratorResult, SkippedItem, SyncResult
from .client import Placar
from .errors import (
    ApiError,
    AuthenticationError,
    BatchRejected,
    Conflict,
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
    NetworkError,
    CursorExpired,
    NotFound,
    PermissionDenied,
    PlacarError,
    PreconditionFailed,
    ProviderError,
    ProviderNotConfigured,
    RateLimited,
    ServerError,
    TimedOut,
    Unprocessable,
    UserLimitReached,
    ValidationError,
    WebhookVerificationError,
)
from .pages import Page, Pages
from .webhook_handlers import asgi_webhook, wsgi_webhook
from .webhooks import Event, verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BatchRejected",
    "CollaboratorResult",
    "Conflict",
    "Event",
    "IdempotencyKeyInUse",
    "IdempotencyKeyReused",
    "NetworkError",
    "CursorExpired",
    "NotFound",
    "Page",
    "Pages",
    "PermissionDenied",
    "Placar",
    "PlacarError",
    "PreconditionFailed",
    "ProviderError",
    "ProviderNotConfigured",
    "RateLimited",
    "ServerError",
    "SkippedItem",
    "SyncResult",
    "TimedOut",
    "Unprocessable",
    "UserLimitReached",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
    "asgi_webhook",
    "etag_of",
    "verify_webhook",
    "wsgi_webhook",
]
