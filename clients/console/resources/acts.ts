// Actions that many resources have.
import type { Scope } from '../api/access.ts';
import type { Message } from '../kit/language.ts';
import { type Act, below, type Field } from './resource.ts';

interface Managed {
  api: string;
  scope: Scope;
  fields: readonly Field[];
  create: Message;
  edit: Message;
  remove: Message;
  /** Explains what deleting does. */
  removal: Message;
  id?: string;
}

/** The actions create, change and delete. The first two share one form. */
export function managed({ api, scope, fields, create, edit, remove, removal, id }: Managed): {
  acts: Act[];
  recordActs: Act[];
} {
  const target = below(api, '', id);
  return {
    acts: [
      { name: 'new', label: create, scope, method: 'POST', target: () => api, fields, done: 'Created.' },
    ],
    recordActs: [
      { name: 'edit', label: edit, scope, method: 'PATCH', target, fields, done: 'Saved.' },
      {
        name: 'delete',
        label: remove,
        scope,
        method: 'DELETE',
        target,
        text: removal,
        danger: true,
        done: 'Deleted.',
        goTo: 'list',
      },
    ],
  };
}
