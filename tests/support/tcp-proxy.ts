// A TCP proxy between a function and one of its parts: delays what passes, counts round trips, or goes silent.
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** One-way delay in milliseconds, for each direction. */
  delayMs: number;
  /**
   * Turns in which the client spoke after it had heard from the server: how often it waited. Exact with a delay; without
   * one, the server's first words can reach a client that is still speaking.
   */
  roundTrips: number;
  /** Refuses new connections and cuts those that are open. */
  cut(): void;
  /** Accepts again. */
  restore(): void;
  /** Passes nothing on, and keeps connections open, until `restore`. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const sockets = new Set<Socket>();
  const proxy: TcpProxy = { port: 0, delayMs: 0, roundTrips: 0, cut, restore, freeze, close };

  const server = createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => {});
    if (state === 'cut') return void client.destroy();
    const upstream = connect(target);
    sockets.add(upstream);
    upstream.on('close', () => sockets.delete(upstream));
    upstream.on('error', () => client.destroy());
    let lastSpeaker = 'server';
    const pass = (from: Socket, to: Socket, speaker: 'client' | 'server') => {
      const deliver = (data: Buffer) => {
        if (!to.writable) return;
        if (speaker === 'server') lastSpeaker = 'server';
        to.write(data);
      };
      from.on('data', (data) => {
        if (state === 'frozen') return;
        if (speaker === 'client' && lastSpeaker === 'server') proxy.roundTrips++;
        if (speaker === 'client') lastSpeaker = 'client';
        if (proxy.delayMs === 0) deliver(data);
        else setTimeout(deliver, proxy.delayMs, data);
      });
      from.on('close', () => to.destroy());
    };
    pass(client, upstream, 'client');
    pass(upstream, client, 'server');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  proxy.port = typeof address === 'object' && address ? address.port : 0;
  return proxy;

  function cut() {
    state = 'cut';
    for (const socket of sockets) socket.destroy();
  }
  function restore() {
    if (state === 'frozen') for (const socket of sockets) socket.destroy();
    state = 'open';
  }
  function freeze() {
    state = 'frozen';
  }
  async function close() {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
