// Endpoints of /deals and /opportunities: the same deals at two paths.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { batchEndpoint } from './batch.ts';
import { externalEndpoints } from './by-external-id.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/deals/reads.ts');
const writes = () => import('../../shared/records/deals/writes.ts');
const activityReads = () => import('../../shared/records/activities/reads.ts');
const activityWrites = () => import('../../shared/records/activities/writes.ts');
const read = { scopes: ['read:deals'], body: 'none', resource: 'deal' } as const;
const write = { scopes: ['write:deals'], body: 'required', resource: 'deal' } as const;

const endpointsAt = (base: '/deals' | '/opportunities') => ({
  external: externalEndpoints({
    resource: 'deal',
    base,
    source: 'deals',
    scopes: { read: read.scopes, write: write.scopes },
    get: async () => (await reads()).getDeal,
    async writes() {
      const { newDeal, dealChange, upsertDeal: upsert } = await writes();
      return {
        create: (request) => request.parse(newDeal, request.variant.namings.deal.required),
        change: (request) => request.parse(dealChange),
        upsert,
      };
    },
  }),
  list: recordsEndpoint({
    ...read,
    method: 'get',
    path: base,
    handle: async (request) => request.list('deal', (await reads()).dealList),
  }),
  create: recordsEndpoint({
    ...write,
    method: 'post',
    path: base,
    async handle(request) {
      const { newDeal, createDeal } = await writes();
      const deal = request.parse(newDeal, request.variant.namings.deal.required);
      return request.record(201, 'deal', (context) => createDeal(context, deal));
    },
  }),
  batch: batchEndpoint({
    resource: 'deal',
    base,
    scopes: write.scopes,
    kind: async () => (await writes()).dealBatch,
  }),
  get: recordsEndpoint({
    ...read,
    method: 'get',
    path: `${base}/:id`,
    conditional: 'deal',
    async handle(request) {
      const { getDeal } = await reads();
      return request.record(200, 'deal', (context) => getDeal(context, request.params.id));
    },
  }),
  update: recordsEndpoint({
    ...write,
    method: 'patch',
    path: `${base}/:id`,
    conditional: 'deal',
    async handle(request) {
      const { dealChange, updateDeal } = await writes();
      const change = request.parse(dealChange);
      return request.record(200, 'deal', (context) => updateDeal(context, request.params.id, change));
    },
  }),
  delete: recordsEndpoint({
    ...write,
    method: 'delete',
    path: `${base}/:id`,
    conditional: 'deal',
    body: 'none',
    async handle(request) {
      const { deleteDeal } = await writes();
      return request.noContent((context) => deleteDeal(context, request.params.id));
    },
  }),
  move: recordsEndpoint({
    ...write,
    method: 'post',
    path: `${base}/:id/move`,
    conditional: 'deal',
    async handle(request) {
      const { move, moveDeal } = await writes();
      const input = request.parse(move);
      return request.record(200, 'deal', (context) => moveDeal(context, request.params.id, input));
    },
  }),
  close: recordsEndpoint({
    ...write,
    method: 'post',
    path: `${base}/:id/close`,
    conditional: 'deal',
    resource: 'closing',
    async handle(request) {
      const { closing, closeDeal } = await writes();
      const input = request.parse(closing);
      // In variants B and C, the note can also contain the reason of a loss.
      if (request.variant.id !== 'a') input.loss_reason ??= input.note;
      return request.record(200, 'deal', (context) => closeDeal(context, request.params.id, input));
    },
  }),
  listActivities: recordsEndpoint({
    ...read,
    method: 'get',
    path: `${base}/:id/activities`,
    resource: 'activity',
    async handle(request) {
      const [{ activityList }, { listDealActivities }] = await Promise.all([activityReads(), reads()]);
      return request.list('activity', activityList, (context, query) =>
        listDealActivities(context, request.params.id, query),
      );
    },
  }),
  createActivity: recordsEndpoint({
    ...write,
    method: 'post',
    path: `${base}/:id/activities`,
    resource: 'activity',
    async handle(request) {
      const { newActivity, createDealActivity } = await activityWrites();
      const activity = request.parse(newActivity);
      return request.record(201, 'activity', (context) =>
        createDealActivity(context, request.params.id, activity),
      );
    },
  }),
});

const deals = endpointsAt('/deals');
const opportunities = endpointsAt('/opportunities');

export const dealEndpoints = {
  listDeals: deals.list,
  createDeal: deals.create,
  batchDeals: deals.batch,
  getDealByExternalId: deals.external.get,
  putDeal: deals.external.put,
  getDeal: deals.get,
  updateDeal: deals.update,
  deleteDeal: deals.delete,
  moveDeal: deals.move,
  closeDeal: deals.close,
  listDealActivities: deals.listActivities,
  createDealActivity: deals.createActivity,
  listOpportunities: opportunities.list,
  createOpportunity: opportunities.create,
  batchOpportunities: opportunities.batch,
  getOpportunityByExternalId: opportunities.external.get,
  putOpportunity: opportunities.external.put,
  getOpportunity: opportunities.get,
  updateOpportunity: opportunities.update,
  deleteOpportunity: opportunities.delete,
  moveOpportunity: opportunities.move,
  closeOpportunity: opportunities.close,
  listOpportunityActivities: opportunities.listActivities,
  createOpportunityActivity: opportunities.createActivity,
} satisfies Endpoints;
