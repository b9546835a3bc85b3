// The worker of pg_net: sends the HTTP requests that committed transactions queued.
import type postgres from 'postgres';

interface QueuedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  timeout_milliseconds: number;
}

/** Sends queued requests until it is closed. `sql` needs a role that can read the queue. */
export async function startPgNet(sql: postgres.Sql): Promise<{ close(): Promise<void> }> {
  let sending: Promise<void> | undefined;
  let asked = false;
  const sendAll = async () => {
    while (asked) {
      asked = false;
      const queued = await sql<QueuedRequest[]>`
        delete from net.http_request_queue returning method, url, headers, convert_from(body, 'UTF8') as body, timeout_milliseconds`;
      await Promise.all(queued.map(send));
    }
    sending = undefined;
  };
  const wake = () => {
    asked = true;
    sending ??= sendAll().catch(() => {
      sending = undefined;
    });
  };
  const subscription = await sql.listen('pg_net', wake, wake);
  return {
    async close() {
      await subscription.unlisten().catch(() => {});
      await sending;
    },
  };
}

/** Ignores the response: callers of pg_net do not wait for it. */
async function send({
  method,
  url,
  headers,
  body,
  timeout_milliseconds: timeoutMs,
}: QueuedRequest): Promise<void> {
  const answer = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(timeoutMs) }).catch(
    () => undefined,
  );
  await answer?.body?.cancel();
}
