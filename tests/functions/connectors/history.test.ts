// Random changes of both sides, compared with a small model: what each side last agreed on, field by field.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf, finishRun, openDifferences, untilCrmIs, untilSettled } from '../../support/connectors.ts';
import { type Connected, connectTo, importAll } from '../../support/crms/connected.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';

const sql = connectAdmin();

/** For longer runs: `HISTORY_RUNS=50`; to repeat one: `HISTORY_SEED=<seed of the failure>`. */
const RUNS = Number(process.env.HISTORY_RUNS ?? 3);
const seed = process.env.HISTORY_SEED === undefined ? {} : { seed: Number(process.env.HISTORY_SEED) };

const PEOPLE = 3;
const FIELDS = ['name', 'phone', 'position'] as const;
type Field = (typeof FIELDS)[number];
type Values = Record<Field, string>;

interface Step {
  side: 'here' | 'there';
  person: number;
  field: Field;
  value: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  side: fc.constantFrom('here', 'there'),
  person: fc.nat({ max: PEOPLE - 1 }),
  field: fc.constantFrom(...FIELDS),
  value: fc.nat({ max: 2 }),
});
/** Changes between two times at which the sides are compared, and whether their webhooks are lost. */
const round = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  isLost: fc.boolean(),
});
const history = fc.record({
  conflict: fc.constantFrom('crm' as const, 'placar' as const),
  direction: fc.constantFrom('in' as const, 'both' as const),
  rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
});

/** One person on both sides. `agreed` is what both had when they last agreed. */
class Pair {
  readonly here: Values;
  readonly there: Values;
  readonly agreed: { here: Values; there: Values };

  constructor(values: Values) {
    this.here = { ...values };
    this.there = { ...values };
    this.agreed = { here: { ...values }, there: { ...values } };
  }

  compare(conflict: 'crm' | 'placar', direction: 'in' | 'both'): void {
    for (const field of FIELDS) {
      const changed = {
        here: this.here[field] !== this.agreed.here[field],
        there: this.there[field] !== this.agreed.there[field],
      };
      const isTheirs = changed.there && (!changed.here || conflict === 'crm');
      if (isTheirs) this.here[field] = this.there[field];
      else if (changed.here && direction === 'both') this.there[field] = this.here[field];
      this.agreed.there[field] = this.there[field];
      if (this.here[field] === this.there[field]) this.agreed.here[field] = this.here[field];
    }
  }
}

const textOf = (field: Field, person: number, value: number): string =>
  ({
    name: `Pessoa ${person} V${value}`,
    phone: `+55 11 9000${person}-000${value}`,
    position: `Cargo ${value}`,
  })[field];

async function runHistory({
  conflict,
  direction,
  rounds,
}: {
  conflict: 'crm' | 'placar';
  direction: 'in' | 'both';
  rounds: { steps: Step[]; isLost: boolean }[];
}) {
  const acme: Connected = await connectTo(sql, pipedrive, { conflict, direction });
  const pairs = Array.from(
    { length: PEOPLE },
    (_, person) =>
      new Pair({
        name: textOf('name', person, 0),
        phone: textOf('phone', person, 0),
        position: textOf('position', person, 0),
      }),
  );
  const emailOf = (person: number) => `p${person}@client.example`;
  const ids = await acme.there.addContacts(
    pairs.map(({ there }, person) => ({ ...there, email: emailOf(person) })),
    true,
  );
  await importAll(sql, acme);
  for (const { steps, isLost } of rounds) {
    await sql`select admin.pause_crm(${acme.accountId})`;
    if (isLost) await acme.there.loseWebhooks();
    for (const { side, person, field, value } of steps) {
      const changed = { [field]: textOf(field, person, value) };
      const pair = pairs[person];
      if (!pair) continue;
      Object.assign(pair[side], changed);
      if (side === 'there') await acme.there.changeContact(ids[person] ?? '', changed);
      else
        await sql`update leads set ${sql(changed)} where tenant_id = ${acme.id} and email = ${emailOf(person)}`;
    }
    await sql`select admin.resume_crm(${acme.accountId})`;
    await untilCrmIs(sql, acme.accountId, 'active');
    // Webhooks may still be on their way, or lost.
    await finishRun(sql, acme, 'reconcile');
    await untilSettled(sql, acme);
    for (const pair of pairs) pair.compare(conflict, direction);
    await expectModel(acme, pairs, ids);
  }
  const before = await eventsOf(sql, acme);
  await acme.there.forgetRequests();
  await finishRun(sql, acme, 'reconcile');
  await finishRun(sql, acme, 'compare');
  await untilSettled(sql, acme);
  await expectModel(acme, pairs, ids);
  expect(await eventsOf(sql, acme)).toHaveLength(before.length);
  expect((await acme.there.requests()).filter(pipedrive.isWrite)).toHaveLength(0);
}

async function expectModel(acme: Connected, pairs: Pair[], ids: string[]): Promise<void> {
  const leads =
    await sql`select name, phone, position from leads where tenant_id = ${acme.id} order by email`;
  expect(leads.map((lead) => ({ ...lead }))).toEqual(pairs.map(({ here }) => here));
  const there = await Promise.all(ids.map((id) => acme.there.contact(id)));
  expect(there.map(({ name, phone }) => ({ name, phone }))).toEqual(
    pairs.map((pair) => ({ name: pair.there.name, phone: pair.there.phone })),
  );
  const expected = pairs.flatMap((pair) => FIELDS.filter((field) => pair.here[field] !== pair.there[field]));
  const open = await openDifferences(sql, acme);
  expect(open.map(({ kind, field }) => `${kind} ${field}`).sort()).toEqual(
    expected.map((field) => `changed_here ${field}`).sort(),
  );
}

test('both sides are as in a plain model, whatever changes where', async () => {
  const histories = fc.sample(history, { numRuns: RUNS, ...seed });
  await Promise.all(
    histories.map((one) =>
      runHistory(one).catch((error: unknown) => {
        throw new Error(`failed: ${JSON.stringify(one)}`, { cause: error });
      }),
    ),
  );
});
