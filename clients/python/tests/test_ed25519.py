import base64
import hashlib
import unittest

from placar import _ed25519

#: RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]

_SEED = hashlib.sha512(bytes(range(32))).digest()
_SCALAR = int.from_bytes(_SEED[:32], "little") & (1 << 254) - 8 | 1 << 254


def _encoded(point):
    x, y, z, _ = point
    inverse = pow(z, -1, _ed25519._P)
    x, y = x * inverse % _ed25519._P, y * inverse % _ed25519._P
    return (y | (x & 1) << 255).to_bytes(32, "little")


_PUBLIC = _encoded(_ed25519._multiply(_ed25519._BASE, _SCALAR))
PUBLIC_KEY = "whpk_" + base64.b64encode(_PUBLIC).decode()


def _signature(message):
    nonce = int.from_bytes(hashlib.sha512(_SEED[32:] + message).digest(), "little") % _ed25519._ORDER
    commitment = _encoded(_ed25519._multiply(_ed25519._BASE, nonce))
    challenge = int.from_bytes(hashlib.sha512(commitment + _PUBLIC + message).digest(), "little")
    return commitment + ((nonce + challenge * _SCALAR) % _ed25519._ORDER).to_bytes(32, "little")


def sign(message):
    """A signature of the owner of PUBLIC_KEY, in base64."""
    return base64.b64encode(_signature(message)).decode()


class Ed25519(unittest.TestCase):
    def test_vectors_of_the_rfc(self):
        for key, message, signature in (map(bytes.fromhex, vector) for vector in VECTORS):
            self.assertTrue(_ed25519.verify(key, message, signature))
            self.assertFalse(_ed25519.verify(key, message + b"x", signature))

    def test_any_changed_bit_is_rejected(self):
        signature = _signature(b"message")
        self.assertTrue(_ed25519.verify(_PUBLIC, b"message", signature))
        for bit in range(0, 512, 5):
            changed = (int.from_bytes(signature, "little") ^ 1 << bit).to_bytes(64, "little")
            self.assertFalse(_ed25519.verify(_PUBLIC, b"message", changed))
        for bit in range(0, 256, 5):
            changed = (int.from_bytes(_PUBLIC, "little") ^ 1 << bit).to_bytes(32, "little")
            self.assertFalse(_ed25519.verify(changed, b"message", signature))

    def test_other_encodings_are_rejected(self):
        signature = _signature(b"message")
        larger = int.from_bytes(signature[32:], "little") + _ed25519._ORDER
        self.assertFalse(_ed25519.verify(_PUBLIC, b"message", signature[:32] + larger.to_bytes(32, "little")))
        for y in (_ed25519._P + 1, (1 << 255) + 1):
            self.assertFalse(_ed25519.verify(y.to_bytes(32, "little"), b"message", signature))
        for key, signed in ((b"", signature), (_PUBLIC, b""), (_PUBLIC, signature + b"x"), (_PUBLIC + b"x", signature)):
            self.assertFalse(_ed25519.verify(key, b"message", signed))
