// The console on the web, with a browser that keeps cookies.
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type SignInOptions, serveSignIn } from '../../../clients/console/sign-in/serve.tsx';
import { PUBLISHABLE_KEY } from './auth-double.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** `Set-Cookie` headers. */
  cookies: string[];
  location: string;
  text: string;
}

export interface SignInConsole {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Serves the console. It ends with the test. */
export async function serveOnWeb(
  { url }: { url: string },
  options: Partial<SignInOptions> = {},
): Promise<SignInConsole> {
  const listen = { host: '127.0.0.1', port: 0 };
  const program = 'placar-console/test';
  const running = await serveSignIn({
    url,
    publishableKey: PUBLISHABLE_KEY,
    program,
    listen,
    ...options,
  });
  let open = true;
  const close = async () => {
    if (open) await running.close();
    open = false;
  };
  onTestFinished(close);
  return { url: running.url, port: running.port, close };
}

/** A browser without scripts: keeps cookies, follows no redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #port: number;
  readonly #origin: string;

  constructor({ port, url }: SignInConsole) {
    this.#port = port;
    this.#origin = url;
  }

  /** Another browser with the same cookies. */
  copy(): Browser {
    const copied = new Browser({ port: this.#port, url: this.#origin, close: async () => {} });
    for (const [name, value] of this.cookies) copied.cookies.set(name, value);
    return copied;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send('GET', path, headers);
  }

  /** Opens a page and submits a form of it with these values. */
  async submit(page: string, action: string, values: Record<string, string>): Promise<Answer> {
    const { text } = await this.get(page);
    const form = text.split(`action="${action}"`)[1]?.split('</form>')[0] ?? '';
    const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')],
    );
    return this.post(action, { ...Object.fromEntries(hidden), ...values });
  }

  post(path: string, values: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: this.#origin };
    return this.#send('POST', path, { ...form, ...headers }, new URLSearchParams(values).toString());
  }

  async signIn(email: string, password = 'right-password', path = '/sign-in'): Promise<Answer> {
    return this.submit(path, '/sign-in', { email, password });
  }

  /** Without `fetch`, which sets `Host` and `Origin` itself. */
  #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const options = { host: '127.0.0.1', port: this.#port, method, path };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...options,
          headers: { Host: new URL(this.#origin).host, ...(cookie && { Cookie: cookie }), ...headers },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk) => chunks.push(chunk));
          answer.on('end', () => {
            const cookies = answer.headers['set-cookie'] ?? [];
            for (const line of cookies) this.#keep(line);
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              cookies,
              location: answer.headers.location ?? '',
              text: Buffer.concat(chunks).toString(),
            });
          });
        },
      );
      sent.on('error', reject).end(body);
    });
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Max-Age=0\b/.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
