// A TCP proxy with a constant delay.
import { connect, createServer, type Socket } from 'node:net';

export interface DelayProxy {
  port: number;
  /** One-way delay in milliseconds, in each direction. */
  delayMs: number;
  close(): Promise<void>;
}

export async function startDelayProxy(host: string, targetPort: number): Promise<DelayProxy> {
  const sockets = new Set<Socket>();
  const proxy: DelayProxy = { port: 0, delayMs: 0, close };
  const track = (socket: Socket) => {
    // Nagle's algorithm would add its own delays.
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
