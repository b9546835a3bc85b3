/** `/balances` and their statements. */
import { problem, refusal, systemError } from './errors.ts';
import { renderAmount } from './money.ts';
import { numberIn, profileIn, readTime, type WiseContext, type WiseRoutes } from './requests.ts';
import { requireSca } from './sca.ts';
import { amountOf, type WiseServices } from './services.ts';
import type { Balance, Profile } from './state.ts';
import { renderEntry } from './statement-render.ts';
import { fullTime } from './times.ts';

const TYPES = ['STANDARD', 'SAVINGS'];
const MAX_DAYS = 469;
const DAY_MS = 24 * 60 * 60_000;

function renderBalance(balance: Balance) {
  const { id, currency, createdAtMs, entries } = balance;
  const amount = renderAmount(currency, amountOf(balance));
  const nothing = renderAmount(currency, 0);
  return {
    id,
    currency,
    type: 'STANDARD',
    name: null,
    icon: null,
    investmentState: 'NOT_INVESTED',
    amount,
    // Unfunded transfers do not reserve money.
    reservedAmount: nothing,
    cashAmount: amount,
    totalWorth: amount,
    creationTime: fullTime(createdAtMs),
    modificationTime: fullTime(entries.at(-1)?.atMs ?? createdAtMs),
    visible: true,
  };
}

function findRequestedBalance(c: WiseContext, profile: Profile): Balance {
  const id = numberIn(c, 'balance');
  const balance = profile.balances.find((candidate) => candidate.id === id);
  if (balance === undefined) throw problem(404, 'balance.not-found', 'Balance not found');
  return balance;
}

/** The interval in the query. */
function readInterval(c: WiseContext): { fromMs: number; untilMs: number } {
  const fromMs = readTime(c, 'intervalStart');
  const untilMs = readTime(c, 'intervalEnd');
  if (fromMs === undefined || untilMs === undefined) {
    const missing = fromMs === undefined ? 'intervalStart' : 'intervalEnd';
    throw refusal(400, 'NotNull', 'must not be null', missing);
  }
  if (untilMs < fromMs || untilMs - fromMs > MAX_DAYS * DAY_MS) {
    throw refusal(400, 'error.interval', `The interval may have at most ${MAX_DAYS} days`, 'intervalEnd');
  }
  return { fromMs, untilMs };
}

function statementOf(c: WiseContext, profile: Profile, balance: Balance) {
  const { currency } = balance;
  if (c.req.query('currency') !== currency) {
    throw refusal(400, 'BAD_REQUEST', 'The currency is not the one of the balance', 'currency');
  }
  const type = c.req.query('type') ?? 'COMPACT';
  if (type !== 'COMPACT' && type !== 'FLAT') throw refusal(400, 'BAD_REQUEST', 'COMPACT or FLAT', 'type');
  const { fromMs, untilMs } = readInterval(c);
  const before = balance.entries.filter(({ atMs }) => atMs < fromMs).at(-1);
  const last = balance.entries.filter(({ atMs }) => atMs <= untilMs).at(-1);
  const found = balance.entries.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs);
  const rendered = found.flatMap((entry) => renderEntry(currency, entry, type));
  return {
    accountHolder: { type: profile.type, businessName: profile.name, address: null },
    issuer: { name: 'Wise US Inc.', city: 'New York', country: 'United States' },
    bankDetails: null,
    transactions: c.get('account').options.statementOrder === 'newest_first' ? rendered.reverse() : rendered,
    startOfStatementBalance: renderAmount(currency, before?.running ?? 0),
    endOfStatementBalance: renderAmount(currency, last?.running ?? 0),
    endOfStatementUnrealisedGainLoss: null,
    balanceAssetConfiguration: null,
    query: {
      intervalStart: fullTime(fromMs),
      intervalEnd: fullTime(untilMs),
      type,
      currency,
      profileId: profile.id,
      timezone: 'Z',
    },
  };
}

export function addBalanceRoutes(routes: WiseRoutes, services: WiseServices): void {
  routes.on('GET', ['v3', 'v4'], '/profiles/:profile/balances', (c) => {
    const profile = profileIn(c);
    const types = c.req.query('types')?.split(',');
    if (types === undefined || !types.every((type) => TYPES.includes(type))) {
      throw refusal(400, 'BAD_REQUEST', `types must be ${TYPES.join(' or ')}`, 'types');
    }
    return c.json(types.includes('STANDARD') ? profile.balances.map(renderBalance) : []);
  });
  routes.on('GET', ['v3', 'v4'], '/profiles/:profile/balances/:balance', (c) =>
    c.json(renderBalance(findRequestedBalance(c, profileIn(c)))),
  );
  routes.on('GET', ['v1'], '/profiles/:profile/balance-statements/:balance/statement.json', (c) => {
    const profile = profileIn(c);
    if (c.get('account').options.statements === 'forbidden') {
      throw systemError(403, 'You are forbidden to send this request', c.req.path);
    }
    requireSca(c, services, 'low');
    return c.json(statementOf(c, profile, findRequestedBalance(c, profile)));
  });
}
