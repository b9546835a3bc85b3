import base64
import hashlib
import hmac
import json
import time
import unittest

from placar import OptionsError, WebhookVerificationError, verify_webhook

from .test_ed25519 import PUBLIC_KEY, VECTORS, sign

OTHER_KEY = "whpk_" + base64.b64encode(bytes.fromhex(VECTORS[0][0])).decode()
SECRET = "whsec_" + base64.b64encode(b"twenty-four random bytes").decode()
OLD = "whsec_" + base64.b64encode(b"twenty-four others bytes").decode()
BODY = json.dumps(
    {"id": "evt_1", "type": "lead.created", "created_at": "2026-01-01T00:00:00.000Z", "data": {"id": "l"}, "origin": "crm"}
).encode()


def hexed(secret, message):
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def standard(*secrets, body=BODY, at=None, id="whd_1", raw=False):
    at = str(int(time.time()) if at is None else at)
    keys = [one.encode() if raw else base64.b64decode(one[6:]) for one in secrets]
    made = [hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest() for key in keys]
    signature = " ".join("v1," + base64.b64encode(one).decode() for one in made)
    return {"webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature}


def pay(*secrets, at=None):
    at = str(int(time.time()) if at is None else at)
    made = ",".join("v1=" + hexed(one, at.encode() + b"." + BODY) for one in secrets)
    return {"X-Pay-Signature": f"t={at},{made}", "X-Pay-Delivery": "whd_2"}


def service(secret):
    return {"X-Service-Signature": "sha256=" + hexed(secret, BODY), "X-Service-Delivery": "whd_3"}


class Webhooks(unittest.TestCase):
    def test_public_keys(self):
        headers = standard(SECRET)
        hmac_only = headers["webhook-signature"]
        message = f"whd_1.{headers['webhook-timestamp']}.".encode() + BODY
        signed = {**headers, "webhook-signature": f"{hmac_only} v1a,{sign(message)}"}
        for secret in (PUBLIC_KEY, [PUBLIC_KEY], [SECRET, PUBLIC_KEY], [OTHER_KEY, PUBLIC_KEY], SECRET):
            self.assertEqual(verify_webhook(signed, BODY, secret).id, "evt_1")
        # Every signature that a secret or key verifies must be valid.
        for secret in (OTHER_KEY, [SECRET, OTHER_KEY], [OLD, PUBLIC_KEY], "whpk_", "whpk_AAAA", "whpk_x"):
            self.refused(signed, secret=secret)
        self.refused(signed, BODY.replace(b"crm", b"CRM"), PUBLIC_KEY)
        self.refused({**headers, "webhook-signature": "v1a,AAAA"}, secret=PUBLIC_KEY)
        self.refused(headers, secret=PUBLIC_KEY)
        self.refused({**pay(SECRET), **service(SECRET)}, secret=PUBLIC_KEY, require_timestamp=False)

    def refused(self, headers, body=BODY, secret=SECRET, **more):
        with self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook(headers, body, secret, **more)
        self.assertNotIn(SECRET, str(caught.exception))

    def test_each_form(self):
        for headers, delivery in ((standard(SECRET), "whd_1"), (pay(SECRET), "whd_2"), (service(SECRET), "whd_3")):
            event = verify_webhook(headers, BODY, SECRET, require_timestamp=delivery != "whd_3")
            self.assertEqual((event.id, event.type, event.origin), ("evt_1", "lead.created", "crm"))
            self.assertEqual((event.data, event.delivery_id), ({"id": "l"}, delivery))

    def test_each_form_of_another_secret_or_body_is_refused(self):
        for headers in (standard(OLD), pay(OLD), service(OLD)):
            self.refused(headers, require_timestamp=False)
        for headers in (standard(SECRET), pay(SECRET), service(SECRET)):
            self.refused(headers, BODY.replace(b"crm", b"CRM"), require_timestamp=False)

    def test_without_the_headers_that_tell_its_age_a_delivery_is_refused(self):
        self.refused(service(SECRET))
        verify_webhook({**service(SECRET), **standard(SECRET)}, BODY, SECRET)

    def test_rotation_signed_with_both_or_known_by_both(self):
        for headers in (standard(SECRET, OLD), pay(SECRET, OLD)):
            verify_webhook(headers, BODY, OLD)
            verify_webhook(headers, BODY, SECRET)
        for headers in (standard(OLD), pay(OLD), service(OLD)):
            verify_webhook(headers, BODY, [SECRET, OLD], require_timestamp=False)

    def test_too_old_or_of_the_future_or_without_time(self):
        for at in (int(time.time()) - 310, int(time.time()) + 310, ""):
            self.refused(standard(SECRET, at=at))
            self.refused(pay(SECRET, at=at))
        verify_webhook(standard(SECRET, at=int(time.time()) - 310), BODY, SECRET, tolerance=600)

    def test_a_wrong_standard_signature_is_not_made_good_by_another_one(self):
        self.refused({**standard(OLD), **service(SECRET)})
        self.refused({**pay(OLD), **service(SECRET)})

    def test_what_is_signed_includes_the_delivery(self):
        self.refused({**standard(SECRET), "webhook-id": "whd_other"})

    def test_a_secret_of_another_form_is_taken_as_its_bytes(self):
        verify_webhook(standard("my own secret", raw=True), BODY, "my own secret")
        verify_webhook(standard("whsec_no base64!", raw=True), BODY, "whsec_no base64!")

    def test_no_signature_or_no_secret(self):
        self.refused({"Content-Type": "application/json"})
        self.refused({"X-Service-Signature": ""})
        for odd in ("sha256=é", "sha256=\udcff"):
            self.refused({"X-Service-Signature": odd}, require_timestamp=False)
            self.refused({**standard(SECRET), "webhook-signature": odd})
            self.refused({**standard(SECRET), "webhook-id": odd})
        for nothing in ("", [], ["", SECRET], None):
            with self.assertRaises(OptionsError):
                verify_webhook(service(SECRET), BODY, nothing)

    def test_a_body_that_was_parsed(self):
        for parsed in ({}, None, 7):
            with self.assertRaisesRegex(TypeError, "^body must be the raw bytes"):
                verify_webhook(service(SECRET), parsed, SECRET)

    def test_headers_of_any_framework(self):
        pairs = [(name.upper().encode(), value.encode()) for name, value in standard(SECRET).items()]
        self.assertEqual(verify_webhook(pairs, BODY, SECRET).id, "evt_1")

    def test_a_body_that_is_no_event(self):
        for body in (b"[]", b"not json", b"{}", b"\xff"):
            self.refused(standard(SECRET, body=body), body)
