// /deals and /opportunities: the same deals at two addresses.
import type { Endpoint } from '../../shared/platform/http/app.ts';
import {
  activityList,
  createDealActivity,
  listDealActivities,
} from '../../shared/records/activities/operations.ts';
import {
  changeDeal,
  closeDeal,
  createDeal,
  dealList,
  deleteDeal,
  getDeal,
  moveDeal,
} from '../../shared/records/deals/operations.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import { listStages } from '../../shared/records/stages/list.ts';
import { show } from '../../shared/records/variants/variant.ts';
import { listAnswer, listQuery, many, nothing, one, recordsEndpoint, single } from './endpoint.ts';

const docs = () => import('./deals.openapi.ts');
const schemas = () => import('../../shared/records/deals/schema.ts');
const reads = { scope: 'read:deals', successStatus: 200, body: 'none', resource: 'deal' } as const;
const writes = { scope: 'write:deals', body: 'required', resource: 'deal' } as const;

function endpointsAt(base: '/deals' | '/opportunities'): Endpoint[] {
  const documented = async () => (await docs()).dealDocs(base);
  return [
    recordsEndpoint({
      ...reads,
      method: 'get',
      path: base,
      docs: async () => (await documented()).list,
      run: (request) => listAnswer(request, 'deal', dealList),
    }),
    recordsEndpoint({
      ...writes,
      method: 'post',
      path: base,
      successStatus: 201,
      docs: async () => (await documented()).create,
      async run(request) {
        const naming = request.variant.namings.deal;
        const deal = parseBody((await schemas()).newDeal, naming, request.json, naming.required);
        return one(request, 201, 'deal', await createDeal(request.context, deal));
      },
    }),
    recordsEndpoint({
      ...reads,
      method: 'get',
      path: `${base}/:id`,
      docs: async () => (await documented()).get,
      run: async (request) =>
        one(request, 200, 'deal', await getDeal(request.context, request.params.id ?? '')),
    }),
    recordsEndpoint({
      ...writes,
      method: 'patch',
      path: `${base}/:id`,
      successStatus: 200,
      docs: async () => (await documented()).change,
      async run(request) {
        const naming = request.variant.namings.deal;
        const change = parseBody((await schemas()).dealChange, naming, request.json);
        return one(request, 200, 'deal', await changeDeal(request.context, request.params.id ?? '', change));
      },
    }),
    recordsEndpoint({
      ...writes,
      method: 'delete',
      path: `${base}/:id`,
      successStatus: 204,
      body: 'none',
      docs: async () => (await documented()).remove,
      async run({ context, params }) {
        await deleteDeal(context, params.id ?? '');
        return nothing;
      },
    }),
    recordsEndpoint({
      ...writes,
      method: 'post',
      path: `${base}/:id/move`,
      successStatus: 200,
      docs: async () => (await documented()).move,
      async run(request) {
        const naming = request.variant.namings.deal;
        const move = parseBody((await schemas()).move, naming, request.json);
        return one(request, 200, 'deal', await moveDeal(request.context, request.params.id ?? '', move));
      },
    }),
    recordsEndpoint({
      ...writes,
      method: 'post',
      path: `${base}/:id/close`,
      successStatus: 200,
      resource: 'closing',
      docs: async () => (await documented()).close,
      async run(request) {
        const { context, params, variant, json } = request;
        const closing = parseBody((await schemas()).closing, variant.namings.closing, json);
        // Variants B and C give the reason of a loss in their note as well.
        if (variant.id !== 'a') closing.loss_reason ??= closing.note;
        return one(request, 200, 'deal', await closeDeal(context, params.id ?? '', closing));
      },
    }),
    recordsEndpoint({
      ...reads,
      method: 'get',
      path: `${base}/:id/activities`,
      resource: 'activity',
      docs: async () => (await documented()).listActivities,
      async run(request) {
        const query = listQuery(request, 'activity', activityList);
        const result = await listDealActivities(request.context, request.params.id ?? '', query);
        return many(request, result, (record) => show(request.variant, 'activity', record));
      },
    }),
    recordsEndpoint({
      ...writes,
      method: 'post',
      path: `${base}/:id/activities`,
      successStatus: 201,
      resource: 'activity',
      docs: async () => (await documented()).createActivity,
      async run(request) {
        const activity = parseBody(
          (await schemas()).newActivity,
          request.variant.namings.activity,
          request.json,
        );
        const record = await createDealActivity(request.context, request.params.id ?? '', activity);
        return one(request, 201, 'activity', record);
      },
    }),
  ];
}

const stagesAt = (path: '/stages' | '/pipeline/stages'): Endpoint =>
  recordsEndpoint({
    ...reads,
    method: 'get',
    path,
    resource: 'stage',
    docs: async () => (await docs()).stageDocs(path),
    async run(request) {
      const stages = await listStages(request.context);
      const data = stages.map((stage) => show(request.variant, 'stage', stage));
      return request.variant.listsInMeta ? single(request, 200, data) : { status: 200, body: { data } };
    },
  });

export const dealEndpoints: Endpoint[] = [
  ...endpointsAt('/deals'),
  ...endpointsAt('/opportunities'),
  stagesAt('/stages'),
  stagesAt('/pipeline/stages'),
];
