import unittest

from placar.signing import authorization, sign

KEY = "sk_test_4dFq9sVb2LkXc7Rm0TzYw8Nh5JgPe3Ua"
BODY = b'{"action":"sync_activities","activities":[]}'
SIGNATURE = "445db074fce43a9e092f65b66164915f37710cf249fe80024a0075e289964add"


class Signing(unittest.TestCase):
    def test_the_vector_of_the_documentation(self):
        self.assertEqual(sign(KEY, "1767225600", "POST", "/default-integration", BODY), SIGNATURE)
        header = authorization(KEY, "post", "/default-integration", BODY, 1767225600)
        self.assertEqual(header, f"SVC-SIGN-V1 {KEY}:1767225600:{SIGNATURE}")
