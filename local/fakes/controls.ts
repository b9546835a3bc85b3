/**
 * `/_control` of a fake: tests, proofs and the demo read its state and act as payers, banks and time. Each control is a function of the
 * fake; `POST /_control/<name>` calls it with the JSON array in the body, and {@link controlOf} is its typed client.
 */
import { Hono } from 'hono';
import { VendorError } from './vendor-error.ts';

// biome-ignore lint/suspicious/noExplicitAny: the parameters of every function
export type Controls = Record<string, (...args: any[]) => unknown>;

/** The controls as a client sees them: over HTTP, so with promises. */
export type Remote<C extends Controls> = {
  [Name in keyof C]: (...args: Parameters<C[Name]>) => Promise<Awaited<ReturnType<C[Name]>>>;
};

/** A client. `url` is any URL of the fake's host. */
export function controlOf<C extends Controls>(url: string): Remote<C> {
  const { origin } = new URL(url);
  const call =
    (name: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      const response = await fetch(`${origin}/_control/${name}`, {
        method: 'POST',
        body: JSON.stringify(args),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`/_control/${name} returned ${response.status}: ${text}`);
      return JSON.parse(text) ?? undefined;
    };
  // `then` is absent, so that the client can be the result of an async function.
  const methods = new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : call(String(name))) });
  // Every member is a call of the control with the same name.
  return methods as Remote<C>;
}

/** @param onChange called after each control */
export function controlRoutes(controls: Controls, onChange: () => void): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof VendorError) return error.toResponse();
    return c.json({ error: String(error) }, 400);
  });
  app.post('/:name', async (c) => {
    const control = Object.hasOwn(controls, c.req.param('name')) && controls[c.req.param('name')];
    if (!control) return c.json({ error: `the controls are ${Object.keys(controls).join(', ')}` }, 404);
    const args: unknown[] = JSON.parse((await c.req.text()) || '[]');
    const result: unknown = await control(...args.map((arg) => arg ?? undefined));
    onChange();
    return c.json(result ?? null);
  });
  return app;
}
