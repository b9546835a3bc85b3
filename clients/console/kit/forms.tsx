// Filter forms and action buttons. Both work without scripts.
import type { Child, FC } from 'hono/jsx';
import { t, tName } from './language.ts';

export interface Choice {
  name: string;
  label: string;
  value: string;
  /** In addition to the empty value for "any". */
  values: readonly string[];
  /** Label of the empty value. */
  any?: string;
}

interface FiltersProps {
  action: string;
  search?: { value: string; label: string };
  choices?: Choice[];
}

/** A GET form. With scripts it submits on each change. */
export const Filters: FC<FiltersProps> = ({ action, search, choices = [] }) => (
  <search>
    <form class="filters" method="get" action={action} data-filters>
      {search && (
        <label class="search">
          <span class="visually-hidden">{search.label}</span>
          <input type="search" name="q" value={search.value} placeholder={search.label} data-search />
          <span class="key" aria-hidden="true">
            /
          </span>
        </label>
      )}
      {choices.map(({ name, label, value, values, any = t('any') }) => (
        <label class="choice">
          <span>{label}</span>
          <select name={name}>
            <option value="">{any}</option>
            {values.map((one) => (
              <option value={one} selected={one === value}>
                {tName(one)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <button type="submit" class="button quiet">
        {t('Filter')}
      </button>
    </form>
  </search>
);

interface ActionProps {
  action: string;
  /** Hidden fields. */
  fields?: Record<string, string>;
  kind?: 'primary' | 'quiet' | 'danger';
  /** Names the object of the action for screen readers. */
  about?: string;
  children?: Child;
}

/** A button that submits a POST form. */
export const Action: FC<ActionProps> = ({ action, fields = {}, kind = 'quiet', about, children }) => (
  <form method="post" action={action} class="action">
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class={`button ${kind}`}>
      {children}
      {about !== undefined && <span class="visually-hidden"> {about}</span>}
    </button>
  </form>
);
