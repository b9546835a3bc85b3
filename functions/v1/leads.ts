// Endpoints of /leads.
import type { Context } from '../../shared/platform/access/context.ts';
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import type { LeadWithHistory } from '../../shared/records/leads/queries.ts';
import { batchEndpoint } from './batch.ts';
import { externalEndpoints } from './by-external-id.ts';
import { recordsEndpoint } from './records-endpoint.ts';
import type { RecordsRequest } from './records-request.ts';

const reads = () => import('../../shared/records/leads/reads.ts');
const writes = () => import('../../shared/records/leads/writes.ts');
const activityReads = () => import('../../shared/records/activities/reads.ts');
const read = { scopes: ['read:leads'], body: 'none', resource: 'lead' } as const;
const write = { scopes: ['write:leads'], body: 'required', resource: 'lead' } as const;

const historyOf = (request: RecordsRequest<string>, lead: LeadWithHistory) => ({
  activities: lead.activities.map((entry) => request.shape('activity', entry)),
});

const external = externalEndpoints({
  resource: 'lead',
  base: '/leads',
  source: 'leads',
  scopes: { read: read.scopes, write: write.scopes },
  get: async () => (await reads()).getLead,
  listsOf: historyOf,
  async writes() {
    const { newLead, leadChange, upsertLead: upsert } = await writes();
    return {
      create: (request) => request.parse(newLead),
      change: (request) => request.parse(leadChange),
      upsert,
    };
  },
});

const batch = batchEndpoint({
  resource: 'lead',
  base: '/leads',
  scopes: write.scopes,
  kind: async () => (await writes()).leadBatch,
});

export const leadEndpoints = {
  listLeads: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/leads',
    handle: async (request) => request.list('lead', (await reads()).leadList),
  }),
  createLead: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/leads',
    async handle(request) {
      const { newLead, createLead } = await writes();
      const lead = request.parse(newLead);
      return request.record(201, 'lead', (context) => createLead(context, lead));
    },
  }),
  batchLeads: batch,
  getLeadByExternalId: external.get,
  putLead: external.put,
  getLead: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/leads/:id',
    conditional: 'lead',
    async handle(request) {
      const { getLead } = await reads();
      return request.record(
        200,
        'lead',
        (context) => getLead(context, request.params.id),
        (lead) => historyOf(request, lead),
      );
    },
  }),
  listLeadActivities: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/leads/:id/activities',
    resource: 'activity',
    async handle(request) {
      const [{ activityList }, { listLeadActivities }] = await Promise.all([activityReads(), reads()]);
      return request.list('activity', activityList, (context, query) =>
        listLeadActivities(context, request.params.id, query),
      );
    },
  }),
  updateLead: recordsEndpoint({
    ...write,
    method: 'patch',
    path: '/leads/:id',
    conditional: 'lead',
    async handle(request) {
      const { leadChange, updateLead } = await writes();
      const change = request.parse(leadChange);
      return request.record(200, 'lead', (context) => updateLead(context, request.params.id, change));
    },
  }),
  deleteLead: recordsEndpoint({
    ...write,
    method: 'delete',
    path: '/leads/:id',
    conditional: 'lead',
    body: 'none',
    async handle(request) {
      const { deleteLead } = await writes();
      return request.noContent((context) => deleteLead(context, request.params.id));
    },
  }),
  convertLead: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/leads/:id/convert',
    conditional: 'lead',
    body: 'optional',
    resource: 'deal',
    async handle(request) {
      const { conversion, convertLead } = await writes();
      const { variant, params } = request;
      const input = request.parse(conversion);
      const convert = (context: Context) => convertLead(context, params.id, input);
      // Variant B returns only the deal.
      if (variant.id === 'b') {
        return request.record(201, 'deal', async (context) => (await convert(context)).deal);
      }
      return request.answer(200, convert, ({ lead, deal }) => ({
        lead: request.shape('lead', lead),
        deal: request.shape('deal', deal),
      }));
    },
  }),
  mergeLeads: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/leads/:id/merge',
    conditional: 'lead',
    async handle(request) {
      const [{ getLead }, { merging, mergeLead }] = await Promise.all([reads(), writes()]);
      const { id } = request.params;
      const { loser_id: loserId } = request.parse(merging);
      return request.recordAfterVersionCheck(
        'lead',
        (context, versions) => mergeLead(context, id, loserId, versions),
        (context) => getLead(context, id),
      );
    },
  }),
} satisfies Endpoints;
