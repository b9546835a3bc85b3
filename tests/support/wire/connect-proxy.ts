// A proxy as companies have them: it opens tunnels with CONNECT for callers with its credentials.
import { createServer as createHttpServer, request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { inject, onTestFinished } from 'vitest';
import { listen } from '../../../local/ports.ts';
import { createCertificates } from './certificates.ts';

interface ConnectProxy {
  /** With credentials. */
  url: string;
  /** The certificate authority of `https://placar.example`. */
  ca: string;
  /** `host:port` of all tunnels that were opened. */
  tunnels: string[];
  /** Requests without the right credentials. */
  refused: number;
}

/** Serves the functions of the stack as `https://placar.example`, which only this proxy reaches. Ends with the test. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const { ca, ...certificate } = await createCertificates([{ type: 2, value: 'placar.example' }]);
  const target = new URL(inject('stack').base_url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => {}));
  const origin = createHttpsServer(certificate, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request(
      { host: target.hostname, port: target.port, method, path, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  }).on('connection', keep);
  const originPort = await listen(origin);
  const expected = `Basic ${Buffer.from('ana:p@ss').toString('base64')}`;
  const proxy: ConnectProxy = { url: '', ca, tunnels: [], refused: 0 };
  const server = createHttpServer().on('connection', keep);
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    if (headers['proxy-authorization'] !== expected) {
      proxy.refused++;
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    }
    proxy.tunnels.push(url);
    const onward = connect(originPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    keep(onward);
  });
  proxy.url = `http://ana:p%40ss@127.0.0.1:${await listen(server)}`;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    origin.close();
  });
  return proxy;
}
