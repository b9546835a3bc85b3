// First steps for new users, and the parts of the stack.
import type { FC } from 'hono/jsx';
import { type FunctionName, functionNames } from '../../../functions/manifest.ts';
import { loadCommand } from '../../environment.ts';
import { described, snippets } from '../files.ts';
import { Code, Panel } from '../kit/small.tsx';
import type { View } from '../view.ts';

const purposes: Record<FunctionName, string> = {
  'default-integration': 'Activity sync: collaborators and their activities',
  payments: 'Invoices, payouts and the ledger',
  oauth: 'Access tokens for the records interface',
  v1: 'Records: leads, deals, users, teams and webhooks',
  callbacks: 'Due jobs and provider notifications; called by QStash',
};

const SYNC = `curl -sS $PLACAR_URL/default-integration \\
  -H "Authorization: Bearer $PLACAR_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"action":"sync_activities","activities":[{"activity_code":"001","external_id":"call-1","collaborator_email":"ana@demo.example"}]}'`;

const LEAD = `TOKEN=$(curl -sS $PLACAR_AUTH_URL/oauth/token -u "$PLACAR_CLIENT_ID:$PLACAR_CLIENT_SECRET" \\
  -d grant_type=client_credentials | node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')
curl -sS $PLACAR_BASE_URL/v1/leads -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"name":"Nina Reis","email":"nina@shop.example","source":"website"}'`;

const BILL = 'node_modules/.bin/tsx docs/examples/bill.ts';

/** Three commands to copy and paste. */
export const FirstSteps: FC<{ view: View }> = ({ view }) => (
  <section class="steps" aria-label="First steps">
    <div class="step-first">
      <p>
        Run this in a shell in the project folder. It sets <code>PLACAR_API_KEY</code> and the other variables
        that the commands below use:
      </p>
      <Code label="environment variables">{loadCommand(view.dir)}</Code>
    </div>
    <ol>
      <li>
        <h3>Report an activity</h3>
        <p>
          Reports a first contact by Ana, worth ten points. Watch her score in{' '}
          <a href="/standings">Standings</a>.
        </p>
        <Code label="report an activity">{SYNC}</Code>
      </li>
      <li>
        <h3>Add a lead</h3>
        <p>
          Uses an access token. The lead appears in <a href="/records">Records</a>, its event in{' '}
          <a href="/events">Events</a>.
        </p>
        <Code label="add a lead">{LEAD}</Code>
      </li>
      <li>
        <h3>Create an invoice</h3>
        <p>
          Creates a Pix invoice and pays it. See the ledger entry and the webhook in{' '}
          <a href="/payments">Payments</a>.
        </p>
        <Code label="create an invoice">{BILL}</Code>
      </li>
    </ol>
    <p class="step-last">
      To fill every page with data, run <code>npm run demo</code>: it calls the API like a small company.{' '}
      <a href="/reference">The API reference</a> has the credentials filled in.
    </p>
  </section>
);

/** Functions with their health check and documents, and the Studio snippets. */
export const Parts: FC<{ view: View }> = ({ view }) => (
  <Panel title="Components">
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
      The records interface is also available at <code>{view.url}/v1</code>. Requests to{' '}
      <code>{view.url}/inbox/anything</code> are recorded. As JSON: <a href="/inbox">inbox</a>,{' '}
      <a href="/mail">emails</a>.
    </p>
    <details class="fold inner">
      <summary>Studio snippets: administration by SQL</summary>
      <Code label="run a snippet">
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
