// Filters and buttons: plain forms, which work without a script.
import type { Child, FC } from 'hono/jsx';
import { words } from './format.ts';

export interface Choice {
  name: string;
  label: string;
  value: string;
  /** Beside "any", which is empty. */
  values: readonly string[];
  /** What the empty choice is called. */
  any?: string;
}

interface FiltersProps {
  action: string;
  search?: { value: string; label: string };
  choices?: Choice[];
}

/** A form that asks by GET; the script sends it as soon as a choice is made. */
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
      {choices.map(({ name, label, value, values, any = 'any' }) => (
        <label class="choice">
          <span>{label}</span>
          <select name={name}>
            <option value="">{any}</option>
            {values.map((one) => (
              <option value={one} selected={one === value}>
                {words(one)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <button type="submit" class="button quiet">
        Filter
      </button>
    </form>
  </search>
);

interface ActionProps {
  action: string;
  /** Hidden members. */
  fields?: Record<string, string>;
  kind?: 'primary' | 'quiet' | 'danger';
  /** What it is done to, for who does not see where the button stands. */
  about?: string;
  children?: Child;
}

/** A button that changes something. */
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
