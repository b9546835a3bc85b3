// The time range of a list, from the URL: a named period, or from and to.
import type { Child } from 'hono/jsx';
import { addDays, dateIn, midnight } from '../kit/format-time.ts';
import { type Message, t } from '../kit/language.ts';
import type { View } from '../view.ts';

export const periods = ['today', 'yesterday', 'last_7_days'] as const;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export interface Range {
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

/** The range in the page's URL, in days of the workspace's time zone. */
export function rangeOf(view: Pick<View, 'query' | 'now' | 'workspace'>): Range {
  const zone = view.workspace.timeZone;
  const today = dateIn(view.now, zone);
  const days = (first: string, count: number): Range => ({
    from: midnight(first, zone),
    to: midnight(addDays(first, count), zone),
  });
  const [from, to] = [view.query('from'), view.query('to')];
  // Entered dates take precedence over a period.
  if (DATE.test(from) || DATE.test(to))
    return {
      ...(DATE.test(from) && { from: midnight(from, zone) }),
      ...(DATE.test(to) && { to: midnight(addDays(to, 1), zone) }),
    };
  switch (view.query('period')) {
    case 'today':
      return days(today, 1);
    case 'yesterday':
      return days(addDays(today, -1), 1);
    case 'last_7_days':
      return days(addDays(today, -6), 7);
    default:
      return {};
  }
}

/** Fields of the filter form. */
export const dateFields = (view: View, none: Message = 'any'): Child[] => [
  <label class="choice">
    <span>{t('Period')}</span>
    <select name="period">
      <option value="">{t(none)}</option>
      <option value="today" selected={view.query('period') === 'today'}>
        {t('today')}
      </option>
      <option value="yesterday" selected={view.query('period') === 'yesterday'}>
        {t('yesterday')}
      </option>
      <option value="last_7_days" selected={view.query('period') === 'last_7_days'}>
        {t('last 7 days')}
      </option>
    </select>
  </label>,
  <label class="choice">
    <span>{t('From')}</span>
    <input type="date" name="from" value={view.query('from')} />
  </label>,
  <label class="choice">
    <span>{t('To')}</span>
    <input type="date" name="to" value={view.query('to')} />
  </label>,
];
