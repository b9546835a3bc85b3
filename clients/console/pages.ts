// All resources and pages of the console, and its navigation.
import { KEY } from './api/access.ts';
import { correctionsPage } from './pages/corrections.tsx';
import { crmPage } from './pages/crm.tsx';
import { crmDifferencesPage, crmPreviewPage, crmRunPage } from './pages/crm-runs.tsx';
import { event, events } from './pages/events.tsx';
import { invoicePage } from './pages/invoice.tsx';
import { ledgerPage } from './pages/ledger.tsx';
import { change, request } from './pages/log.tsx';
import { codePanelPage } from './pages/missions.tsx';
import { overview } from './pages/overview.tsx';
import { payoutsPage } from './pages/payouts.tsx';
import { providersPage } from './pages/providers.tsx';
import { reference } from './pages/reference.tsx';
import { standings, standingsList } from './pages/standings.tsx';
import { persons, settings } from './pages/workspace.tsx';
import * as administration from './resources/administration.ts';
import { crmAccounts } from './resources/crm.ts';
import { crmDifferences, crmPreview, crmRuns } from './resources/crm-runs.ts';
import * as gamification from './resources/gamification.ts';
import * as payments from './resources/payments.ts';
import * as records from './resources/records.ts';
import type { Resource } from './resources/resource.ts';
import { webhooks } from './resources/webhooks.ts';
import type { NavigationSection, Page } from './view.ts';

/** More specific paths come first: the first match wins. */
export const resources: readonly Resource[] = [
  payments.waitingPayouts,
  ...webhooks,
  administration.stages,
  ...Object.values(records),
  ...Object.values(gamification),
  standingsList,
  payments.invoices,
  payments.payouts,
  payments.ledger,
  payments.accounts,
  administration.automations,
  crmPreview,
  crmRuns,
  crmDifferences,
  crmAccounts,
  administration.keys,
  administration.clients,
  administration.requests,
  administration.changes,
  administration.settings,
  administration.persons,
];

/** Pages that are not just the list or the details of a resource. */
export const pages: Readonly<Record<string, Page>> = {
  '/': overview,
  '/requests/:id': request,
  '/changes/:id': change,
  '/events': events,
  '/events/:id': event,
  '/standings': standings,
  '/gamification/missions': codePanelPage,
  '/gamification/corrections': correctionsPage,
  '/payments/invoices/:id': invoicePage,
  '/payments/ledger': ledgerPage,
  '/payments/payouts': payoutsPage,
  '/payments/providers': providersPage,
  '/crm/:id': crmPage,
  '/crm/:account/differences': crmDifferencesPage,
  '/crm/:account/runs/:id': crmRunPage,
  '/crm/:account/runs/:run/preview': crmPreviewPage,
  '/settings': settings,
  '/persons': persons,
  '/reference': reference,
};

const EVENTS = ['read:leads', 'read:deals', 'read:users', KEY];

export const navigation: readonly NavigationSection[] = [
  { path: '/', name: 'Overview', icon: 'overview' },
  { path: '/requests', name: 'Requests', icon: 'requests', scopes: ['read:audit'] },
  { path: '/events', name: 'Events', icon: 'events', scopes: EVENTS },
  {
    path: '/webhooks',
    name: 'Webhooks',
    icon: 'webhooks',
    tabs: [
      { path: '/webhooks', name: 'Records', scopes: ['read:webhooks'] },
      { path: '/webhooks/payments', name: 'Payments', scopes: ['read:payments', KEY] },
    ],
  },
  {
    path: '/records/leads',
    name: 'Records',
    icon: 'records',
    tabs: [
      { path: '/records/leads', name: 'Leads', scopes: ['read:leads'] },
      { path: '/records/deals', name: 'Deals', scopes: ['read:deals'] },
      { path: '/records/users', name: 'Users', scopes: ['read:users'] },
      { path: '/records/teams', name: 'Teams', scopes: ['read:teams'] },
    ],
  },
  { path: '/standings', name: 'Standings', icon: 'standings', scopes: ['read:standings'] },
  {
    path: '/gamification/missions',
    name: 'Gamification',
    icon: 'gamification',
    tabs: [
      { path: '/gamification/missions', name: 'Missions', scopes: ['read:settings'] },
      { path: '/gamification/codes', name: 'Activity codes', scopes: ['read:settings'] },
      { path: '/gamification/rules', name: 'Point rules', scopes: ['read:settings'] },
      { path: '/gamification/badges', name: 'Badges', scopes: ['read:settings'] },
      { path: '/gamification/challenges', name: 'Challenges', scopes: ['read:settings'] },
      { path: '/gamification/seasons', name: 'Seasons', scopes: ['read:settings'] },
      { path: '/gamification/tiers', name: 'Tiers', scopes: ['read:settings'] },
      { path: '/gamification/corrections', name: 'Corrections', scopes: ['read:settings'] },
    ],
  },
  { path: '/crm', name: 'CRM', icon: 'crm', scopes: ['manage:workspace'] },
  { path: '/automations', name: 'Automations', icon: 'automations', scopes: ['read:settings'] },
  {
    path: '/payments/invoices',
    name: 'Payments',
    icon: 'payments',
    tabs: [
      { path: '/payments/invoices', name: 'Invoices', scopes: [KEY] },
      { path: '/payments/payouts', name: 'Payouts', scopes: [KEY, 'read:payouts'] },
      { path: '/payments/ledger', name: 'Ledger', scopes: [KEY] },
      { path: '/payments/providers', name: 'Providers', scopes: ['read:payments'] },
    ],
  },
  {
    path: '/access/keys',
    name: 'Access',
    icon: 'access',
    tabs: [
      { path: '/access/keys', name: 'API keys', scopes: ['manage:access'] },
      { path: '/access/clients', name: 'Clients', scopes: ['manage:access'] },
    ],
  },
  { path: '/persons', name: 'Persons', icon: 'persons', scopes: ['manage:persons'] },
  { path: '/changes', name: 'Changes', icon: 'changes', scopes: ['read:audit'] },
  {
    path: '/settings',
    name: 'Settings',
    icon: 'settings',
    tabs: [
      { path: '/settings', name: 'Workspace', scopes: ['read:settings'] },
      { path: '/settings/stages', name: 'Stages', scopes: ['read:settings'] },
    ],
  },
  { path: '/reference', name: 'API', icon: 'reference' },
];
