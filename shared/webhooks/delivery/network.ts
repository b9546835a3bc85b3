// The network as webhooks use it: names are resolved once, and connections are made to an address, so that what was
// checked is what is called.

export interface NetworkConnection {
  /** Reads into the buffer; gives the number of bytes, null at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  write(data: Uint8Array): Promise<number>;
  close(): void;
}

export interface Network {
  /** Every IPv4 and IPv6 address of a name. */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to an address; with TLS when there is a `serverName`, which the certificate must be for. */
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

/** What is used here of Deno, which the type checker for Node does not know. */
interface DenoNetwork {
  resolveDns(name: string, type: 'A' | 'AAAA', options: { signal: AbortSignal }): Promise<string[]>;
  connect(options: { hostname: string; port: number }): Promise<NetworkConnection>;
  startTls(connection: NetworkConnection, options: { hostname: string }): Promise<TlsConnection>;
}

/** The network of the edge runtime. */
export function createDenoNetwork(): Network {
  // The type checker for Node does not know it.
  const { Deno: deno } = globalThis as unknown as { Deno: DenoNetwork };
  return {
    async resolve(host, signal) {
      // A name that has one kind of address answers the question for the other with an error.
      const answers = await Promise.allSettled([
        deno.resolveDns(host, 'A', { signal }),
        deno.resolveDns(host, 'AAAA', { signal }),
      ]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
    async connect(address, port, serverName, signal) {
      const plain = await deno.connect({ hostname: address, port });
      if (serverName === null) return plain;
      const secure = await deno.startTls(plain, { hostname: serverName });
      // A peer that never shakes hands would keep the connection open.
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
