/** `/transfers`: outgoing money by Pix. */
import { randomUUID } from 'node:crypto';
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';
import { isValidEmail } from '@brazilian-utils/brazilian-utils/is-valid-email';
import { isValidMobilePhone } from '@brazilian-utils/brazilian-utils/is-valid-mobile-phone';
import { Hono } from 'hono';
import { z } from 'zod';
import { AsaasError, badRequest, invalidAction, notFound } from './errors.ts';
import {
  type AsaasApp,
  check,
  Day,
  dayRange,
  filterBy,
  newestFirst,
  page,
  Reais,
  readBody,
} from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Transfer } from './state.ts';
import { begin, cancel, renderTransfer } from './transfer-life.ts';

const BankAccount = z.object({
  bank: z.object({ code: z.string() }).nullish(),
  ispb: z.string().nullish(),
  accountName: z.string().nullish(),
  ownerName: z.string().min(1),
  ownerBirthDate: Day.nullish(),
  cpfCnpj: z.string().min(1),
  agency: z.string().min(1),
  account: z.string().min(1),
  accountDigit: z.string().min(1),
  bankAccountType: z.enum(['CONTA_CORRENTE', 'CONTA_POUPANCA']).nullish(),
});

const KeyType = z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP']);

const NewTransfer = z.object({
  value: Reais,
  operationType: z.enum(['PIX', 'TED']).nullish(),
  pixAddressKey: z.string().nullish(),
  pixAddressKeyType: KeyType.nullish(),
  bankAccount: BankAccount.nullish(),
  description: z.string().max(140).nullish(),
  externalReference: z.string().nullish(),
  scheduleDate: Day.nullish(),
});

/** Formats of Pix keys: without punctuation; phone numbers with area code, without country code. */
const KEY_FORMATS: Record<z.output<typeof KeyType>, (key: string) => boolean> = {
  CPF: (key) => /^\d{11}$/.test(key) && isValidCpf(key),
  CNPJ: (key) => /^[0-9A-Z]{12}\d{2}$/.test(key) && isValidCnpj(key, { version: 2 }),
  EMAIL: (key) => key.length <= 77 && isValidEmail(key),
  PHONE: (key) => /^\d{11}$/.test(key) && isValidMobilePhone(key),
  EVP: (key) => z.guid().safeParse(key).success,
};

/** Holder data returned by a Pix key lookup. */
const holderOf = (key: string) => ({
  bank: { ispb: '60701190', code: '341', name: 'ITAÚ UNIBANCO S.A.' },
  accountName: null,
  ownerName: 'Titular da Chave',
  cpfCnpj: '***.456.789-**',
  agency: '1234',
  agencyDigit: null,
  account: '12345',
  accountDigit: '6',
  pixAddressKey: key,
});

function destinationOf(order: z.output<typeof NewTransfer>, account: Account) {
  const { pixAddressKey: key, pixAddressKeyType: type, bankAccount } = order;
  if (key) {
    if (!type) throw badRequest('invalid_pixAddressKeyType', 'Informe o tipo da chave Pix.');
    if (!KEY_FORMATS[type](key))
      throw badRequest('invalid_pixAddressKey', 'A chave Pix informada é inválida.');
    if (order.operationType === 'TED')
      throw badRequest('invalid_operationType', 'Chaves Pix recebem por Pix.');
    if (account.options.unknownPixKeys.includes(key)) throw invalidAction('Chave Pix não encontrada.');
    return { pixAddressKey: key, bankAccount: holderOf(key) };
  }
  if (!bankAccount)
    throw badRequest('invalid_bankAccount', 'Informe a conta bancária ou a chave Pix de destino.');
  const { bank, ispb, accountName, ownerName, cpfCnpj, agency, account: number, accountDigit } = bankAccount;
  return {
    pixAddressKey: null,
    bankAccount: {
      bank: { ispb: ispb ?? null, code: bank?.code ?? null, name: null },
      accountName: accountName ?? null,
      ownerName,
      cpfCnpj,
      agency,
      agencyDigit: null,
      account: number,
      accountDigit,
      pixAddressKey: null,
    },
  };
}

/** Rejects the same value to the same destination within minutes as a mistake. */
function refuseRepetition(
  services: AsaasServices,
  account: Account,
  made: Pick<Transfer, 'value' | 'pixAddressKey' | 'bankAccount'>,
) {
  const since = services.now() - account.options.duplicateTransferMinutes * 60_000;
  const destination = JSON.stringify(made.bankAccount);
  const isRepeated = account.transfers.some(
    (known) =>
      known.createdAtMs > since &&
      known.value === made.value &&
      known.status !== 'CANCELLED' &&
      known.status !== 'FAILED' &&
      JSON.stringify(known.bankAccount) === destination,
  );
  if (!isRepeated) return;
  const description = 'Já existe uma transferência idêntica realizada nos últimos 15 minutos.';
  throw new AsaasError(409, [{ code: 'invalid_action', description }]);
}

function createTransfer(services: AsaasServices, account: Account, body: unknown): Transfer {
  const order = check(NewTransfer, body);
  if (order.value <= 0)
    throw badRequest('invalid_value', 'O valor da transferência deve ser maior que zero.');
  if (order.scheduleDate && order.scheduleDate < services.today()) {
    throw badRequest('invalid_scheduleDate', 'A data de agendamento não pode ser anterior a hoje.');
  }
  const destination = destinationOf(order, account);
  const fee = account.options.fees.transfer;
  if (order.value + fee > services.balanceOf(account)) {
    throw invalidAction('Saldo insuficiente para realizar a transferência.');
  }
  const needsCode =
    account.options.criticalAuthorization === 'refuse' && account.withdrawalValidation === null;
  if (needsCode) {
    throw invalidAction(
      'Sua conta possui autorização crítica habilitada. Para efetuar esta ação informe o código de confirmação.',
    );
  }
  refuseRepetition(services, account, { value: order.value, ...destination });
  const transfer: Transfer = {
    id: randomUUID(),
    number: services.kit.nextNumber(),
    createdAtMs: services.now(),
    dateCreated: services.today(),
    value: order.value,
    fee,
    status: 'PENDING',
    authorized: account.options.criticalAuthorization === 'off' && account.withdrawalValidation === null,
    effectiveDate: null,
    confirmedDate: null,
    scheduleDate: order.scheduleDate ?? services.today(),
    failReason: null,
    endToEndIdentifier: null,
    externalReference: order.externalReference ?? null,
    description: order.description ?? null,
    operationType: order.operationType ?? 'PIX',
    ...destination,
    asCreated: {},
    validationAttempts: 0,
    returned: 0,
  };
  account.transfers.push(transfer);
  begin(services, account, transfer);
  return transfer;
}

export function findTransfer(account: Account, id: string): Transfer {
  const transfer = account.transfers.find((candidate) => candidate.id === id);
  if (transfer === undefined) throw notFound();
  return transfer;
}

export function transferRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();
  app.post('/', async (c) => {
    const transfer = createTransfer(services, c.get('account'), await readBody(c, z.unknown()));
    return c.json(transfer.asCreated);
  });

  app.get('/', (c) => {
    const { transfers, options } = c.get('account');
    // The documentation has had both spellings. Unknown filters are ignored.
    const spellings = (['dateCreated', 'dateCreatedLe'] as const).filter(
      (name) => options.transferFilter === 'both' || options.transferFilter === name,
    );
    const byDay = spellings.map((name) => dayRange<Transfer>(name, ({ dateCreated }) => dateCreated));
    const found = filterBy(c, newestFirst(transfers), {
      type: ({ operationType }, requested) => operationType === requested,
      ...Object.assign({}, ...byDay),
      ...dayRange<Transfer>('transferDate', ({ effectiveDate }) => effectiveDate),
    });
    return c.json(page(c, found, (transfer) => renderTransfer(services, transfer)));
  });

  app.get('/:id', (c) => c.json(renderTransfer(services, findTransfer(c.get('account'), c.req.param('id')))));

  app.delete('/:id/cancel', (c) => {
    const transfer = findTransfer(c.get('account'), c.req.param('id'));
    if (transfer.status !== 'PENDING') {
      throw invalidAction('Somente transferências pendentes podem ser canceladas.');
    }
    cancel(services, c.get('account'), transfer, null);
    return c.json(renderTransfer(services, transfer));
  });
  return app;
}

const InternalTransfer = z.object({
  value: Reais,
  walletId: z.guid(),
  externalReference: z.string().nullish(),
});

/** `POST /transfers/` with a trailing slash is a different operation: a transfer to another Asaas account. */
export function internalTransfer(_bank: AsaasServices, _account: Account, body: unknown): never {
  check(InternalTransfer, body);
  throw invalidAction('Não é possível transferir para contas Asaas que não possuem vínculo com a sua.');
}
