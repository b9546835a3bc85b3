// Shows the API reference, and authorizes requests that are sent from it.
const { url, credentials, documents } = JSON.parse(document.getElementById('reference-settings').textContent);
const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** SVC-SIGN-V1, described line by line in docs/authentication.md. */
async function signature(request, target) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = hex(await crypto.subtle.digest('SHA-256', await request.clone().arrayBuffer()));
  const text = [timestamp, request.method, target, digest].join('\n');
  const key = await crypto.subtle.importKey(
    'raw',
    bytes(credentials.api_key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return `SVC-SIGN-V1 ${credentials.api_key}:${timestamp}:${hex(await crypto.subtle.sign('HMAC', key, bytes(text)))}`;
}

/** Shared by all requests. Renewed before it expires after an hour. */
let token;
async function accessToken() {
  if (token && token.until > Date.now()) return token.text;
  const answer = await fetch('/oauth/token', {
    method: 'POST',
    headers: { Authorization: basic() },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: text, expires_in: seconds } = await answer.json();
  token = { text, until: Date.now() + (seconds - 300) * 1000 };
  return text;
}
const basic = () => `Basic ${btoa(`${credentials.client_id}:${credentials.client_secret}`)}`;

async function authorize({ request }) {
  const { pathname, search, origin } = new URL(request.url);
  if (origin !== location.origin) return;
  const [, path = '', first = ''] = /^\/functions\/v1(\/([^/]+).*)$/.exec(pathname) ?? [];
  if (first === 'v1') request.headers.set('Authorization', `Bearer ${await accessToken()}`);
  if (first === 'oauth' && request.method === 'POST') request.headers.set('Authorization', basic());
  if (first !== 'payments' && first !== 'default-integration') return;
  if (first === 'payments' && request.method === 'POST' && !isKey(request.headers.get('Idempotency-Key')))
    request.headers.set('Idempotency-Key', crypto.randomUUID());
  request.headers.set('Authorization', await signature(request, path + search));
}
const isKey = (value) => Boolean(value) && value !== 'undefined';

const systemTheme = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
const isDark = () => (document.documentElement.dataset.theme ?? systemTheme()) === 'dark';

/** By the name of the security scheme in the document. */
const securitySchemes = {
  oauth2: {
    flows: {
      clientCredentials: {
        'x-scalar-client-id': credentials.client_id,
        clientSecret: credentials.client_secret,
        tokenUrl: `${url}/oauth/token`,
        selectedScopes: ['admin'],
      },
    },
  },
  signature: { value: `SVC-SIGN-V1 ${credentials.api_key}:made-as-a-call-is-sent` },
  apiKey: { token: credentials.api_key },
  client: { username: credentials.client_id, password: credentials.client_secret },
};

const configurationOf = ({ title, slug, file, scheme }, index) => ({
  title,
  slug,
  url: `/openapi/${file}`,
  default: index === 0,
  authentication: { preferredSecurityScheme: scheme, securitySchemes },
  onBeforeRequest: authorize,
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  darkMode: isDark(),
  documentDownloadType: 'json',
});

addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', documents.map(configurationOf));
});
