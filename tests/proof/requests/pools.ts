// Ids of what is there, by kind; they come and go with what is answered.
import type { Reply } from '../../support/gamification/sync.ts';
import type { Chance } from './random.ts';

/** So many of each kind are kept; the oldest goes first. */
const KEPT = 60;
/** Below so many, what was deleted stays, and answers 404. */
const FEWEST = 4;

/** What a path is about, by its beginning: the kind that its `{id}` is of. */
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

/** What clients call records: everybody may use the same, and reaches their own by it. */
const externalIds = ['crm-1', 'crm-2', '17', 'ação', 'a/b c?d'];

const kindOf = (path: string): string | undefined => kinds[path.split('/')[1] ?? ''];

/** The lead that a merge took away, which is accepted in JSON alone. */
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

  /** The parameters of a path, of things that belong together. */
  params(chance: Chance, path: string): Record<string, string> {
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

  /** Puts ids in the places of `{lead}` and the like. */
  fill(chance: Chance, text: string): string {
    return text.replace(/\{(user|team|stage|lead|duplicate|deal|unique)\}/g, (_, kind) =>
      kind === 'unique' ? crypto.randomUUID() : this.any(chance, kind === 'duplicate' ? 'lead' : kind),
    );
  }

  /** Learns of what an answer made or removed. */
  learn(
    method: string,
    path: string,
    target: string,
    sent: Buffer | undefined,
    { status, body }: Reply,
  ): void {
    const kind = kindOf(path);
    const [, , id = ''] = target.split('?')[0]?.split('/') ?? [];
    const made = body?.data?.id ?? body?.id;
    if (method === 'POST' && status === 201 && kind && made && !path.includes('{')) this.add(kind, made);
    if (path.endsWith('/convert') && status < 300 && body?.data?.deal) this.add('deal', body.data.deal.id);
    if (path.endsWith('/merge') && status === 200) this.remove('lead', sent ? loserIn(sent) : '');
    if (path.endsWith('/tax-documents') && status === 202) this.add('taxDocument', `${id}/${made}`);
    if (path.endsWith('/test') && status === 202) this.add('delivery', `${id}/${body?.data?.delivery_id}`);
    if (path.endsWith('{id}/replay') && status === 202) this.add('replay', `${id}/${made}`);
    if (path === '/balance-transactions' && status === 200) {
      for (const entry of body?.data ?? []) this.add('entry', entry.id);
    }
    if (method === 'DELETE' && status === 204 && kind && path === `/${path.split('/')[1]}/{id}`)
      this.remove(kind, id);
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
