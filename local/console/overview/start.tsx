// What a newcomer tries first, and what the stack is made of.
import type { FC } from 'hono/jsx';
import { type FunctionName, functionNames } from '../../../functions/manifest.ts';
import { loadCommand } from '../../environment.ts';
import { described, snippets } from '../files.ts';
import { Code, Panel } from '../kit/small.tsx';
import type { View } from '../view.ts';

const purposes: Record<FunctionName, string> = {
  'default-integration': 'Activity sync: collaborators and what they did',
  payments: 'Invoices, payouts, the ledger',
  oauth: 'Access tokens of the records interface',
  v1: 'Records: leads, deals, users, teams, webhooks',
  callbacks: 'Due jobs, and notifications of providers; called by QStash',
};

const SYNC = `curl -sS $PLACAR_URL/default-integration \\
  -H "Authorization: Bearer $PLACAR_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"action":"sync_activities","activities":[{"activity_code":"001","external_id":"call-1","collaborator_email":"ana@demo.example"}]}'`;

const LEAD = `TOKEN=$(curl -sS $PLACAR_AUTH_URL/oauth/token -u "$PLACAR_CLIENT_ID:$PLACAR_CLIENT_SECRET" \\
  -d grant_type=client_credentials | node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')
curl -sS $PLACAR_BASE_URL/v1/leads -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"name":"Nina Reis","email":"nina@shop.example","source":"website"}'`;

const BILL = 'node_modules/.bin/tsx docs/examples/bill.ts';

/** Three things to try, each ready to paste. */
export const FirstSteps: FC<{ view: View }> = ({ view }) => (
  <section class="steps" aria-label="Things to try">
    <div class="step-first">
      <p>
        In a shell, in the project's folder. This sets <code>PLACAR_API_KEY</code> and its like, which the
        three read:
      </p>
      <Code label="the settings">{loadCommand(view.dir)}</Code>
    </div>
    <ol>
      <li>
        <h3>Report an activity</h3>
        <p>
          Ana made a first contact, which is worth ten points. Watch her move in{' '}
          <a href="/standings">Standings</a>.
        </p>
        <Code label="an activity">{SYNC}</Code>
      </li>
      <li>
        <h3>Add a lead</h3>
        <p>
          With an access token. It shows in <a href="/records">Records</a>, and its event in{' '}
          <a href="/events">Events</a>.
        </p>
        <Code label="a lead">{LEAD}</Code>
      </li>
      <li>
        <h3>Bill somebody</h3>
        <p>
          A PIX invoice, its payment, the entry of the ledger and the webhook: all in{' '}
          <a href="/payments">Payments</a>.
        </p>
        <Code label="an invoice">{BILL}</Code>
      </li>
    </ol>
    <p class="step-last">
      Or see every page with something in it: <code>npm run demo</code> calls the API as a small company
      would. <a href="/reference">The API reference</a> has the credentials filled in.
    </p>
  </section>
);

/** Functions with their health and description, and the snippets for Studio. */
export const Parts: FC<{ view: View }> = ({ view }) => (
  <Panel title="What runs here">
    <ul class="parts">
      {functionNames.map((name) => (
        <li>
          <code>/functions/v1/{name}</code>
          <span>{purposes[name]}</span>
          <span class="part-links">
            <a href={`/functions/v1/${name}/health`}>
              health<span class="visually-hidden"> of {name}</span>
            </a>
            {described
              .filter((file) => file === `${name}.json` || file.startsWith(`${name}-`))
              .map((file) => (
                <a href={`/openapi/${file}`}>{file}</a>
              ))}
          </span>
        </li>
      ))}
    </ul>
    <p class="panel-text muted">
      The records interface answers at <code>{view.url}/v1</code> too. What is sent to{' '}
      <code>{view.url}/inbox/anything</code> is kept: <a href="/inbox">inbox</a> and <a href="/mail">mail</a>{' '}
      as JSON.
    </p>
    <details class="fold inner">
      <summary>Snippets for Studio: what admins do in SQL</summary>
      <Code label="how to run a snippet">
        PGSSLMODE=disable npx supabase db query --remote="$PLACAR_DATABASE_URL" -f
        supabase/snippets/standings.sql
      </Code>
      <ul class="snippets">
        {snippets.map((file) => (
          <li>
            <a href={`/snippets/${file}`}>{file.replace(/\.sql$/, '')}</a>
          </li>
        ))}
      </ul>
    </details>
  </Panel>
);
