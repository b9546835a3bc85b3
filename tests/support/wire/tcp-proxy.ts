// A TCP proxy between a function and one of its services that closes connections or stops forwarding.
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Refuses new connections and closes the open ones. */
  cut(): void;
  /** Accepts connections again. */
  restore(): void;
  /** Forwards nothing but keeps connections open, until `restore`. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const sockets = new Set<Socket>();
  const proxy: TcpProxy = { port: 0, cut, restore, freeze, close };

  const server = createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => {});
    if (state === 'cut') return void client.destroy();
    const upstream = connect(target);
    sockets.add(upstream);
    upstream.on('close', () => sockets.delete(upstream));
    upstream.on('error', () => client.destroy());
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (data) => {
        if (state !== 'frozen' && to.writable) to.write(data);
      });
      from.on('close', () => to.destroy());
    };
    pass(client, upstream);
    pass(upstream, client);
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
