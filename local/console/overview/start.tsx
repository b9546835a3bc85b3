// First steps for new users, and the parts of the stack.
import type { FC } from 'hono/jsx';
import type { Message } from '../../../clients/console/kit/language.ts';
import { t } from '../../../clients/console/kit/language.ts';
import { Code, Panel } from '../../../clients/console/kit/small.tsx';
import { type FunctionName, functionNames } from '../../../functions/manifest.ts';
import { loadCommand } from '../../environment.ts';
import { described, snippets } from '../files.ts';

const purposes: Record<FunctionName, Message> = {
  'default-integration': 'Activity sync: collaborators and their activities',
  payments: 'Invoices, payouts and the ledger',
  oauth: 'Access tokens for the records interface',
  v1: 'Records: leads, deals, users, teams and webhooks',
  mcp: 'Tools for AI agents, by the Model Context Protocol',
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
export const FirstSteps: FC<{ dir: string }> = ({ dir }) => (
  <section class="steps" aria-label={t('First steps')}>
    <div class="step-first">
      <p>
        {t(
          'Run this in a shell in the project folder. It sets the variables that the commands below use, such as',
        )}{' '}
        <code>PLACAR_API_KEY</code>:
      </p>
      <Code label={t('environment variables')}>{loadCommand(dir)}</Code>
    </div>
    <ol>
      <li>
        <h3>{t('Report an activity')}</h3>
        <p>
          {t('Reports a first contact by Ana, worth ten points.')}{' '}
          <a href="/standings">{t('Watch her score in Standings')}</a>.
        </p>
        <Code label={t('report an activity')}>{SYNC}</Code>
      </li>
      <li>
        <h3>{t('Add a lead')}</h3>
        <p>
          {t('Uses an access token.')} <a href="/records/leads">{t('See the lead in Records')}</a>.{' '}
          <a href="/events">{t('See its event in Events')}</a>.
        </p>
        <Code label={t('add a lead')}>{LEAD}</Code>
      </li>
      <li>
        <h3>{t('Create an invoice')}</h3>
        <p>
          {t('Creates a Pix invoice and pays it.')}{' '}
          <a href="/payments/invoices">{t('See the ledger entry and the webhook in Payments')}</a>.
        </p>
        <Code label={t('create an invoice')}>{BILL}</Code>
      </li>
    </ol>
    <p class="step-last">
      {t('To fill every page with data, run')} <code>npm run demo</code>.{' '}
      {t('It calls the API like a small company.')}{' '}
      <a href="/reference">{t('The API reference has the credentials filled in')}</a>.
    </p>
  </section>
);

/** Functions with their health check and documents, and the Studio snippets. */
export const Parts: FC<{ url: string }> = ({ url }) => (
  <Panel title={t('Components')}>
    <ul class="parts">
      {functionNames.map((name) => (
        <li>
          <code>/functions/v1/{name}</code>
          <span>{t(purposes[name])}</span>
          <span class="part-links">
            <a href={`/functions/v1/${name}/health`}>
              {t('health')}
              <span class="visually-hidden"> {t('of {name}', { name })}</span>
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
      {t('The records interface is also available at')} <code>{url}/v1</code>.{' '}
      {t('The inbox records requests to')} <code>{url}/inbox/anything</code>. {t('As JSON:')}{' '}
      <a href="/inbox">{t('inbox')}</a>, <a href="/mail">{t('emails')}</a>.
    </p>
    <details class="fold inner">
      <summary>{t('Studio snippets: administration by SQL')}</summary>
      <Code label={t('run a snippet')}>
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
