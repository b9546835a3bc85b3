// Local ports: everything of the stack listens on 127.0.0.1.
import { createServer } from 'node:net';

/** Tries to listen on a port, 0 for any free one; returns the port. Throws `EADDRINUSE` when it is taken. */
export function claimPort(port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
