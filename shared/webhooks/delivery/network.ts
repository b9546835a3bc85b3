// Network access of webhooks. Names are resolved once and connections are made to an address, so that requests go only to checked
// addresses.

export interface NetworkConnection {
  /** Reads into the buffer. Returns the number of bytes, or null at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  write(data: Uint8Array): Promise<number>;
  close(): void;
}

export interface Network {
  /** All IPv4 and IPv6 addresses of a name. */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to an address, with TLS if `serverName` is set. The certificate must be valid for that name. */
  connect(
    address: string,
    port: number,
    serverName: string | null,
    signal: AbortSignal,
  ): Promise<NetworkConnection>;
}

interface TlsConnection extends NetworkConnection {
  handshake(): Promise<unknown>;
}

/** The Deno APIs used here, which the type checker for Node does not know. */
interface DenoNetwork {
  resolveDns(name: string, type: 'A' | 'AAAA', options: { signal: AbortSignal }): Promise<string[]>;
  connect(options: { hostname: string; port: number }): Promise<NetworkConnection>;
  startTls(connection: NetworkConnection, options: { hostname: string }): Promise<TlsConnection>;
}

/** The network of the edge runtime. */
export function createDenoNetwork(): Network {
  const { Deno: deno } = globalThis as unknown as { Deno: DenoNetwork };
  return {
    async resolve(host, signal) {
      // A lookup fails if the name has no address of its family.
      const lookups = await Promise.allSettled([
        deno.resolveDns(host, 'A', { signal }),
        deno.resolveDns(host, 'AAAA', { signal }),
      ]);
      return lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    },
    async connect(address, port, serverName, signal) {
      const plain = await deno.connect({ hostname: address, port });
      if (serverName === null) return plain;
      const secure = await deno.startTls(plain, { hostname: serverName });
      // Without this, a peer that never completes the handshake would keep the connection open.
      const close = () => secure.close();
      signal.addEventListener('abort', close, { once: true });
      try {
        await secure.handshake();
      } catch (error) {
        if (!signal.aborted) close();
        throw error;
      } finally {
        signal.removeEventListener('abort', close);
      }
      return secure;
    },
  };
}
