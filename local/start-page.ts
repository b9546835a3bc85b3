// The page at the address that `npm start` prints: what is there, and what to try. It shows no credentials: those are in
// `stack.json`, which only its owner can read.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { type FunctionName, functionNames } from '../functions/manifest.ts';
import { loadCommand } from './environment.ts';

export interface StartPageOptions {
  /** The gateway's address. */
  url: string;
  /** Folder of the stack. */
  dir: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const openApiFolder = join(root, 'docs', 'openapi');
const snippetsFolder = join(root, 'supabase', 'snippets');

const purposes: Record<FunctionName, string> = {
  'default-integration': 'activity sync: collaborators and what they did',
  payments: 'invoices, payouts, the ledger',
  oauth: 'access tokens of the records interface',
  v1: 'records: leads, deals, users, teams, webhooks',
  callbacks: 'due jobs, and notifications of providers; called by QStash',
};

/** `GET /`, and what the page links to: `/openapi/<function>.json` and `/snippets/<name>.sql`. */
export function createStartPage({ url, dir }: StartPageOptions): Hono {
  const described = readdirSync(openApiFolder).filter((file) => file.endsWith('.json'));
  const snippets = readdirSync(snippetsFolder).filter((file) => file.endsWith('.sql'));
  const app = new Hono();
  app.get('/', (c) => {
    c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    return c.html(page({ url, dir, described, snippets }));
  });
  app.get('/openapi/:file', async (c) => {
    const file = described.find((name) => name === c.req.param('file'));
    if (!file) return c.notFound();
    const document = JSON.parse(await readFile(join(openApiFolder, file), 'utf8'));
    return c.json({ ...document, servers: [{ url: `${url}/functions/v1`, description: 'Local stack' }] });
  });
  app.get('/snippets/:file', async (c) => {
    const file = snippets.find((name) => name === c.req.param('file'));
    return file ? c.text(await readFile(join(snippetsFolder, file), 'utf8')) : c.notFound();
  });
  return app;
}

interface Contents extends StartPageOptions {
  /** Files of the two folders. */
  described: string[];
  snippets: string[];
}

function page({ url, dir, described, snippets }: Contents) {
  const functions = functionNames.map((name) => {
    // The records interface has a document for each of its variants.
    const files = described.filter((file) => file === `${name}.json` || file.startsWith(`${name}-`));
    return html`<tr>
      <td><code>/functions/v1/${name}</code></td>
      <td>${purposes[name]}</td>
      <td><a href="/functions/v1/${name}/health">health</a></td>
      <td>${files.map((file) => html`<a href="/openapi/${file}">${file}</a> `)}</td>
    </tr>`;
  });
  const snippetLinks = snippets.map(
    (file) => html`<li><a href="/snippets/${file}">${file.replace(/\.sql$/, '')}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Placar, local stack</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse }
  td { padding: .2rem 1.2rem .2rem 0; vertical-align: top }
  pre { padding: .8rem 1rem; overflow-x: auto; background: #8882 }
  .columns { columns: 16rem; padding-left: 1.2rem }
</style>
</head>
<body>
<h1>Placar</h1>
<p>The local stack at <code>${url}</code>; its files are in <code>${dir}</code>.</p>
<h2>Functions</h2>
<table>${functions}</table>
<p>The records interface answers at <code>${url}/v1</code> too, its tokens come of <code>${url}/oauth/token</code>.</p>
<h2>Try it</h2>
<p>In a shell, in the project's folder. The first line sets <code>PLACAR_API_KEY</code> and its like.</p>
<pre>${loadCommand(dir)}

curl -sS $PLACAR_URL/default-integration \\
  -H "Authorization: Bearer $PLACAR_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"action":"sync_collaborators","collaborators":[{"external_id":"crm-5","name":"Eva Melo","email":"eva@demo.example"}]}'

curl -sS $PLACAR_AUTH_URL/oauth/token -u "$PLACAR_CLIENT_ID:$PLACAR_CLIENT_SECRET" -d grant_type=client_credentials</pre>
<p>More in <code>docs/quick-starts.md</code>: activities, a two-way CRM sync, billing.</p>
<h2>What was sent</h2>
<ul>
  <li><a href="/mail">Mailbox</a>: mail that would have been sent, such as invitations</li>
  <li><a href="/inbox">Inbox</a>: requests to <code>${url}/inbox/anything</code>, for webhooks to lead to</li>
</ul>
<h2>Snippets for Studio</h2>
<p>What admins do in SQL. Studio comes with a Supabase project; here they run in any client of Postgres:</p>
<pre>PGSSLMODE=disable npx supabase db query --remote="$PLACAR_DATABASE_URL" -f supabase/snippets/standings.sql</pre>
<ul class="columns">${snippetLinks}</ul>
</body>
</html>
`;
}
