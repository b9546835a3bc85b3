// Endpoints of /me: what persons read and change of themselves, and nothing else of the tenant.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import type { ProgressList } from '../../shared/records/me/queries.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/me/reads.ts');
const writes = () => import('../../shared/records/me/writes.ts');
const self = { scopes: ['self'] } as const;
const read = { ...self, method: 'get', body: 'none' } as const;

const dealsAt = (base: '/me/deals' | '/me/opportunities') => ({
  list: recordsEndpoint({
    ...read,
    path: base,
    resource: 'deal',
    async handle(request) {
      const { listOwnRecords, ownDealList } = await reads();
      return request.list('deal', ownDealList, (context, query) =>
        listOwnRecords(context, ownDealList, query),
      );
    },
  }),
  get: recordsEndpoint({
    ...read,
    path: `${base}/:id`,
    resource: 'deal',
    conditional: 'deal',
    async handle(request) {
      const { getOwnDeal } = await reads();
      return request.record(200, 'deal', (context) => getOwnDeal(context, request.params.id));
    },
  }),
});

const progressAt = (path: `/me/${string}`, resource: ProgressList) =>
  recordsEndpoint({
    ...read,
    path,
    resource,
    async handle(request) {
      const { listProgress, parsePage } = await reads();
      const page = parsePage(request.query, request.variant.defaultPerPage);
      return request.pageOf(
        (context) => listProgress(context, resource, page),
        (record) => request.shape(resource, record),
      );
    },
  });

const deals = dealsAt('/me/deals');
const opportunities = dealsAt('/me/opportunities');

export const meEndpoints = {
  getMe: recordsEndpoint({
    ...read,
    path: '/me',
    resource: 'me',
    conditional: 'me',
    handle: async (request) => request.record(200, 'me', (await reads()).getMe),
  }),
  updateMe: recordsEndpoint({
    ...self,
    method: 'patch',
    path: '/me',
    body: 'required',
    resource: 'me',
    conditional: 'me',
    async handle(request) {
      const [{ getMe }, { changeMe, meChange, meChangeBody }] = await Promise.all([reads(), writes()]);
      const change = meChange.parse(request.parse(meChangeBody));
      return request.recordAfterVersionCheck(
        'me',
        (context, versions) => changeMe(context, change, versions),
        getMe,
      );
    },
  }),
  listOwnPoints: recordsEndpoint({
    ...read,
    path: '/me/points',
    resource: 'ownPointEntry',
    async handle(request) {
      const { listOwnPoints, ownPointList, userIdOf } = await reads();
      return request.list('ownPointEntry', ownPointList(userIdOf(request)), listOwnPoints);
    },
  }),
  listOwnBadges: progressAt('/me/badges', 'ownBadge'),
  listOwnChallenges: progressAt('/me/challenges', 'ownChallenge'),
  listOwnMissions: progressAt('/me/missions', 'ownMission'),
  listOwnLeads: recordsEndpoint({
    ...read,
    path: '/me/leads',
    resource: 'lead',
    async handle(request) {
      const { listOwnRecords, ownLeadList } = await reads();
      return request.list('lead', ownLeadList, (context, query) =>
        listOwnRecords(context, ownLeadList, query),
      );
    },
  }),
  getOwnLead: recordsEndpoint({
    ...read,
    path: '/me/leads/:id',
    resource: 'lead',
    conditional: 'lead',
    async handle(request) {
      const { getOwnLead } = await reads();
      return request.record(
        200,
        'lead',
        (context) => getOwnLead(context, request.params.id),
        (lead) => ({ activities: lead.activities.map((entry) => request.shape('activity', entry)) }),
      );
    },
  }),
  listOwnDeals: deals.list,
  getOwnDeal: deals.get,
  listOwnOpportunities: opportunities.list,
  getOwnOpportunity: opportunities.get,
} satisfies Endpoints;
