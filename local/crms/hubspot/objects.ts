/** Objects of an account: validation of properties, changes, archiving, merges and associations. Changes are queued as events. */
import { randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { nulls } from '../members.ts';
import { type Records, type Row, rowOf } from '../shared.ts';
import {
  type Account,
  ASSOCIATION_TYPES,
  type HubspotObject,
  KINDS,
  type Kind,
  type Property,
} from './state.ts';

export interface Desk extends Records<Kind, HubspotObject> {
  kit: FakeKit<Account>;
  account: Account;
  /** The source of changes in events. */
  source: 'CRM_UI' | 'INTEGRATION';
  /** An object that is not archived. The id of a merged object leads to what it was merged into. */
  read(kind: Kind, id: string): HubspotObject;
  merge(kind: Kind, primary: string, merged: string, isNew: boolean): HubspotObject;
  associate(from: Kind, id: string, to: Kind, toId: string): void;
  /** Ids of what is associated and not archived. */
  linked(from: Kind, id: string, to: Kind): string[];
}

export const refusal = (status: number, category: string, message: string, more: Row = {}): VendorError =>
  new VendorError(status, { status: 'error', message, correlationId: randomUUID(), category, ...more });
export const invalid = (message: string, more: Row = {}): VendorError =>
  refusal(400, 'VALIDATION_ERROR', message, more);
export const missing = () => refusal(404, 'OBJECT_NOT_FOUND', 'resource not found');

type Checked = { value: string } | { error: string };

/** The value as it is kept, or the code of its error. */
function checked(
  { owners, pipelines }: Account,
  { type, options, readOnly }: Property,
  text: string,
): Checked {
  const accept = (isValid: boolean, error: string, value = text): Checked =>
    isValid ? { value } : { error };
  const toTime = () => {
    const time = new Date(/^\d+$/.test(text) ? Number(text) : text);
    return accept(
      !Number.isNaN(time.getTime()),
      'INVALID_DATE',
      Number.isNaN(time.getTime()) ? '' : time.toISOString(),
    );
  };
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  const isIn = (list: readonly { id: string }[]) => list.some(({ id }) => id === text);
  const checks: Record<string, () => Checked> = {
    number: () => accept(!Number.isNaN(Number(text)), 'INVALID_NUMBER'),
    email: () => accept(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), 'INVALID_EMAIL', text.toLowerCase()),
    datetime: toTime,
    enumeration: () =>
      accept(
        options.some(({ value }) => value === text),
        'INVALID_OPTION',
      ),
    owner: () => accept(isIn(owners), 'INVALID_OWNER_ID'),
    pipeline: () => accept(isIn(pipelines), 'INVALID_OPTION'),
    stage: () => accept(isIn(stages), 'INVALID_OPTION'),
  };
  if (readOnly) return { error: 'READ_ONLY_VALUE' };
  return text === '' ? { value: text } : (checks[type]?.() ?? { value: text });
}

function validated(account: Account, kind: Kind, values: Row): Record<string, string | null> {
  const errors: Row[] = [];
  const entries = Object.entries(values).map(([name, given]): [string, string | null] => {
    const property = account.properties[kind].find((one) => one.name === name);
    const result = property
      ? checked(account, property, String(given ?? ''))
      : { error: 'PROPERTY_DOESNT_EXIST' };
    if ('value' in result) return [name, result.value === '' ? null : result.value];
    errors.push({ isValid: false, error: result.error, name, message: `${name}: ${result.error}` });
    return [name, null];
  });
  if (errors.length === 0) return Object.fromEntries(entries);
  throw invalid(`Property values were not valid: ${JSON.stringify(errors)}`, {
    errors: errors.map(({ message, error, name }) => ({
      message,
      code: error,
      context: { propertyName: [name] },
    })),
  });
}

/** Properties that follow from a change of a deal's stage, or of a task's status. */
function follow(
  { pipelines }: Account,
  kind: Kind,
  properties: HubspotObject['properties'],
  change: Row,
  now: string,
): void {
  if (kind === 'tasks' && 'hs_task_status' in change)
    properties.hs_task_completion_date = change.hs_task_status === 'COMPLETED' ? now : null;
  if (kind !== 'deals' || !('dealstage' in change || 'pipeline' in change)) return;
  const pipeline = pipelines.find(({ id }) => id === properties.pipeline);
  const stage = pipeline?.stages.find(({ id }) => id === properties.dealstage);
  if (stage === undefined)
    throw invalid(`${properties.dealstage} is not a stage of pipeline ${properties.pipeline}`);
  const isClosed = stage.metadata.isClosed === 'true';
  if (isClosed && properties.hs_is_closed !== 'true' && !('closedate' in change)) properties.closedate = now;
  properties.hs_is_closed = String(isClosed);
  properties.hs_is_closed_won = String(isClosed && Number(stage.metadata.probability) === 1);
}

export function deskOf(kit: FakeKit<Account>, account: Account, source: Desk['source']): Desk {
  const now = () => new Date(kit.clock.now()).toISOString();
  const find: Desk['find'] = (kind, id) => rowOf(account.objects[kind], id, missing);

  /** Queues an event for each subscription to it. They are sent together. */
  function emit(verb: string, kind: Kind, object: HubspotObject, more: Row = {}): void {
    const { singular, typeId } = KINDS[kind];
    for (const { id, ...subscription } of account.app?.subscriptions ?? []) {
      const { subscriptionType, objectType, propertyName } = subscription;
      const isGeneric =
        subscriptionType === `object.${verb}` && [singular, kind, typeId].includes(objectType ?? '');
      if (!isGeneric && subscriptionType !== `${singular}.${verb}`) continue;
      if (propertyName !== undefined && propertyName !== more.propertyName) continue;
      account.pending.push({
        ...{ eventId: kit.nextNumber(), subscriptionId: id, portalId: Number(account.id), appId: 1 },
        ...{ occurredAt: kit.clock.now(), subscriptionType, attemptNumber: 0, objectId: Number(object.id) },
        ...{ changeSource: source, ...(isGeneric && { objectTypeId: typeId }), ...more },
      });
    }
    const flush = { account: account.id };
    if (account.pending.length === 1) kit.clock.schedule('hubspot:flush', kit.clock.now() + FLUSH_MS, flush);
  }

  function apply(kind: Kind, object: HubspotObject, values: Row): Row {
    const change = validated(account, kind, values);
    const isTaken = (one: HubspotObject) =>
      !one.archived && one !== object && one.properties.email === change.email;
    const other = kind === 'contacts' && change.email ? account.objects.contacts.find(isTaken) : undefined;
    if (other) throw refusal(409, 'CONFLICT', `Contact already exists. Existing ID: ${other.id}`);
    const properties = { ...object.properties, ...change };
    follow(account, kind, properties, change, now());
    const changed = Object.entries(properties).filter(([name, value]) => object.properties[name] !== value);
    if (changed.length > 0) touch(kind, Object.assign(object, { properties }));
    return Object.fromEntries(changed);
  }
  function touch(kind: Kind, object: HubspotObject): void {
    object.updatedAt = now();
    object.properties[KINDS[kind].changed] = object.updatedAt;
  }
  function tellChanges(kind: Kind, object: HubspotObject, changed: Row): void {
    for (const [propertyName, propertyValue] of Object.entries(changed))
      emit('propertyChange', kind, object, { propertyName, propertyValue: propertyValue ?? '' });
  }
  function setArchived(kind: Kind, id: string | number, archived: boolean): HubspotObject {
    const object = find(kind, id);
    if (object.archived === archived) throw missing();
    Object.assign(object, { archived, archivedAt: archived ? now() : undefined });
    touch(kind, object);
    return object;
  }
  /** A new object without values. */
  function blank(kind: Kind): HubspotObject {
    const id = String(1000 + kit.nextNumber());
    const created = KINDS[kind].shown.includes('hs_createdate') ? 'hs_createdate' : 'createdate';
    const names = account.properties[kind].map(({ name }) => name).join(' ');
    const properties = { ...nulls(names), hs_object_id: id, [created]: now(), [KINDS[kind].changed]: now() };
    return { id, properties, createdAt: now(), updatedAt: now(), archived: false };
  }
  const firstStage = () => {
    const [pipeline] = account.pipelines;
    return { pipeline: pipeline?.id, dealstage: pipeline?.stages[0]?.id };
  };

  const desk: Desk = {
    ...{ kit, account, source, find },
    read(kind, id) {
      const object = find(kind, id);
      const found = object.mergedInto === undefined ? object : desk.read(kind, object.mergedInto);
      if (found.archived) throw missing();
      return found;
    },
    create(kind, values, isSilent = false) {
      const object = blank(kind);
      const changed = apply(kind, object, kind === 'deals' ? { ...firstStage(), ...values } : values);
      account.objects[kind].push(object);
      if (isSilent) return object;
      emit('creation', kind, object, { changeFlag: 'CREATED' });
      tellChanges(kind, object, changed);
      return object;
    },
    change(kind, id, values) {
      const object = desk.read(kind, String(id));
      tellChanges(kind, object, apply(kind, object, values));
      return object;
    },
    remove: (kind, id) => emit('deletion', kind, setArchived(kind, id, true), { changeFlag: 'DELETED' }),
    restore(kind, id) {
      const object = setArchived(kind, id, false);
      emit('restore', kind, object);
      return object;
    },
    merge(kind, primaryId, mergedId, isNew) {
      const [primary, merged] = [desk.read(kind, primaryId), desk.read(kind, mergedId)];
      const winner = isNew ? blank(kind) : primary;
      if (isNew) account.objects[kind].push(winner);
      const { hs_object_id: own } = winner.properties;
      for (const { properties } of isNew ? [primary, merged] : [merged])
        for (const [name, value] of Object.entries(properties)) winner.properties[name] ??= value;
      winner.properties.hs_object_id = own ?? null;
      for (const gone of isNew ? [primary, merged] : [merged])
        Object.assign(gone, { archived: true, mergedInto: winner.id });
      account.associations = account.associations.map(([a, id, b, other]) => {
        const moved = (of: Kind, one: string) =>
          of === kind && [primaryId, mergedId].includes(one) ? winner.id : one;
        return [a, moved(a, id), b, moved(b, other)];
      });
      touch(kind, winner);
      const ids = { primaryObjectId: Number(primaryId), mergedObjectIds: [Number(mergedId)] };
      const newId = isNew ? { newObjectId: Number(winner.id) } : {};
      emit('merge', kind, primary, { ...ids, ...newId, numberOfPropertiesMoved: 0 });
      return winner;
    },
    associate(from, id, to, toId) {
      if (desk.linked(from, id, to).includes(toId)) return;
      const [object, other] = [desk.read(from, id), desk.read(to, toId)];
      if (ASSOCIATION_TYPES[`${from}:${to}`] === undefined)
        throw invalid(`no association from ${from} to ${to}`);
      account.associations.push([from, object.id, to, other.id]);
      for (const [a, one, b, two] of [
        [from, object, to, other],
        [to, other, from, object],
      ] as const) {
        const associationType = `${KINDS[a].singular}_TO_${KINDS[b].singular}`.toUpperCase();
        const ends = { fromObjectId: Number(one.id), toObjectId: Number(two.id) };
        emit('associationChange', a, one, { associationType, ...ends, associationRemoved: false });
      }
    },
    linked(from, id, to) {
      const ids = account.associations.flatMap(([a, one, b, two]) => {
        if (a === from && one === id && b === to) return [two];
        return b === from && two === id && a === to ? [one] : [];
      });
      return [...new Set(ids)].filter((other) => !find(to, other).archived);
    },
  };
  return desk;
}

/** Events of this time are sent together. */
const FLUSH_MS = 100;
