"""Keys and secrets, kept out of whatever prints an object."""
from __future__ import annotations

import re


class Secret:
    """A text that shows itself only when asked to."""

    __slots__ = ("_text",)

    def __init__(self, text: str, name: str) -> None:
        # What is no header's text would be quoted whole in the error of http.client.
        if not isinstance(text, str) or not re.fullmatch(r"[\x21-\x7e]+", text):
            raise ValueError(f"{name} must be visible ASCII characters without blanks")
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")
