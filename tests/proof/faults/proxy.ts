// A TCP proxy that does to connections what networks do: cuts them at the worst moment, delays, holds back, refuses.
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../../local/ports.ts';
import type { Random } from './random.ts';

export interface FaultyProxy {
  port: number;
  /** Where it leads; may be set after it was started. */
  target: { host: string; port: number };
  /** Ends open connections, each with this probability. */
  cut(random: Random, probability: number): void;
  /** Ends open connections and refuses new ones, until told otherwise. */
  refuse(refusing: boolean): void;
  /** Holds all bytes back; what was held goes out when it ends. */
  hold(holding: boolean): void;
  /** Milliseconds that every byte is late. */
  delay(ms: number): void;
  /** Of the next so many requests with this text only the first half arrives, then their connection ends. */
  cutRequests(count: number, text: string): void;
  /** The next so many requests with this text arrive, and their connection ends without an answer. */
  dropAnswers(count: number, text: string): void;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  upstream: Socket;
  /** Passes on what was held back. */
  release(): void;
}

export async function startFaultyProxy(target = { host: '127.0.0.1', port: 0 }): Promise<FaultyProxy> {
  const pairs = new Set<Pair>();
  let refusing = false;
  let holding = false;
  let delayMs = 0;
  let half = { count: 0, text: '' };
  let dropped = { count: 0, text: '' };

  const server = createServer((client) => {
    client.on('error', () => {});
    if (refusing) return void client.destroy();
    const upstream = connect(proxy.target);
    upstream.on('error', () => client.destroy());
    let mute = false;
    const held: (() => void)[] = [];
    const pair: Pair = {
      client,
      upstream,
      release: () => {
        for (const pass of held.splice(0)) pass();
      },
    };
    pairs.add(pair);
    const send = (to: Socket, data: Buffer) => {
      const pass = () => void (to.writable && to.write(data));
      if (holding || held.length > 0) held.push(pass);
      else if (delayMs > 0) setTimeout(pass, delayMs);
      else pass();
    };
    client.on('data', (data) => {
      if (half.count > 0 && data.includes(half.text)) {
        half.count--;
        upstream.end(data.subarray(0, data.length >> 1));
        return void client.destroy();
      }
      if (dropped.count > 0 && data.includes(dropped.text)) {
        dropped.count--;
        mute = true;
      }
      send(upstream, data);
    });
    upstream.on('data', (data) => {
      if (!mute) return send(client, data);
      // What has arrived is still worked on; only the answer is lost.
      client.destroy();
      upstream.end();
    });
    client.on('close', () => {
      pairs.delete(pair);
      if (!mute) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });

  const endAll = () => {
    for (const { client, upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  const proxy: FaultyProxy = {
    port: await listen(server),
    target,
    cut(random, probability) {
      for (const { client, upstream } of [...pairs]) {
        if (!random.chance(probability)) continue;
        client.destroy();
        upstream.destroy();
      }
    },
    refuse(value) {
      refusing = value;
      if (value) endAll();
    },
    hold(value) {
      holding = value;
      if (!value) for (const pair of pairs) pair.release();
    },
    delay(ms) {
      delayMs = ms;
    },
    cutRequests(count, text) {
      half = { count, text };
    },
    dropAnswers(count, text) {
      dropped = { count, text };
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
