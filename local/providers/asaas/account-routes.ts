/** Routes of the account: state, fees, balance, statement and Pix keys. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { badRequest, invalidAction, notFound } from './errors.ts';
import { toReais } from './money.ts';
import { renderChargeback } from './payment-render.ts';
import { pixKeyPayload, qrCodePng } from './pix.ts';
import { type AsaasApp, dayRange, filterBy, newestFirst, page, readBody, readDay } from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Payment, PixKey, StatementEntry } from './state.ts';

const MAX_KEYS = 20;
const NewPixKey = z.object({ type: z.literal('EVP') });

function renderEntry(entry: StatementEntry) {
  const { id, value, balance, type, date, description, paymentId, transferId, invoiceId } = entry;
  return {
    object: 'financialTransaction',
    id,
    value: toReais(value),
    balance: toReais(balance),
    type,
    date,
    description,
    paymentId,
    splitId: null,
    transferId,
    anticipationId: null,
    billId: null,
    invoiceId,
    paymentDunningId: entry.paymentDunningId,
    creditBureauReportId: null,
  };
}

export function statementRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();
  app.get('/finance/balance', (c) => c.json({ balance: toReais(services.balanceOf(c.get('account'))) }));
  app.get('/financialTransactions', (c) => {
    const { statement } = c.get('account');
    const order = c.req.query('order') ?? 'desc';
    if (order !== 'asc' && order !== 'desc') throw badRequest('invalid_order', 'O campo order é inválido.');
    const found = filterBy(c, order === 'asc' ? statement : newestFirst(statement), {
      startDate: ({ date }, requested) => date >= readDay('startDate', requested),
      finishDate: ({ date }, requested) => date <= readDay('finishDate', requested),
    });
    return c.json(page(c, found, renderEntry));
  });
  // Documented with a trailing slash.
  for (const path of ['/chargebacks', '/chargebacks/']) {
    app.get(path, (c) => {
      const disputed = c.get('account').payments.filter(({ chargeback }) => chargeback !== null);
      const found = filterBy(c, newestFirst(disputed), {
        status: ({ chargeback }, requested) => chargeback?.status === requested,
        ...dayRange<Payment>('originDisputeDate', ({ chargeback }) => chargeback?.disputeStartDate ?? null),
        ...dayRange<Payment>('originTransactionDate', ({ confirmedDate }) => confirmedDate),
      });
      const rendered = found.flatMap((payment) =>
        payment.chargeback === null ? [] : [renderChargeback(payment, payment.chargeback)],
      );
      return c.json(page(c, rendered, (one) => one));
    });
  }
  return app;
}

function renderKey(account: Account, key: PixKey) {
  const payload = pixKeyPayload({ key: key.key, name: account.name, city: account.city });
  return {
    ...key,
    canBeDeleted: true,
    cannotBeDeletedReason: null,
    qrCode: key.status === 'ACTIVE' ? { encodedImage: qrCodePng(payload), payload } : null,
  };
}

export const newPixKey = (services: AsaasServices): PixKey => ({
  id: randomUUID(),
  key: randomUUID(),
  type: 'EVP',
  status: 'ACTIVE',
  dateCreated: services.nowText(),
});

export function pixKeyRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();
  const keyOf = (account: Account, id: string): PixKey => {
    const key = account.pixKeys.find((candidate) => candidate.id === id);
    if (key === undefined) throw notFound();
    return key;
  };
  app.post('/', async (c) => {
    const account = c.get('account');
    await readBody(c, NewPixKey);
    if (account.pixKeys.filter(({ status }) => status === 'ACTIVE').length >= MAX_KEYS) {
      throw invalidAction(`É permitido cadastrar no máximo ${MAX_KEYS} chaves Pix.`);
    }
    const key = newPixKey(services);
    account.pixKeys.push(key);
    return c.json(renderKey(account, key));
  });
  app.get('/', (c) => {
    const account = c.get('account');
    const found = filterBy(c, newestFirst(account.pixKeys), {
      status: ({ status }, requested) => status === requested,
      statusList: ({ status }, requested) => requested.split(',').includes(status),
    });
    return c.json(page(c, found, (key) => renderKey(account, key)));
  });
  app.get('/:id', (c) => {
    const account = c.get('account');
    return c.json(renderKey(account, keyOf(account, c.req.param('id'))));
  });
  app.delete('/:id', (c) => {
    const account = c.get('account');
    const key = keyOf(account, c.req.param('id'));
    key.status = 'DELETED';
    return c.json(renderKey(account, key));
  });
  return app;
}

/** `/myAccount` and `/wallets`, documented with a trailing slash. */
export function myAccountRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  const both = (path: string) => [path, `${path}/`];

  for (const path of both('/myAccount/commercialInfo')) {
    app.get(path, (c) => {
      const { name, cpfCnpj, email, options } = c.get('account');
      return c.json({
        status: 'APPROVED',
        personType: 'JURIDICA',
        cpfCnpj,
        name,
        birthDate: null,
        companyName: name,
        companyType: 'LIMITED',
        incomeValue: 25_000,
        email,
        phone: null,
        mobilePhone: '11987654321',
        postalCode: '01310100',
        address: 'Avenida Paulista',
        addressNumber: '1000',
        complement: null,
        province: 'Bela Vista',
        city: { object: 'city', id: 15_873, ibgeCode: '3550308', name: 'São Paulo', state: 'SP' },
        denialReason: null,
        tradingName: name,
        site: options.site === '*' ? null : options.site,
        availableCompanyNames: [name],
        commercialInfoExpiration: { isExpired: false, scheduledDate: null },
      });
    });
  }
  for (const path of both('/myAccount/status')) {
    app.get(path, (c) => {
      const approved = 'APPROVED';
      const { id } = c.get('account');
      return c.json({
        id,
        commercialInfo: approved,
        bankAccountInfo: approved,
        documentation: approved,
        general: approved,
      });
    });
  }
  for (const path of both('/myAccount/accountNumber')) {
    app.get(path, (c) => c.json({ agency: '0001', account: '1234567', accountDigit: '8' }));
  }
  for (const path of both('/myAccount/fees')) app.get(path, (c) => c.json(renderFees(c.get('account'))));
  for (const path of both('/wallets')) {
    app.get(path, (c) =>
      c.json(page(c, [{ object: 'wallet', id: c.get('account').walletId }], (one) => one)),
    );
  }
  return app;
}

function renderFees({ options: { fees } }: Account) {
  const noDiscount = { discountValue: null, expirationDate: null };
  const cardPercentages = {
    oneInstallmentPercentage: fees.cardPercent,
    upToSixInstallmentsPercentage: fees.cardPercent,
    upToTwelveInstallmentsPercentage: fees.cardPercent,
    upToTwentyOneInstallmentsPercentage: fees.cardPercent,
    discountOneInstallmentPercentage: null,
    discountUpToSixInstallmentsPercentage: null,
    discountUpToTwelveInstallmentsPercentage: null,
    discountUpToTwentyOneInstallmentsPercentage: null,
    discountExpiration: null,
  };
  return {
    payment: {
      bankSlip: { defaultValue: toReais(fees.boleto), ...noDiscount, daysToReceive: 1 },
      creditCard: { operationValue: toReais(fees.cardFixed), ...cardPercentages, daysToReceive: 32 },
      debitCard: null,
      pix: {
        fixedFeeValue: toReais(fees.pix),
        fixedFeeValueWithDiscount: null,
        percentageFee: null,
        minimumFeeValue: null,
        maximumFeeValue: null,
        discountExpiration: null,
        monthlyCreditsWithoutFee: 0,
        creditsReceivedOfCurrentMonth: 0,
      },
    },
    transfer: {
      monthlyTransfersWithoutFee: 0,
      ted: null,
      pix: { feeValue: toReais(fees.transfer), ...noDiscount, consideredInMonthlyTransfersWithoutFee: false },
    },
    notification: null,
    creditBureauReport: null,
    invoice: { feeValue: toReais(fees.invoice) },
    anticipation: null,
  };
}
