/** `/customers`. Duplicates are allowed: clients must search before they create a customer. */
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';
import { isValidEmail } from '@brazilian-utils/brazilian-utils/is-valid-email';
import { Hono } from 'hono';
import { z } from 'zod';
import { badRequest, invalidAction, notFound } from './errors.ts';
import { type AsaasApp, filterBy, newestFirst, page, readBody } from './requests.ts';
import { type AsaasServices, numberedId } from './services.ts';
import type { Account, Customer } from './state.ts';

const text = (max = 255) => z.string().max(max).nullish();

const members = {
  email: text(),
  phone: text(),
  mobilePhone: text(),
  address: text(),
  addressNumber: text(),
  complement: text(),
  province: text(),
  postalCode: text(),
  externalReference: text(),
  notificationDisabled: z.boolean().nullish(),
  additionalEmails: text(),
  municipalInscription: text(),
  stateInscription: text(),
  observations: text(10_000),
  groupName: text(),
  company: text(),
  foreignCustomer: z.boolean().nullish(),
};
const name = z.string().trim().min(1).max(255);
const NewCustomer = z.object({ name, cpfCnpj: z.string(), ...members });
const CustomerChange = z.object({ name: name.optional(), cpfCnpj: z.string().optional(), ...members });

/** Removes the punctuation of a CPF or CNPJ. The error for an invalid one is from a captured response. */
function taxIdOf(written: string): string {
  const bare = written.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
  const isValid = bare.length === 11 ? isValidCpf(bare) : isValidCnpj(bare, { version: 2 });
  if (!isValid) throw badRequest('invalid_object', 'O CPF/CNPJ informado é inválido.');
  return bare;
}

interface Contacts {
  email?: unknown;
  mobilePhone?: unknown;
  postalCode?: unknown;
}

function checkContacts({ email, mobilePhone, postalCode }: Contacts): void {
  if (typeof postalCode === 'string' && postalCode !== '' && !/^\d{5}-?\d{3}$/.test(postalCode)) {
    throw badRequest('invalid_postalCode', 'O CEP informado é inválido.');
  }
  if (typeof email === 'string' && email !== '' && !isValidEmail(email)) {
    throw badRequest('invalid_email', 'O email informado é inválido.');
  }
  if (typeof mobilePhone === 'string' && mobilePhone !== '') {
    const digits = mobilePhone.replace(/\D/g, '');
    if (!/^\d{10,11}$/.test(digits) || /^(\d)\1+$/.test(digits)) {
      throw badRequest('invalid_mobilePhone', 'O celular informado é inválido.');
    }
  }
}

export function findCustomer(account: Account, id: string): Customer {
  const customer = account.customers.find((candidate) => candidate.id === id);
  if (customer === undefined) throw notFound();
  return customer;
}

const given = (details: Record<string, string | boolean | null | undefined>): Customer['details'] =>
  Object.fromEntries(Object.entries(details).map(([member, value]) => [member, value ?? null]));

export function renderCustomer({ id, dateCreated, deleted, details, ...customer }: Customer) {
  const { name, cpfCnpj, notificationDisabled } = customer;
  const of = (member: string) => details[member] ?? null;
  return {
    object: 'customer',
    id,
    dateCreated,
    name,
    email: of('email'),
    company: of('company'),
    phone: of('phone'),
    mobilePhone: of('mobilePhone'),
    address: of('address'),
    addressNumber: of('addressNumber'),
    complement: of('complement'),
    province: of('province'),
    postalCode: of('postalCode'),
    cpfCnpj,
    personType: cpfCnpj.length === 11 ? 'FISICA' : 'JURIDICA',
    deleted,
    additionalEmails: of('additionalEmails'),
    externalReference: of('externalReference'),
    notificationDisabled,
    observations: of('observations'),
    municipalInscription: of('municipalInscription'),
    stateInscription: of('stateInscription'),
    canDelete: true,
    cannotBeDeletedReason: null,
    canEdit: true,
    cannotEditReason: null,
    city: null,
    cityName: null,
    state: null,
    country: 'Brasil',
  };
}

export function customerRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();

  app.post('/', async (c) => {
    const account = c.get('account');
    const { name, cpfCnpj, notificationDisabled, ...details } = await readBody(c, NewCustomer);
    const taxId = taxIdOf(cpfCnpj);
    checkContacts(details);
    const customer: Customer = {
      id: numberedId('cus', services.kit.nextNumber()),
      dateCreated: services.today(),
      deleted: false,
      name,
      cpfCnpj: taxId,
      notificationDisabled: notificationDisabled ?? false,
      details: given(details),
    };
    account.customers.push(customer);
    return c.json(renderCustomer(customer));
  });

  app.get('/', (c) => {
    const shown = newestFirst(c.get('account').customers).filter(({ deleted }) => !deleted);
    const found = filterBy(c, shown, {
      name: ({ name }, requested) => name.toLowerCase().includes(requested.toLowerCase()),
      email: ({ details }, requested) => details.email === requested,
      cpfCnpj: ({ cpfCnpj }, requested) => cpfCnpj === requested.replace(/[^0-9A-Za-z]/g, '').toUpperCase(),
      groupName: ({ details }, requested) => details.groupName === requested,
      externalReference: ({ details }, requested) => details.externalReference === requested,
    });
    return c.json(page(c, found, renderCustomer));
  });

  app.get('/:id', (c) => c.json(renderCustomer(findCustomer(c.get('account'), c.req.param('id')))));

  app.put('/:id', async (c) => {
    const customer = findCustomer(c.get('account'), c.req.param('id'));
    const { name, cpfCnpj, notificationDisabled, ...details } = await readBody(c, CustomerChange);
    if (customer.deleted) throw invalidAction('O cliente está removido.');
    const taxId = cpfCnpj === undefined ? customer.cpfCnpj : taxIdOf(cpfCnpj);
    checkContacts(details);
    customer.name = name ?? customer.name;
    customer.cpfCnpj = taxId;
    customer.notificationDisabled = notificationDisabled ?? customer.notificationDisabled;
    // Absent members stay unchanged; null clears a member.
    const named = Object.entries(details).filter(([, value]) => value !== undefined);
    customer.details = { ...customer.details, ...given(Object.fromEntries(named)) };
    return c.json(renderCustomer(customer));
  });

  app.delete('/:id', (c) => {
    const customer = findCustomer(c.get('account'), c.req.param('id'));
    customer.deleted = true;
    return c.json({ deleted: true, id: customer.id });
  });

  app.post('/:id/restore', (c) => {
    const customer = findCustomer(c.get('account'), c.req.param('id'));
    customer.deleted = false;
    return c.json(renderCustomer(customer));
  });

  return app;
}
