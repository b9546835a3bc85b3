// The navigation, ordered by the reader's tasks. Pages that are not listed here appear under "Further pages".
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import {
  addressOf,
  isTranslated,
  openapiDocuments,
  pagesInDocs,
  root,
  sourceAddressOf,
} from './repository.ts';

/** Groups of files of the repository. Files that do not exist are omitted. */
/** Paths of pages by group. */
export const groups: Record<string, string[]> = {
  Start: [
    'README.md',
    'docs/quick-starts.md',
    'docs/glossary.md',
    'docs/local-development.md',
    'docs/fakes.md',
    'docs/command-line.md',
    'docs/command-line-sync.md',
  ],
  Guides: [
    'docs/guides/people.md',
    'docs/guides/import-leads.md',
    'docs/guides/connect-rd-station.md',
    'docs/guides/connect-pipedrive.md',
    'docs/guides/connect-hubspot.md',
    'docs/two-way-sync.md',
    'docs/guides/leaderboard.md',
    'docs/guides/bill-customers.md',
    'docs/guides/issue-nfse.md',
    'docs/guides/pay-out.md',
    'docs/guides/refund.md',
    'docs/guides/export-the-ledger.md',
    'docs/guides/debug-a-request.md',
    'docs/no-code.md',
    'docs/guides/n8n.md',
  ],
  Integrate: [
    'docs/authentication.md',
    'docs/signing-in.md',
    'docs/activity-sync.md',
    'docs/payments.md',
    'docs/payments-taxes.md',
    'docs/refunds.md',
    'docs/payments-due-dates.md',
    'docs/payments-exports.md',
    'docs/idempotency.md',
    'docs/sandbox.md',
    'docs/records.md',
    'docs/records-sync.md',
    'docs/sellers-app.md',
    'docs/pagination.md',
    'docs/variants.md',
    'docs/webhooks.md',
    'docs/webhooks-management.md',
    'docs/webhooks-reference.md',
    'docs/event-feed.md',
    'docs/mcp.md',
    'clients/typescript/README.md',
    'clients/python/README.md',
    'clients/n8n/README.md',
  ],
  Administer: [
    'docs/console.md',
    'docs/hosting-the-console.md',
    'docs/administration.md',
    'docs/points.md',
    'docs/gamification.md',
    'docs/badges-and-challenges.md',
    'docs/automations.md',
    'docs/admin-api.md',
    'docs/audit-trail.md',
    'docs/personal-data.md',
    'docs/connectors.md',
    'docs/connectors-sync.md',
    'docs/payment-providers.md',
    'supabase/snippets',
  ],
  Operate: [
    'docs/production.md',
    'docs/operations.md',
    'docs/operations/incidents.md',
    'docs/operations/leaked-keys.md',
    'docs/operations/wrong-points-and-payouts.md',
    'docs/operations/crm-accounts.md',
    'docs/operations/alerts.md',
    'docs/operations/health.md',
    'docs/operations/metrics.md',
    'docs/operations/logs.md',
    'docs/operations/telemetry.md',
    'docs/operations/backup.md',
    'docs/operations/restore-drill.md',
    'docs/operations/request-log-archive.md',
    'docs/command-line-operators.md',
    'docs/operations/moving-a-tenant.md',
    'docs/operations/first-deployment.md',
    'docs/operations/upgrading.md',
    'docs/operations/migrations.md',
    'docs/operations/secrets.md',
    'docs/scale.md',
    'docs/security.md',
    'docs/operations/security.md',
  ],
  Understand: [
    'docs/architecture.md',
    'docs/following-a-request.md',
    'docs/architecture-webhooks.md',
    'docs/how-a-won-deal-becomes-points.md',
    'docs/database.md',
    'docs/performance.md',
    'docs/performance-method.md',
    'docs/performance-goals.md',
    'docs/fault-testing.md',
    'docs/writing-a-provider.md',
    'docs/writing-a-connector.md',
    'docs/adr/README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
  ],
};

/** Shorter titles than the pages' headings. */
const titles: Record<string, string> = {
  'README.md': 'Overview',
  'docs/authentication.md': 'Authentication',
  'docs/signing-in.md': 'Signing in',
  'docs/records.md': 'Records',
  'docs/pagination.md': 'Lists of records',
  'docs/variants.md': 'Naming variants of records',
  'docs/operations.md': 'Operations: the runbook',
  'docs/operations/logs.md': 'Log lines',
  'docs/security.md': 'Security',
  'supabase/snippets': 'Snippets for Studio',
  'clients/typescript/README.md': 'TypeScript client',
  'clients/python/README.md': 'Python client',
  'clients/n8n/README.md': 'n8n nodes',
  'SECURITY.md': 'Reporting a vulnerability',
};

export const titleOf = (path: string): string =>
  titles[path] ?? /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path;

export const itemOf = (path: string): DefaultTheme.SidebarItem => ({
  text: titleOf(path),
  link: addressOf(path) ?? sourceAddressOf(path),
});

const isRecord = (path: string) => path.startsWith('docs/adr/') && path !== 'docs/adr/README.md';

/** Items below an item. */
const subpages: Record<string, DefaultTheme.SidebarItem[]> = {
  'docs/adr/README.md': pagesInDocs.filter(isRecord).map(itemOf),
};

/** The title of an OpenAPI document, without the product's name. */
function titleOfDocument(name: string): string {
  const document: { info: { title: string } } = JSON.parse(
    readFileSync(join(root, `docs/openapi/${name}.json`), 'utf8'),
  );
  const title = document.info.title.replace(/^Placar: /, '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** The lists of operations, one for each interface. */
const operationPages = pagesInDocs.filter((path) => /^docs\/openapi\/(?!README)/.test(path));

/** The pages of the API reference. */
export const reference = openapiDocuments.map((name) => ({
  text: titleOfDocument(name),
  link: `/reference/${name}`,
}));

export const sidebar: DefaultTheme.SidebarItem[] = [
  ...Object.entries(groups).map(([text, paths]) => ({
    text,
    collapsed: false,
    items: paths
      .filter((path) => existsSync(join(root, path)))
      .map((path) =>
        path in subpages ? { ...itemOf(path), collapsed: true, items: subpages[path] } : itemOf(path),
      ),
  })),
  {
    text: 'API reference',
    collapsed: false,
    items: [
      {
        text: 'All operations',
        link: '/openapi/',
        collapsed: true,
        items: operationPages.map((path) => ({
          ...itemOf(path),
          text: titleOf(path).replace(/^Operations: /, ''),
        })),
      },
      ...reference,
    ],
  },
];

const named = new Set([...Object.values(groups).flat(), 'docs/index.md']);
const further = pagesInDocs.filter(
  (path) => !named.has(path) && !isRecord(path) && !isTranslated(path) && !path.startsWith('docs/openapi/'),
);
if (further.length > 0) sidebar.push({ text: 'Further pages', items: further.map(itemOf) });
