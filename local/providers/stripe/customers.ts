/** `/v1/customers`. */
import { Hono } from 'hono';
import { z } from 'zod';
import { missing } from './errors.ts';
import {
  Address,
  Clearable,
  Email,
  ignored,
  limited,
  listOf,
  Metadata,
  mergeMetadata,
  notEmulated,
  Text,
} from './params.ts';
import {
  answer,
  CREATED,
  named,
  PAGING,
  page,
  pathParam,
  read,
  type StripeApp,
  type StripeContext,
  within,
} from './requests.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account, Customer } from './state.ts';

const ADDRESS = z.union([z.literal('').transform(() => null), Address]);

const DETAILS = {
  address: ADDRESS.optional(),
  business_name: Clearable.optional(),
  description: Clearable.optional(),
  email: z.union([z.literal('').transform(() => null), Email]).optional(),
  individual_name: Clearable.optional(),
  metadata: Metadata.optional(),
  name: z.union([z.literal('').transform(() => null), limited(256)]).optional(),
  phone: z.union([z.literal('').transform(() => null), limited(20)]).optional(),
  preferred_locales: listOf(Text).optional(),
  ...ignored<
    'invoice_prefix' | 'next_invoice_sequence' | 'tax' | 'tax_exempt' | 'invoice_settings' | 'validate'
  >('invoice_prefix next_invoice_sequence tax tax_exempt invoice_settings validate'),
  ...notEmulated('balance cash_balance shipping source payment_method tax_id_data test_clock default_source'),
};

const EMPTY_ADDRESS = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

export function customerOf(account: Account, id: string, param = 'customer'): Customer {
  const found = account.customers.find((customer) => customer.id === id);
  if (found === undefined) throw missing('customer', id, param, 400);
  return found;
}

export function customerRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const customer = (c: StripeContext) => named(c, c.get('account').customers, 'customer');
  const readDetails = (c: StripeContext) => {
    const {
      metadata,
      address,
      name,
      email,
      phone,
      description,
      preferred_locales: locales,
      ...rest
    } = read(c, DETAILS);
    const { business_name, individual_name } = rest;
    const given = {
      name,
      email,
      phone,
      description,
      business_name,
      individual_name,
      preferred_locales: locales,
    };
    const details: Record<string, unknown> = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    );
    if (address !== undefined) details.address = address === null ? null : { ...EMPTY_ADDRESS, ...address };
    return { details, metadata };
  };

  app.post('/', (c) => {
    const account = c.get('account');
    const { details, metadata } = readDetails(c);
    const made: Customer = {
      id: newId('cus', 14),
      object: 'customer',
      address: null,
      balance: 0,
      created: services.now(),
      currency: null,
      customer_account: null,
      default_source: null,
      delinquent: false,
      description: null,
      discount: null,
      email: null,
      invoice_prefix: newId('x', 8).slice(2).toUpperCase(),
      invoice_settings: {
        custom_fields: null,
        default_payment_method: null,
        footer: null,
        rendering_options: null,
      },
      livemode: account.livemode,
      metadata: mergeMetadata({}, metadata),
      name: null,
      next_invoice_sequence: 1,
      phone: null,
      preferred_locales: [],
      shipping: null,
      tax_exempt: 'none',
      test_clock: null,
      ...details,
    };
    account.customers.push(made);
    services.emit(account, 'customer.created', made);
    return answer(c, services, made);
  });

  app.get('/', (c) => {
    const {
      created,
      email,
      test_clock: _,
      ...paging
    } = read(c, { ...PAGING, ...CREATED, email: Text.optional(), test_clock: Text.optional() });
    const found = c
      .get('account')
      .customers.filter(
        (one) => within(created, one.created) && (email === undefined || one.email === email),
      );
    return page(c, services, found, paging, 'customer');
  });

  app.get('/:id', (c) => {
    read(c, {});
    const id = pathParam(c);
    if (c.get('account').deletedCustomers.includes(id))
      return c.json({ id, object: 'customer', deleted: true });
    return answer(c, services, customer(c));
  });

  app.get('/:id/cash_balance_transactions', (c) => {
    const { id } = customer(c);
    const found = c.get('account').cashTransactions.filter((one) => one.customer === id);
    return page(c, services, found, read(c, PAGING), 'cash balance transaction');
  });

  app.post('/:id', (c) => {
    const known = customer(c);
    const { details, metadata } = readDetails(c);
    const change: Record<string, unknown> = { ...details, metadata: mergeMetadata(known.metadata, metadata) };
    const previous = Object.fromEntries(
      Object.keys(change).flatMap((name) =>
        JSON.stringify(known[name]) === JSON.stringify(change[name]) ? [] : [[name, known[name] ?? null]],
      ),
    );
    Object.assign(known, change);
    if (Object.keys(previous).length > 0)
      services.emit(c.get('account'), 'customer.updated', known, previous);
    return answer(c, services, known);
  });

  app.delete('/:id', (c) => {
    const account = c.get('account');
    const known = customer(c);
    account.customers = account.customers.filter((one) => one !== known);
    account.deletedCustomers.push(known.id);
    services.emit(account, 'customer.deleted', known);
    return c.json({ id: known.id, object: 'customer', deleted: true });
  });
  return app;
}
