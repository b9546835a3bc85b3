/** Objects of an account: changes, archiving, merges and associations. Each is queued as events. */
import type { FakeKit } from '../../fakes/fake.ts';
import { nulls } from '../members.ts';
import { type Records, type Row, rowOf } from '../shared.ts';
import { invalid, missing, refusal } from './errors.ts';
import { follow, validated } from './properties.ts';
import { type Account, ASSOCIATION_TYPES, type HubspotObject, KINDS, type Kind } from './state.ts';

interface Place {
  kit: FakeKit<Account>;
  account: Account;
  /** The source of changes in events. */
  source: 'CRM_UI' | 'INTEGRATION';
}

export interface Desk extends Place, Records<Kind, HubspotObject> {
  /** An object that is not archived. The id of a merged object leads to what it was merged into. */
  read(kind: Kind, id: string): HubspotObject;
  merge(kind: Kind, primary: string, merged: string, isNew: boolean): HubspotObject;
  associate(from: Kind, id: string, to: Kind, toId: string): void;
  dissociate(from: Kind, id: string, to: Kind, toId: string): void;
  /** Ids of what is associated and not archived. */
  linked(from: Kind, id: string, to: Kind): string[];
}

const timeOf = ({ kit }: Place): string => new Date(kit.clock.now()).toISOString();

/** Events of this time are sent together. */
const FLUSH_MS = 100;

/** Queues an event for each subscription to it. */
function emit(
  { kit, account, source }: Place,
  verb: string,
  kind: Kind,
  object: HubspotObject,
  more: Row = {},
): void {
  const { singular, typeId } = KINDS[kind];
  const wasEmpty = account.pending.length === 0;
  for (const { id, subscriptionType, objectType, propertyName } of account.app?.subscriptions ?? []) {
    if (subscriptionType !== `object.${verb}` || ![singular, kind, typeId].includes(objectType)) continue;
    if (propertyName !== undefined && propertyName !== more.propertyName) continue;
    account.pending.push({
      ...{ eventId: kit.nextNumber(), subscriptionId: id, portalId: Number(account.id), appId: 1 },
      ...{ occurredAt: kit.clock.now(), subscriptionType, attemptNumber: 0, objectId: Number(object.id) },
      ...{ changeSource: source, objectTypeId: typeId, ...more },
    });
  }
  if (wasEmpty && account.pending.length > 0)
    kit.clock.schedule('hubspot:flush', kit.clock.now() + FLUSH_MS, { account: account.id });
}

function emitChanges(place: Place, kind: Kind, object: HubspotObject, changed: Row): void {
  for (const [propertyName, value] of Object.entries(changed))
    emit(place, 'propertyChange', kind, object, { propertyName, propertyValue: value ?? '' });
}

function touch(place: Place, kind: Kind, object: HubspotObject): void {
  object.updatedAt = timeOf(place);
  object.properties[KINDS[kind].changed] = object.updatedAt;
}

/** Applies values in place. Throws a refusal and changes nothing. Returns the properties that changed. */
function apply(place: Place, kind: Kind, object: HubspotObject, values: Row): Row {
  const { account } = place;
  const change = validated(account, kind, values);
  const { email } = change;
  const isTaken = (one: HubspotObject) => !one.archived && one !== object && one.properties.email === email;
  const other = kind === 'contacts' && email ? account.objects.contacts.find(isTaken) : undefined;
  if (other) throw refusal(409, 'CONFLICT', `Contact already exists. Existing ID: ${other.id}`);
  const properties = { ...object.properties, ...change };
  follow(account, kind, properties, change, timeOf(place));
  const changed = Object.entries(properties).filter(([name, value]) => object.properties[name] !== value);
  if (changed.length > 0) touch(place, kind, Object.assign(object, { properties }));
  return Object.fromEntries(changed);
}

/** A new object without values. */
function blank(place: Place, kind: Kind): HubspotObject {
  const id = String(1000 + place.kit.nextNumber());
  const now = timeOf(place);
  const created = KINDS[kind].shown.includes('hs_createdate') ? 'hs_createdate' : 'createdate';
  const names = place.account.properties[kind].map(({ name }) => name).join(' ');
  const properties = { ...nulls(names), hs_object_id: id, [created]: now, [KINDS[kind].changed]: now };
  return { id, properties, createdAt: now, updatedAt: now, archived: false };
}

function setArchived(place: Place, kind: Kind, object: HubspotObject, archived: boolean): void {
  if (object.archived === archived) throw missing();
  Object.assign(object, { archived, archivedAt: archived ? timeOf(place) : undefined });
  touch(place, kind, object);
}

/** Merges one object into another, or both into a new one. Returns what remains. */
function merge(
  place: Place,
  kind: Kind,
  primary: HubspotObject,
  merged: HubspotObject,
  isNew: boolean,
): HubspotObject {
  const { account } = place;
  const winner = isNew ? blank(place, kind) : primary;
  if (isNew) account.objects[kind].push(winner);
  const gone = isNew ? [primary, merged] : [merged];
  for (const object of gone) {
    for (const [name, value] of Object.entries(object.properties)) winner.properties[name] ??= value;
    Object.assign(object, { archived: true, mergedInto: winner.id });
  }
  const moved = (of: Kind, id: string) => (of === kind && gone.some((one) => one.id === id) ? winner.id : id);
  account.associations = account.associations.map(([a, id, b, other]) => [
    a,
    moved(a, id),
    b,
    moved(b, other),
  ]);
  touch(place, kind, winner);
  emit(place, 'merge', kind, primary, {
    ...{ primaryObjectId: Number(primary.id), mergedObjectIds: [Number(merged.id)] },
    ...{ ...(isNew && { newObjectId: Number(winner.id) }), numberOfPropertiesMoved: 0 },
  });
  return winner;
}

/** Tells both ends of an association that it was added or removed. */
function emitLink(
  place: Place,
  [from, object]: [Kind, HubspotObject],
  [to, other]: [Kind, HubspotObject],
  associationRemoved: boolean,
): void {
  const ends = [
    [from, object, to, other],
    [to, other, from, object],
  ] as const;
  for (const [a, one, b, two] of ends) {
    const associationType = `${KINDS[a].singular}_TO_${KINDS[b].singular}`.toUpperCase();
    const ids = { fromObjectId: Number(one.id), toObjectId: Number(two.id) };
    emit(place, 'associationChange', a, one, { associationType, ...ids, associationRemoved });
  }
}

export function deskOf(kit: FakeKit<Account>, account: Account, source: Place['source']): Desk {
  const place = { kit, account, source };
  const find: Desk['find'] = (kind, id) => rowOf(account.objects[kind], id, missing);
  const read: Desk['read'] = (kind, id) => {
    const object = find(kind, id);
    if (object.mergedInto !== undefined) return read(kind, object.mergedInto);
    if (object.archived) throw missing();
    return object;
  };
  const linked: Desk['linked'] = (from, id, to) => {
    const ids = account.associations.flatMap(([a, one, b, two]) => {
      if (a === from && one === id && b === to) return [two];
      return b === from && two === id && a === to ? [one] : [];
    });
    return [...new Set(ids)].filter((other) => !find(to, other).archived);
  };
  return {
    ...{ ...place, find, read, linked },
    create(kind, values, isSilent = false) {
      const object = blank(place, kind);
      const [pipeline] = account.pipelines;
      const first = { pipeline: pipeline?.id, dealstage: pipeline?.stages[0]?.id };
      const changed = apply(place, kind, object, kind === 'deals' ? { ...first, ...values } : values);
      account.objects[kind].push(object);
      if (isSilent) return object;
      emit(place, 'creation', kind, object, { changeFlag: 'CREATED' });
      emitChanges(place, kind, object, changed);
      return object;
    },
    change(kind, id, values) {
      const object = read(kind, String(id));
      emitChanges(place, kind, object, apply(place, kind, object, values));
      return object;
    },
    remove(kind, id) {
      const object = find(kind, id);
      setArchived(place, kind, object, true);
      emit(place, 'deletion', kind, object, { changeFlag: 'DELETED' });
    },
    restore(kind, id) {
      const object = find(kind, id);
      setArchived(place, kind, object, false);
      emit(place, 'restore', kind, object);
      return object;
    },
    merge: (kind, primary, merged, isNew) =>
      merge(place, kind, read(kind, primary), read(kind, merged), isNew),
    associate(from, id, to, toId) {
      if (linked(from, id, to).includes(toId)) return;
      const [object, other] = [read(from, id), read(to, toId)];
      if (ASSOCIATION_TYPES[`${from}:${to}`] === undefined)
        throw invalid(`no association from ${from} to ${to}`);
      account.associations.push([from, id, to, toId]);
      emitLink(place, [from, object], [to, other], false);
    },
    dissociate(from, id, to, toId) {
      if (!linked(from, id, to).includes(toId)) return;
      account.associations = account.associations.filter((link) => {
        const key = link.join(':');
        return key !== `${from}:${id}:${to}:${toId}` && key !== `${to}:${toId}:${from}:${id}`;
      });
      emitLink(place, [from, read(from, id)], [to, read(to, toId)], true);
    },
  };
}
