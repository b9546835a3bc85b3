// Sends a request to Placar, signed with SVC-SIGN-V1. Needs Node 20 or newer, no packages.
import { createHash, createHmac } from 'node:crypto';

/** Returns the Authorization header for a request. `target` is the path starting with the function's name, with its query. */
export function authorization(apiKey: string, method: string, target: string, body = ''): string {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const digest = createHash('sha256').update(body).digest('hex');
  const message = [timestamp, method, target, digest].join('\n');
  const signature = createHmac('sha256', apiKey).update(message).digest('hex');
  return `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`;
}

const { PLACAR_URL = 'http://127.0.0.1:54321/functions/v1', PLACAR_API_KEY = '' } = process.env;
const body = JSON.stringify({
  action: 'sync_collaborators',
  collaborators: [{ external_id: 'crm-4', name: 'Davi Reis', email: 'davi@demo.example' }],
});
const response = await fetch(`${PLACAR_URL}/default-integration`, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Authorization: authorization(PLACAR_API_KEY, 'POST', '/default-integration', body),
  },
  body,
});
console.log(response.status, await response.text());
