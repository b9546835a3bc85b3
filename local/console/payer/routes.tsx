// `/pay/<charge id>`: the checkout page of the sandbox in the local stack.
import { type Context, Hono } from 'hono';
import { t, tName } from '../../../clients/console/kit/language.ts';
import { sendMessage, sendPage } from '../../../clients/console/render.tsx';
import { readCharge } from '../payments/queries.ts';
import { ActionRefused } from '../refusal.ts';
import type { ConsoleOptions } from '../view.ts';
import { PayerPage } from './page.tsx';
import { createPayer, type Payer } from './sandbox.ts';

const OUTCOMES = ['pay', 'decline', 'expire'] as const satisfies (keyof Payer)[];

export function createPayerRoutes(options: ConsoleOptions): Hono {
  const { sql, url } = options;
  const payer = createPayer(options);
  const find = (c: Context) => readCharge({ sql }, c.req.param('reference') ?? '');
  const app = new Hono();
  app.get('/:reference', async (c) => {
    const invoice = await find(c);
    if (!invoice)
      return sendMessage(c, 404, { title: t('Not found'), text: t('This checkout does not exist.') });
    return sendPage(c, <PayerPage url={url} invoice={invoice} now={new Date()} />);
  });
  app.post('/:reference/:outcome', async (c) => {
    const outcome = OUTCOMES.find((name) => name === c.req.param('outcome'));
    const invoice = outcome && (await find(c));
    if (!outcome || !invoice) return c.notFound();
    if (invoice.status !== 'open')
      throw new ActionRefused(t('The invoice is {status}.', { status: tName(invoice.status) }));
    await payer[outcome](invoice);
    return c.redirect(`/pay/${c.req.param('reference')}`, 303);
  });
  return app;
}
