import { type CrmHttp, createCrmHttp } from '../../../shared/connectors/crms/crm-http.ts';

/** Requests to fakes need no distance. */
export function httpWithoutWaits(title: string, signal = new AbortController().signal): CrmHttp {
  const http = createCrmHttp({ title, pacing: { intervalMs: 0 } }, signal);
  return (request) => http({ ...request, intervalMs: 0 });
}
