// Variant A: the canonical names.
import type { Naming } from './naming.ts';
import * as show from './show.ts';
import type { Variant } from './variant.ts';

/** Each word stands for itself. */
export const words = (...list: string[]) => Object.fromEntries(list.map((word) => [word, [word]]));

export const dealWords = {
  status: words('open', 'won', 'lost'),
  priority: words('high', 'medium', 'low'),
};

const closing: Naming = { show: show.deal, names: {}, values: { result: words('won', 'lost') } };

const plain = (shown: Naming['show'], values: Naming['values'] = {}): Naming => ({
  show: shown,
  names: {},
  values,
});

export const activity = plain(show.activity, { type: words('note', 'call', 'email', 'meeting', 'task') });
export const webhook = plain(show.webhook, { status: words('pending', 'delivered', 'failed') });

export const a: Variant = {
  id: 'a',
  defaultPerPage: 25,
  listsInMeta: true,
  eventTypes: {},
  namings: {
    lead: {
      ...plain(show.lead, { status: words('new', 'contacted', 'qualified', 'unqualified', 'converted') }),
      unknown: ['score'],
    },
    deal: { ...plain(show.deal, dealWords), unknown: ['stage', 'currency', 'products'] },
    closing,
    stage: plain(show.stage),
    user: plain(show.user, {
      role: words('admin', 'manager', 'sales_rep'),
      status: words('active', 'invited', 'deactivated'),
    }),
    team: plain(show.team),
    activity,
    invitation: plain(show.invitation, {
      role: words('admin', 'manager', 'sales_rep'),
      status: words('pending', 'accepted', 'revoked', 'expired'),
    }),
    webhook,
  },
};
