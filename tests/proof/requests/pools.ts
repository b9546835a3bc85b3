// Ids of existing records by kind, updated by responses.
import type { Reply } from '../../support/gamification/sync.ts';
import type { Chance } from './random.ts';

/** Maximum number of ids per kind; the oldest is dropped first. */
const KEPT = 60;
/** With fewer ids than this, deleted records stay in the pool and return 404. */
const FEWEST = 4;

/** The kind of record to which `{id}` refers, by the beginning of the path. */
const kinds: Record<string, string> = {
  leads: 'lead',
  deals: 'deal',
  opportunities: 'deal',
  users: 'user',
  teams: 'team',
  invitations: 'invitation',
  webhooks: 'webhook',
  invoices: 'invoice',
  payouts: 'payout',
  sandbox: 'invoice',
  'balance-transactions': 'entry',
};

/** External ids: all clients can use the same ones, each for its own records. */
const externalIds = ['crm-1', 'crm-2', '17', 'ação', 'a/b c?d'];

/** Path parameters of administration, besides ids of records that were created by requests. */
const adminNames: Record<string, string> = { code: '010', change_id: '1', request_id: 'unknown' };

const kindOf = (path: string): string | undefined => {
  const [, first = '', second] = path.split('/');
  return first === 'admin' ? `admin/${second}` : kinds[first];
};

/** The lead that a merge deletes, which only JSON bodies can name. */
const loserIn = (body: Buffer): string => JSON.parse(body.toString()).loser_id;

export class Pools {
  readonly #ids = new Map<string, string[]>();

  add(kind: string, id: string): void {
    this.#ids.set(kind, [...(this.#ids.get(kind) ?? []), id].slice(-KEPT));
  }

  all(): string[] {
    return [...this.#ids.values()].flat().flatMap((id) => id.split('/'));
  }

  any(chance: Chance, kind: string): string {
    const ids = this.#ids.get(kind) ?? [];
    return ids.length > 0 ? chance.of(ids) : crypto.randomUUID();
  }

  /** Path parameters that belong together. */
  params(chance: Chance, path: string): Record<string, string> {
    if (path.startsWith('/admin/')) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      return Object.fromEntries(
        names.map((name) => [name, adminNames[name] ?? this.any(chance, kindOf(path) ?? '')]),
      );
    }
    const pair = (kind: string) => this.any(chance, kind).split('/');
    if (path.includes('{doc_id}')) {
      const [id = '', doc_id = ''] = pair('taxDocument');
      return { id, doc_id };
    }
    if (path.includes('{delivery_id}')) {
      const [id = '', delivery_id = ''] = pair('delivery');
      return { id, delivery_id };
    }
    if (path.includes('{replay_id}')) {
      const [id = '', replay_id = ''] = pair('replay');
      return { id, replay_id };
    }
    const id = this.any(chance, kindOf(path) ?? 'lead');
    return { id, user_id: this.any(chance, 'user'), external_id: chance.of(externalIds) };
  }

  /** Replaces `{lead}` and similar placeholders with ids. */
  fill(chance: Chance, text: string): string {
    return text.replace(/\{(user|team|stage|lead|duplicate|deal|unique)\}/g, (_, kind) =>
      kind === 'unique' ? crypto.randomUUID() : this.any(chance, kind === 'duplicate' ? 'lead' : kind),
    );
  }

  /** Records which ids a response created or deleted. */
  learn(
    method: string,
    path: string,
    target: string,
    sent: Buffer | undefined,
    { status, body }: Reply,
  ): void {
    const kind = kindOf(path);
    const [, , id = ''] = target.split('?')[0]?.split('/') ?? [];
    const made = body?.data?.id ?? body?.data?.client_id ?? body?.id;
    if (method === 'POST' && status === 201 && kind && made && !path.includes('{')) this.add(kind, made);
    if (path.endsWith('/convert') && status < 300 && body?.data?.deal) this.add('deal', body.data.deal.id);
    if (path.endsWith('/merge') && status === 200) this.remove('lead', sent ? loserIn(sent) : '');
    if (path.endsWith('/tax-documents') && status === 202) this.add('taxDocument', `${id}/${made}`);
    if (path.endsWith('/test') && status === 202) this.add('delivery', `${id}/${body?.data?.delivery_id}`);
    if (path.endsWith('{id}/replay') && status === 202) this.add('replay', `${id}/${made}`);
    if (path === '/balance-transactions' && status === 200) {
      for (const entry of body?.data ?? []) this.add('entry', entry.id);
    }
    if (method === 'DELETE' && status === 204 && kind && /^(\/admin)?\/[\w-]+\/\{\w+\}$/.test(path))
      this.remove(kind, path.startsWith('/admin') ? (target.split('/')[3] ?? '') : id);
  }

  remove(kind: string, id: string): void {
    const ids = this.#ids.get(kind) ?? [];
    if (ids.length > FEWEST)
      this.#ids.set(
        kind,
        ids.filter((one) => one !== id),
      );
  }
}
