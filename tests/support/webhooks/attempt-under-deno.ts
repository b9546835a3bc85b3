// Runs under Deno: one delivery attempt with the network of the edge runtime. Arguments: the URL, addresses by name as JSON
// (names without addresses use the real resolver), and the timeout.
import process from 'node:process';
import { attempt } from '../../../shared/webhooks/delivery/attempt-delivery.ts';
import { createDenoNetwork } from '../../../shared/webhooks/delivery/network.ts';

const [url = '', names = '{}', timeoutMs = '1000'] = process.argv.slice(2);
const addresses: Record<string, string[]> = JSON.parse(names);
const deno = createDenoNetwork();
const network = {
  ...deno,
  resolve: async (host: string, signal: AbortSignal) => addresses[host] ?? (await deno.resolve(host, signal)),
};
const outgoing = { headers: {}, body: new TextEncoder().encode('{}') };
console.log(
  JSON.stringify(
    await attempt(url, outgoing, {
      network,
      allowInsecure: true,
      timeoutMs: Number(timeoutMs),
      reserveSlots: async () => null,
    }),
  ),
);
