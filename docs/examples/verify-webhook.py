"""Receives and verifies webhooks from Placar. Needs Python 3.9 or newer, no packages."""
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300


def verify_payment(secret: str, signature: str, body: bytes) -> bool:
    """Whether X-Pay-Signature is valid for the body and recent. During a secret rotation it contains two signatures."""
    parts = [part.partition("=")[::2] for part in signature.split(",")]
    timestamp = dict(parts).get("t", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, value in parts)


def verify_record(secret: str, signature: str, body: bytes) -> bool:
    """Whether X-Service-Signature is valid for the body."""
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature.encode(), expected.encode())


SECRET = os.environ["WEBHOOK_SECRET"]
# In production, use a table with a unique id and write it in the same transaction as your work.
done = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # Verify the raw bytes: parsing and serializing the body again can change them.
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["X-Pay-Event"]:
            verified = verify_payment(SECRET, self.headers["X-Pay-Signature"] or "", body)
        else:
            verified = verify_record(SECRET, self.headers["X-Service-Signature"] or "", body)
        # Respond first and process later: after 10 seconds without a response, the delivery fails.
        self.send_response(204 if verified else 401)
        self.end_headers()
        if not verified:
            return
        delivery = self.headers["X-Pay-Delivery"] or self.headers["X-Service-Delivery"]
        event = json.loads(body)
        print("again" if delivery in done else "verified", event["type"], event["id"], delivery, flush=True)
        done.add(delivery)

    def log_message(self, *_):
        pass


PORT = int(os.environ.get("PORT", "4000"))
try:
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
except OSError as error:
    raise SystemExit(f"Port {PORT}: {error.strerror}. Choose another: PORT=4001")
print("listening on", server.server_port, flush=True)
server.serve_forever()
