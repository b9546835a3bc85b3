"""Sends a request to Placar, signed with SVC-SIGN-V1. Needs Python 3.9 or newer, no packages."""
import hashlib
import hmac
import json
import os
import time
import urllib.request


def authorization(api_key: str, method: str, target: str, body: bytes = b"") -> str:
    """Returns the Authorization header for a request. target is the path starting with the function's name, with its query."""
    timestamp = str(int(time.time()))
    message = "\n".join([timestamp, method, target, hashlib.sha256(body).hexdigest()])
    signature = hmac.new(api_key.encode(), message.encode(), hashlib.sha256).hexdigest()
    return f"SVC-SIGN-V1 {api_key}:{timestamp}:{signature}"


url = os.environ.get("PLACAR_URL", "http://127.0.0.1:54321/functions/v1")
api_key = os.environ["PLACAR_API_KEY"]
body = json.dumps({
    "action": "sync_collaborators",
    "collaborators": [{"external_id": "crm-4", "name": "Davi Reis", "email": "davi@demo.example"}],
}).encode()
request = urllib.request.Request(f"{url}/default-integration", data=body, method="POST", headers={
    "Content-Type": "application/json",
    "Authorization": authorization(api_key, "POST", "/default-integration", body),
})
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())
