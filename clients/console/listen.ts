import type { Server } from 'node:http';

export const LOOPBACK = '127.0.0.1';

/** Listens; port 0 selects a free port. Returns the port. Throws `EADDRINUSE`. */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
