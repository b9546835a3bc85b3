#!/usr/bin/env bash
# Sends a signed request to Placar and prints the response: signed.sh METHOD TARGET [BODY]. Needs curl and openssl.
# TARGET is the path starting with the function's name, with its query. Set IDEMPOTENCY_KEY to send that header.
set -euo pipefail
url=${PLACAR_URL:-http://127.0.0.1:54321/functions/v1}
method=$1 target=$2 body=${3-}

timestamp=$(date +%s)
digest=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf '%s\n%s\n%s\n%s' "$timestamp" "$method" "$target" "$digest" | openssl dgst -sha256 -hmac "$PLACAR_API_KEY" -r | cut -d' ' -f1)

# -g: brackets of a query such as created[gte] are not patterns. HEAD has no body to wait for.
[ "$method" = HEAD ] && request=(--head) || request=(-X "$method")
curl -sSg "${request[@]}" "$url$target" -H 'Content-Type: application/json' \
  -H "Authorization: SVC-SIGN-V1 $PLACAR_API_KEY:$timestamp:$signature" \
  ${IDEMPOTENCY_KEY:+-H "Idempotency-Key: $IDEMPOTENCY_KEY"} ${body:+-d "$body"}
echo
