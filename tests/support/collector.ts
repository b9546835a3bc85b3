// A collector of spans (OTLP/JSON over HTTP) with configurable responses.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** A received span. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, string | number> }[];
  status?: { code: number };
}

interface SentSpans {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: { resourceSpans: { resource: unknown; scopeSpans: { spans: SentSpan[] }[] }[] };
}

type RespondToSpans = (response: ServerResponse, nth: number) => unknown;

export interface Collector {
  /** Value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  endpoint: string;
  requests: SentSpans[];
  /** All spans received so far. */
  spans(): SentSpan[];
  /** Sets the response to the nth request from now on, counted from 1. */
  respond: RespondToSpans;
}

/** Starts a collector that accepts everything. It ends with the test. */
export async function startCollector(
  respond: RespondToSpans = (response) => response.end('{}'),
): Promise<Collector> {
  const requests: SentSpans[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path, headers } = request;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    collector.respond(response, requests.push({ path, headers, body }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${port}/otlp`,
    requests,
    respond,
    spans: () => requests.flatMap(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []),
  };
  return collector;
}

/** Attributes by name. */
export const attributesOf = ({ attributes }: SentSpan): Record<string, string | number | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
