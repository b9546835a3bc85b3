// The message of `npm start` when the stack is ready.
import type { StackInfo } from './demo.ts';
import { loadCommand } from './environment.ts';

function providerLines({ asaas_url: asaas, wise_url: wise, stripe_url: stripe }: StackInfo): string {
  if (!asaas) return '';
  return `  Providers  Asaas ${asaas}, Wise ${wise}, Stripe ${stripe}
             The demo tenant has an account at each: select * from admin.provider_accounts
`;
}

function crmLines({ crms }: StackInfo): string {
  if (!crms?.credentials)
    return '  Fakes      npm start -- --providers also runs fakes of payment providers and CRMs to connect\n';
  const { rd_station: rdStation, pipedrive, hubspot } = crms.credentials;
  const { RD_STATION_URL, PIPEDRIVE_URL, HUBSPOT_URL } = crms.settings;
  return `  CRMs       RD Station ${RD_STATION_URL}  ${JSON.stringify(rdStation)}
             Pipedrive ${PIPEDRIVE_URL}  ${JSON.stringify(pipedrive)}
             HubSpot ${HUBSPOT_URL}  ${JSON.stringify(hubspot)}
             How to connect one: docs/guides/connect-pipedrive.md
`;
}

function peopleLines({ people }: StackInfo): string {
  const width = Math.max(...people.map(({ email }) => email.length));
  return people
    .map(({ email, password, role, access }, index) => {
      const label = index === 0 ? 'People' : '';
      const given = access === 'seller' || access === role ? '' : `, access ${access}`;
      return `  ${label.padEnd(9)}  ${email.padEnd(width)}  password ${password}  ${role}${given}\n`;
    })
    .join('');
}

export function banner(info: StackInfo, dir: string): string {
  const sync = `${info.base_url}/functions/v1/default-integration`;
  return `Placar is running. Open the console: ${info.base_url}

  API        ${info.base_url}/functions/v1
  Records    ${info.base_url}/v1     needs an access token from ${info.auth_url}/oauth/token
  Database   ${info.database_url}
  Emails     ${info.mail_url}     lists captured emails
  Inbox      ${info.inbox_url}    receives webhooks and lists them
  Demo       tenant ${info.tenant_id}
             API key ${info.api_key}
             client  ${info.client_id}  secret ${info.client_secret}
${peopleLines(info)}${providerLines(info)}${crmLines(info)}  Files      ${dir}/stack.json contains these values, ${dir}/logs the logs of the services

Try it: report a collaborator's activity, worth 10 points.

  curl -s ${sync} \\
    -H 'Authorization: Bearer ${info.api_key}' -H 'Content-Type: application/json' \\
    -d '{"action":"sync_activities","activities":[{"activity_code":"001","external_id":"call-1","collaborator_email":"ana@demo.example"}]}' -w '\\n'

To sign in as one of these people, start the hosted console in another shell:

  npx placar console --sign-in --url ${info.auth_url} --publishable-key ${info.publishable_key}

To set PLACAR_API_KEY and the other variables of the examples in another shell, run:

  ${loadCommand(dir)}

Press Ctrl-C to stop. To delete all data: npm start -- --fresh`;
}
