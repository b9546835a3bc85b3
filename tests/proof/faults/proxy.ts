// A TCP proxy with the faults of a network: it cuts connections at the worst moment, delays, stalls and refuses.
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../../../local/ports.ts';
import type { Random } from './random.ts';

export interface FaultyProxy {
  port: number;
  /** The target; can be set after the start. */
  target: { host: string; port: number };
  /** Closes open connections, each with this probability. */
  cut(random: Random, probability: number): void;
  /** Closes open connections and refuses new ones, until called again. */
  refuse(refusing: boolean): void;
  /** Stalls all bytes, and forwards them when the stall ends. */
  hold(holding: boolean): void;
  /** Delay of every byte in milliseconds. */
  delay(ms: number): void;
  /** For this many requests with this text, forwards only the first half, then closes the connection. */
  cutRequests(count: number, text: string): void;
  /** For this many requests with this text, forwards the request and closes the connection before the response. */
  dropAnswers(count: number, text: string): void;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  upstream: Socket;
}

export async function startFaultyProxy(target = { host: '127.0.0.1', port: 0 }): Promise<FaultyProxy> {
  const pairs = new Set<Pair>();
  let refusing = false;
  /** During a stall: settles when it ends. */
  let held: { over: Promise<void>; end(): void } | undefined;
  let delayMs = 0;
  let half = { count: 0, text: '' };
  let dropped = { count: 0, text: '' };

  /** Forwards bytes after a delay or stall, always in order. */
  const inOrder = (to: Socket) => {
    let before = Promise.resolve();
    return (data: Buffer) => {
      const dueAt = Date.now() + delayMs;
      before = before.then(async () => {
        if (dueAt > Date.now()) await pause(dueAt - Date.now());
        await held?.over;
        if (to.writable) to.write(data);
      });
    };
  };

  const server = createServer((client) => {
    client.on('error', () => {});
    if (refusing) return void client.destroy();
    const upstream = connect(proxy.target);
    upstream.on('error', () => client.destroy());
    let mute = false;
    const pair: Pair = { client, upstream };
    pairs.add(pair);
    const [toUpstream, toClient] = [inOrder(upstream), inOrder(client)];
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
      toUpstream(data);
    });
    upstream.on('data', (data) => {
      if (!mute) return toClient(data);
      // The server still processes the request; only the response is lost.
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
      held?.end();
      held = value ? startHolding() : undefined;
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

function startHolding() {
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end };
}
