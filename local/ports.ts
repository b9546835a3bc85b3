// Ports of this machine: everything of the stack listens on 127.0.0.1, unless told otherwise.
import { connect, createServer, type Server } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** Listens; port 0 takes a free one. Returns the port. Throws `EADDRINUSE` when it is taken. */
export function listen(server: Server, { port = 0, host = LOOPBACK } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Tries to listen on a port, 0 for any free one; returns the port. Throws `EADDRINUSE` when it is taken. */
export async function claimPort(port = 0): Promise<number> {
  const server = createServer();
  const claimed = await listen(server, { port });
  await new Promise((resolve) => server.close(resolve));
  return claimed;
}

/** Whether something listens on the port. */
export function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
