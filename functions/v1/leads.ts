// /leads
import type { Endpoint } from '../../shared/platform/http/app.ts';
import {
  changeLead,
  convertLead,
  createLead,
  deleteLead,
  getLead,
  leadList,
} from '../../shared/records/leads/operations.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import type { Row } from '../../shared/records/variants/naming.ts';
import { show } from '../../shared/records/variants/variant.ts';
import { listAnswer, nothing, one, recordsEndpoint, single } from './endpoint.ts';

const docs = () => import('./leads.openapi.ts');
/** Loaded when a lead is written, with the rules of every field. */
const schemas = () => import('../../shared/records/leads/schema.ts');
const reads = { scope: 'read:leads', successStatus: 200, body: 'none', resource: 'lead' } as const;
const writes = { scope: 'write:leads', body: 'required', resource: 'lead' } as const;

export const leadEndpoints: Endpoint[] = [
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/leads',
    docs: async () => (await docs()).listLeads,
    run: (request) => listAnswer(request, 'lead', leadList),
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/leads',
    successStatus: 201,
    docs: async () => (await docs()).createLead,
    async run(request) {
      const lead = parseBody((await schemas()).newLead, request.variant.namings.lead, request.json);
      return one(request, 201, 'lead', await createLead(request.context, lead));
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/leads/:id',
    docs: async () => (await docs()).getLead,
    async run(request) {
      const record = await getLead(request.context, request.params.id ?? '');
      const activities = (record.activities as Row[]).map((entry) =>
        show(request.variant, 'activity', entry),
      );
      return single(request, 200, { ...show(request.variant, 'lead', record), activities });
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'patch',
    path: '/leads/:id',
    successStatus: 200,
    docs: async () => (await docs()).changeLead,
    async run(request) {
      const change = parseBody((await schemas()).leadChange, request.variant.namings.lead, request.json);
      return one(request, 200, 'lead', await changeLead(request.context, request.params.id ?? '', change));
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'delete',
    path: '/leads/:id',
    successStatus: 204,
    body: 'none',
    docs: async () => (await docs()).deleteLead,
    async run({ context, params }) {
      await deleteLead(context, params.id ?? '');
      return nothing;
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/leads/:id/convert',
    body: 'optional',
    resource: 'deal',
    successStatus: ({ id }) => (id === 'b' ? 201 : 200),
    docs: async () => (await docs()).convertLead,
    async run(request) {
      const conversion = parseBody((await schemas()).conversion, request.variant.namings.deal, request.json);
      const { lead, deal } = await convertLead(request.context, request.params.id ?? '', conversion);
      const shown = show(request.variant, 'deal', deal);
      if (request.variant.id === 'b') return single(request, 201, shown);
      return single(request, 200, { lead: show(request.variant, 'lead', lead), deal: shown });
    },
  }),
];
