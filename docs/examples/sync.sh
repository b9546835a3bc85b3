#!/usr/bin/env bash
# Sends a signed activity to Placar. Needs curl and openssl.
set -euo pipefail
url=${PLACAR_URL:-http://127.0.0.1:54321/functions/v1}
target=/default-integration
body='{"action":"sync_activities","activities":[{"activity_code":"002","external_id":"visit-1","collaborator_email":"bruno@demo.example"}]}'

timestamp=$(date +%s)
digest=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf '%s\nPOST\n%s\n%s' "$timestamp" "$target" "$digest" | openssl dgst -sha256 -hmac "$PLACAR_API_KEY" -r | cut -d' ' -f1)

curl -sS "$url$target" -H 'Content-Type: application/json' \
  -H "Authorization: SVC-SIGN-V1 $PLACAR_API_KEY:$timestamp:$signature" -d "$body"
echo
