// Variant C: the Spanish-language naming.
import { activity, webhook, words } from './a.ts';
import { closing, fromOwner, opportunity, showOpportunity, toOwner } from './b.ts';
import { type Naming, type Row, wordFor } from './naming.ts';
import * as show from './show.ts';
import type { Variant } from './variant.ts';

const user: Naming = {
  show: (record) => ({
    ...show.user(record),
    role: wordFor(user, 'role', record.role),
    status: wordFor(user, 'status', record.status),
  }),
  names: {},
  values: {
    role: { ...words('admin', 'manager', 'viewer'), seller: ['sales_rep'] },
    status: { active: ['active'], inactive: ['deactivated'], pending: ['invited'] },
  },
};

const showDeal = (record: Row): Row => ({
  ...showOpportunity(record),
  currency: record.currency ?? null,
  products: record.products ?? [],
});

export const c: Variant = {
  id: 'c',
  defaultPerPage: 20,
  listsInMeta: false,
  eventTypes: { 'lead.status_changed': 'lead.stage_changed' },
  namings: {
    lead: {
      show: (record) => ({
        ...show.rename(show.lead(record), { ...toOwner, status: 'stage' }),
        score: record.score ?? null,
      }),
      names: { ...fromOwner, stage: 'status' },
      values: { status: words('new', 'contacted', 'qualified', 'unqualified', 'converted') },
    },
    deal: { ...opportunity, show: showDeal },
    closing: { ...closing, show: showDeal },
    stage: {
      show: (record) => show.rename(show.stage(record), { position: 'order' }),
      names: {},
      values: {},
    },
    user,
    team: { show: show.team, names: {}, values: {} },
    activity: {
      ...activity,
      show: (record) => show.rename(show.activity(record), { ...toOwner, deal_id: 'opportunity_id' }),
      names: { ...fromOwner, opportunity_id: 'deal_id' },
    },
    invitation: {
      show: (record) => ({ ...show.invitation(record), role: wordFor(user, 'role', record.role) }),
      names: {},
      values: { role: user.values.role ?? {}, status: words('pending', 'accepted', 'revoked', 'expired') },
    },
    webhook,
  },
};
