/** `/sandbox`: test helpers that Asaas offers only in its sandbox. */
import { Hono } from 'hono';
import { addDays } from '../days.ts';
import { invalidAction, notFound } from './errors.ts';
import { pay, receiveToday } from './payment-money.ts';
import { findPayment, makeOverdue } from './payment-orders.ts';
import { hasPixKey } from './payment-pix.ts';
import { renderPayment } from './payment-render.ts';
import type { AsaasApp } from './requests.ts';
import type { AsaasServices } from './services.ts';

export function sandboxRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();
  app.post('/payment/:id/confirm', (c) => {
    const account = c.get('account');
    const payment = findPayment(account, c.req.param('id'));
    if (payment.deleted) throw invalidAction('A cobrança está removida.');
    // Partner QR codes cannot be paid in the sandbox.
    if (payment.billingType === 'PIX' && !hasPixKey(account)) throw notFound();
    pay(services, account, payment, {});
    // Boletos are credited on the same day, as in captured events.
    if (payment.billingType === 'BOLETO') receiveToday(services, account, payment);
    return c.json(renderPayment(services, account, payment));
  });
  app.post('/payment/:id/overdue', (c) => {
    const account = c.get('account');
    const payment = findPayment(account, c.req.param('id'));
    if (payment.deleted || payment.status !== 'PENDING') {
      throw invalidAction('Somente cobranças aguardando pagamento podem vencer.');
    }
    payment.dueDate = addDays(services.today(), -1);
    makeOverdue(services, account, payment);
    return c.json(renderPayment(services, account, payment));
  });
  return app;
}
