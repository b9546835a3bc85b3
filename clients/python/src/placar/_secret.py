"""Keeps keys and secrets out of printed and logged objects."""
from __future__ import annotations

import re


class Secret:
    """A string that is revealed only on request."""

    __slots__ = ("_text",)

    def __init__(self, text: str, name: str) -> None:
        # http.client would quote an invalid header value in its error.
        if not isinstance(text, str) or not re.fullmatch(r"[\x21-\x7e]+", text):
            raise ValueError(f"{name} must contain only visible ASCII characters and no spaces")
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> str:
        raise TypeError("secrets cannot be pickled")
