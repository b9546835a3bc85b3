// A model of leads as plain objects, and of the effects of requests. Tests compare the service with it.
import { type LeadText, leadTextNames } from '../../../shared/records/leads/texts.ts';

/** Members that a merge fills in and that are stored exactly as sent. */
const FILLED = [...leadTextNames, 'owner_id', 'team_id'] as const;

export interface ModelLead extends Record<LeadText, string | null> {
  name: string;
  email: string;
  owner_id: string | null;
  team_id: string | null;
  status: string;
  custom_fields: Record<string, unknown>;
  tags: string[];
  /** The external id that each client uses for it, by the name of the client. */
  external: Record<string, string[]>;
}

/** The response to a request, as far as the model knows it. */
export interface ModelReply {
  status: number;
  merged_into?: string;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '');

/** Leads and deals, by keys that the test chooses. */
export class LeadModel {
  readonly leads = new Map<string, ModelLead>();
  /** The lead of each deal. */
  readonly deals = new Map<string, string | null>();
  readonly merged = new Map<string, string>();

  copy(): LeadModel {
    const copy = new LeadModel();
    for (const [key, lead] of this.leads) copy.leads.set(key, structuredClone(lead));
    for (const [key, lead] of this.deals) copy.deals.set(key, lead);
    for (const [loser, winner] of this.merged) copy.merged.set(loser, winner);
    return copy;
  }

  get(key: string): ModelReply {
    if (this.leads.has(key)) return { status: 200 };
    const into = this.merged.get(key);
    return into !== undefined && this.leads.has(into) ? { status: 404, merged_into: into } : { status: 404 };
  }

  /** The lead that a client identifies by this external id. */
  called(client: string, external: string): string | undefined {
    return [...this.leads].find(([, lead]) => lead.external[client]?.includes(external))?.[0];
  }

  merge(winnerKey: string, loserKey: string): ModelReply {
    const winner = this.leads.get(winnerKey);
    const loser = this.leads.get(loserKey);
    if (!winner) return this.get(winnerKey);
    if (!loser || winner === loser) return { status: 422 };
    for (const member of FILLED) {
      if (isEmpty(winner[member]) && !isEmpty(loser[member])) winner[member] = loser[member];
    }
    if (loser.status === 'converted') winner.status = 'converted';
    for (const [name, value] of Object.entries(loser.custom_fields)) {
      if (isEmpty(winner.custom_fields[name]) && !isEmpty(value)) winner.custom_fields[name] = value;
    }
    for (const tag of loser.tags) if (!winner.tags.includes(tag)) winner.tags.push(tag);
    for (const [client, ids] of Object.entries(loser.external)) {
      winner.external[client] = [...(winner.external[client] ?? []), ...ids];
    }
    for (const [deal, lead] of this.deals) if (lead === loserKey) this.deals.set(deal, winnerKey);
    this.leads.delete(loserKey);
    for (const [earlier, into] of this.merged) if (into === loserKey) this.merged.set(earlier, winnerKey);
    this.merged.set(loserKey, winnerKey);
    return { status: 200 };
  }

  change(key: string, change: Partial<ModelLead>): ModelReply {
    const lead = this.leads.get(key);
    if (lead) Object.assign(lead, structuredClone(change));
    return this.get(key);
  }

  remove(key: string): ModelReply {
    if (!this.leads.has(key)) return this.get(key);
    this.leads.delete(key);
    for (const [deal, lead] of this.deals) if (lead === key) this.deals.set(deal, null);
    return { status: 204 };
  }

  convert(key: string): ModelReply {
    const lead = this.leads.get(key);
    if (!lead) return this.get(key);
    if (lead.status === 'converted') return { status: 409 };
    lead.status = 'converted';
    return { status: 200 };
  }

  /** PUT by an external id: changes the lead with this id, or creates one with the name as its key. */
  put(client: string, external: string, body: ModelLead): ModelReply {
    const key = this.called(client, external);
    const { name, email, phone, company } = body;
    if (key !== undefined) return this.change(key, { name, email, phone, company });
    if ([...this.leads.values()].some(({ email }) => email === body.email)) return { status: 409 };
    this.leads.set(external, { ...structuredClone(body), external: { [client]: [external] } });
    return { status: 201 };
  }

  linkDeal(deal: string, lead: string): ModelReply {
    if (!this.leads.has(lead)) return { status: 422 };
    this.deals.set(deal, lead);
    return { status: 200 };
  }
}
