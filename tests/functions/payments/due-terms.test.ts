// Due dates, fines, interest and discounts: valid values, and payments in the sandbox.
import { describe, expect, test } from 'vitest';
import { bankDayFrom } from '../../../shared/payments/formats/business-days.ts';
import { addDays, dayInSaoPaulo } from '../../../shared/payments/formats/sao-paulo.ts';
import { connectDatabase } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const day = (daysOn = 0) => addDays(dayInSaoPaulo(new Date()), daysOn);
/** A business day, so that no term moves to a later one. */
const DUE = bankDayFrom(day(10));
const due = (more: Record<string, unknown> = {}, type = 'boleto') => ({
  payment_method: { type, due_date: DUE, ...more },
});
const COMPANY = { country: 'BR', tax_id: '11222333000181', name: 'Company', email: 'c@example.com' };

describe('the request', () => {
  const tenant = createPayTenant(sql);

  test.each<[string, Record<string, unknown>, string[]]>([
    ['yesterday', due({ due_date: day(-1) }), ['due_date']],
    ['more than a year on', due({ due_date: day(367) }), ['due_date']],
    ['no date', due({ due_date: '2026-02-30' }), ['due_date']],
    ['days after it', due({ days_after_due: 181 }), ['days_after_due']],
    ['half a day', due({ days_after_due: 1.5 }), ['days_after_due']],
    [
      'three decimals',
      due({ fine_percent: 1.001, interest_percent_month: -1 }),
      ['fine_percent', 'interest_percent_month'],
    ],
    [
      'more than the law lets consumers owe',
      due({ fine_percent: 2.01, interest_percent_month: 1.01 }),
      ['fine_percent', 'interest_percent_month'],
    ],
    ['discount without size', due({ discount: {} }), ['discount']],
    ['a card, yesterday', due({ due_date: day(-1) }, 'card'), ['due_date']],
    ['no date, and a fine', due({ due_date: 'soon', fine_percent: 1 }), ['due_date']],
    [
      'discount without size, too early',
      due({ discount: { days_before_due: 366 } }),
      ['discount.days_before_due', 'discount'],
    ],
    ['discount of both sizes', due({ discount: { percent: 1, amount: 1 } }), ['discount']],
    ['discount of all', due({ discount: { amount: 10_000 } }), ['discount.amount']],
    [
      'discount of nothing',
      due({ discount: { percent: 0, days_before_due: 366 } }),
      ['discount.percent', 'discount.days_before_due'],
    ],
    ['discount of a hundred percent', due({ discount: { percent: 100 } }), ['discount.percent']],
    [
      'discount of all after rounding',
      { amount: 5000, ...due({ discount: { percent: 99.99 } }) },
      ['discount.percent'],
    ],
    ['beside another expiry', due({ expires_in_seconds: 60 }), ['expires_in_seconds']],
    ['a card', due({ fine_percent: 1 }, 'card'), ['due_date', 'fine_percent']],
    [
      'no due date',
      {
        payment_method: {
          type: 'pix',
          days_after_due: 1,
          fine_percent: 1,
          interest_percent_month: 1,
          discount: { percent: 1 },
        },
      },
      ['days_after_due', 'fine_percent', 'interest_percent_month', 'discount'],
    ],
  ])('%s', async (_, more, fields) => {
    const reply = await pay((await tenant).apiKey, '/invoices', invoice(more));
    expect(faultsOf(reply, 422, 'validation_error')).toEqual(
      fields.map((field) => `payment_method.${field}`),
    );
  });

  test('an admin can allow more for companies, never for consumers', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const more = due({ fine_percent: 10, interest_percent_month: 2.5 });
    const ofCompany = () => pay(apiKey, '/invoices', invoice({ ...more, customer: COMPANY }));
    const both = ['payment_method.fine_percent', 'payment_method.interest_percent_month'];
    const refused = await ofCompany();
    expect(faultsOf(refused, 422, 'validation_error')).toEqual(both);
    expect(refused.body.errors[0].message).toBe('must be at most 2');
    await sql`select admin.set_due_limits(${id}, 10, 2)`;
    expect(faultsOf(await ofCompany(), 422, 'validation_error')).toEqual(both.slice(1));
    await sql`select admin.set_due_limits(${id}, 10, 2.5)`;
    bodyOf(await ofCompany(), 201);
    expect(faultsOf(await pay(apiKey, '/invoices', invoice(more)), 422, 'validation_error')).toEqual(both);
    await sql`select admin.set_due_limits(${id}, null, null)`;
    expect(faultsOf(await ofCompany(), 422, 'validation_error')).toEqual(both);
    await expect(sql`select admin.set_due_limits(${id}, 21, 1)`).rejects.toThrow('fine_percent');
  });

  test('a route whose provider does not support them names each member', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    await sql`select admin.set_provider_route(${id}, 'charge', 'br', 'BRL', 'pix', '{stripe}')`;
    const reply = await pay(apiKey, '/invoices', invoice(due({ fine_percent: 1 }, 'pix')));
    expect(faultsOf(reply, 422, 'validation_error').sort()).toEqual([
      'payment_method.due_date',
      'payment_method.fine_percent',
    ]);
  });

  test('is returned with its defaults; it expires at the end of the last day in São Paulo', async () => {
    const { apiKey } = await tenant;
    const made = await createInvoice(
      apiKey,
      due({ fine_percent: 2, interest_percent_month: 0.33, discount: { percent: 2.5 } }, 'bolepix'),
    );
    expect(made.payment_method).toMatchObject({
      due_date: DUE,
      days_after_due: 30,
      fine_percent: 2,
      interest_percent_month: 0.33,
      discount: { percent: 2.5, days_before_due: 0 },
      boleto: { expires_at: `${addDays(DUE, 31)}T02:59:59.999Z` },
    });
    expect(made).toMatchObject({
      paid_amount: null,
      fine: null,
      interest: null,
      discount: null,
      paid_on: null,
    });
    const pdf = await fetch(made.payment_method.boleto.pdf_url);
    expect([pdf.status, (await pdf.text()).slice(0, 4)]).toEqual([200, '%PDF']);
    const plain = await createInvoice(apiKey, { payment_method: { type: 'pix', due_date: null } });
    expect(plain.payment_method).not.toHaveProperty('due_date');
  });
});

describe("the sandbox's payer", () => {
  const terms = { fine_percent: 2, interest_percent_month: 1 };
  const paidOn = async (paid_on: string | undefined, more: object = terms, amount = 100_000) => {
    const tenant = await createPayTenant(sql);
    const made = await createInvoice(tenant.apiKey, { ...due({ ...more }), amount });
    const paid = bodyOf(await pay(tenant.apiKey, `/sandbox/invoices/${made.id}/pay`, { paid_on }), 200);
    const { data } = await get(tenant.apiKey, `/balance-transactions?source=${made.id}`);
    const entries = data.map((one: Record<string, unknown>) => [one.reason, one.amount, one.net]).reverse();
    return { tenant, paid, entries };
  };

  test('ten days late: fine and interest are separate entries, in the same event', async () => {
    const { tenant, paid, entries } = await paidOn(addDays(DUE, 10));
    const members = {
      paid_amount: 102_333,
      fine: 2000,
      interest: 333,
      discount: 0,
      paid_on: addDays(DUE, 10),
    };
    expect(paid).toMatchObject({ status: 'paid', amount: 100_000, fee: 1000, net: 99_000, ...members });
    expect(entries).toEqual([
      [null, 100_000, 99_000],
      ['fine', 2000, 2000],
      ['interest', 333, 333],
    ]);
    const { data } = await get(tenant.apiKey, '/events');
    expect(data).toMatchObject([{ type: 'invoice.paid', data: members }]);
  });

  test('early: the discount; on time: nothing else', async () => {
    const early = await paidOn(undefined, { discount: { percent: 5, days_before_due: 10 } });
    expect(early.paid).toMatchObject({ paid_amount: 95_000, discount: 5000, fine: 0, paid_on: day() });
    expect(early.entries).toEqual([
      [null, 100_000, 99_000],
      ['discount', -5000, -5000],
    ]);
    const onTime = await paidOn(DUE, { ...terms, discount: { amount: 5, days_before_due: 9 } });
    expect(onTime.paid).toMatchObject({ paid_amount: 100_000, discount: 0, fine: 0, interest: 0 });
    expect(onTime.entries).toHaveLength(1);
  });

  test('pays from today to the last day, and only invoices with a due date', async () => {
    const { apiKey } = await createPayTenant(sql);
    const made = await createInvoice(apiKey, due({ days_after_due: 0 }));
    for (const paid_on of [day(-1), addDays(DUE, 1), 'soon'])
      expect(
        faultsOf(await pay(apiKey, `/sandbox/invoices/${made.id}/pay`, { paid_on }), 422, 'validation_error'),
      ).toEqual(['paid_on']);
    const plain = await createInvoice(apiKey);
    const reply = await pay(apiKey, `/sandbox/invoices/${plain.id}/pay`, { paid_on: day() });
    expect(faultsOf(reply, 422, 'validation_error')).toEqual(['paid_on']);
    const paid = bodyOf(await pay(apiKey, `/sandbox/invoices/${plain.id}/pay`, {}), 200);
    expect(paid).toMatchObject({ paid_amount: 10_000, fine: 0, interest: 0, discount: 0, paid_on: day() });
  });
});
