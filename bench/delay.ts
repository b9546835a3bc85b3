// A TCP proxy that holds back what passes for a known time, without delays of its own.
import { connect, createServer, type Socket } from 'node:net';

export interface DelayProxy {
  port: number;
  /** One-way delay in milliseconds, for each direction. */
  delayMs: number;
  close(): Promise<void>;
}

export async function startDelayProxy(host: string, targetPort: number): Promise<DelayProxy> {
  const sockets = new Set<Socket>();
  const proxy: DelayProxy = { port: 0, delayMs: 0, close };
  const track = (socket: Socket) => {
    // Nagle's algorithm would hold small pieces back until earlier ones are acknowledged.
    socket.setNoDelay(true);
    socket.on('error', () => {});
    sockets.add(socket);
  };
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (data) => {
      setTimeout(() => to.writable && to.write(data), proxy.delayMs);
    });
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect({ host, port: targetPort });
    track(client);
    track(upstream);
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  proxy.port = typeof address === 'object' && address ? address.port : 0;
  return proxy;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
