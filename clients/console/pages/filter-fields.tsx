// The filters of a list. The button stays with the last field, so that it never stands on a line of its own.
import type { Child, FC } from 'hono/jsx';
import { t } from '../kit/language.ts';

interface FilterFieldsProps {
  action: string;
  /** Whether filters are set. */
  isOpen: boolean;
  /** The text of the search; undefined if the list has none. */
  search: string | undefined;
  fields: readonly Child[];
}

export const FilterFields: FC<FilterFieldsProps> = ({ action, isOpen, search, fields }) => {
  const searchField = search !== undefined && (
    <label class="search">
      <span class="visually-hidden">{t('Search')}</span>
      <input type="search" name="q" value={search} placeholder={t('Search')} data-search />
      <span class="key" aria-hidden="true">
        /
      </span>
    </label>
  );
  const all = [...(searchField ? [searchField] : []), ...fields];
  return (
    <search>
      <details class="filter-fold" {...(isOpen && { open: true })}>
        <summary>{t('Filters')}</summary>
        <form class="filters full" method="get" action={action} data-filters>
          {all.slice(0, -1)}
          <div class="filter-end">
            {all.at(-1)}
            <button type="submit" class="button quiet">
              {t('Filter')}
            </button>
          </div>
        </form>
      </details>
    </search>
  );
};
