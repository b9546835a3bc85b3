/** `/account-requirements`: recipient forms, refined by the details so far. */
import { z } from 'zod';
import { refusal } from './errors.ts';
import { renderForm } from './form-check.ts';
import { formsOf, needsAddress } from './forms.ts';
import { findQuote } from './quotes.ts';
import { Details, draftOf } from './recipients.ts';
import { readBody, type WiseContext, type WiseRoutes } from './requests.ts';
import type { WiseServices } from './services.ts';

const DraftOrder = z.object({
  type: z.string().optional(),
  accountHolderName: z.string().optional(),
  details: Details.default({}),
});

function answer(
  c: WiseContext,
  route: { source: string; target: string },
  order: z.output<typeof DraftOrder>,
): Response {
  const withAddress = c.req.query('addressRequired') === 'true' || needsAddress(route.source, route.target);
  // Only this minor version contains the name and email fields.
  const withName = c.req.header('accept-minor-version') === '1';
  const forms = formsOf(route.target, withAddress);
  const draft = draftOf(order);
  return c.json(forms.map((form) => renderForm(form, order.type === form.type ? draft : {}, withName)));
}

export function addRequirementRoutes(routes: WiseRoutes, services: WiseServices): void {
  const routeOf = (c: WiseContext) => {
    const quote = findQuote(services, c.get('account'), c.req.param('quote') ?? '');
    return { source: quote.sourceCurrency, target: quote.targetCurrency };
  };
  const path = '/quotes/:quote/account-requirements';
  routes.on('GET', ['v1'], path, (c) => answer(c, routeOf(c), { details: {} }));
  routes.on('POST', ['v1'], path, async (c) => answer(c, routeOf(c), await readBody(c, DraftOrder)));
  routes.on('GET', ['v1'], '/account-requirements', (c) => {
    const { source, target } = c.req.query();
    if (!source || !target) throw refusal(400, 'NotNull', 'must not be null', source ? 'target' : 'source');
    return answer(c, { source, target }, { details: {} });
  });
}
