// What `npm start` says when all is up.
import type { StackInfo } from './demo.ts';
import { loadCommand } from './environment.ts';

function providerLines({ asaas_url: asaas, wise_url: wise, stripe_url: stripe }: StackInfo): string {
  if (!asaas) return '';
  return `  Providers  Asaas ${asaas}, Wise ${wise}, Stripe ${stripe}
             the demo tenant has an account at each: select * from admin.provider_accounts
`;
}

export function banner(info: StackInfo, dir: string): string {
  const sync = `${info.base_url}/functions/v1/default-integration`;
  return `Placar is up: ${info.base_url} says what is there.

  API        ${info.base_url}/functions/v1
  Records    ${info.base_url}/v1     with a token of ${info.auth_url}/oauth/token
  Database   ${info.database_url}
  Mail       ${info.mail_url}     what would have been sent
  Inbox      ${info.inbox_url}    receives webhooks, and lists them
  Demo       tenant ${info.tenant_id}
             API key ${info.api_key}
             client  ${info.client_id}  secret ${info.client_secret}
${providerLines(info)}  Files      ${dir}/stack.json has all of the above, ${dir}/logs what each service says

Try it: a collaborator's activity, worth 10 points.

  curl -s ${sync} \\
    -H 'Authorization: Bearer ${info.api_key}' -H 'Content-Type: application/json' \\
    -d '{"action":"sync_activities","activities":[{"activity_code":"001","external_id":"call-1","collaborator_email":"ana@demo.example"}]}'

In another shell this sets PLACAR_API_KEY and its like, which the documents' examples read:

  ${loadCommand(dir)}

Ctrl-C stops it; npm start -- --fresh forgets everything.`;
}
