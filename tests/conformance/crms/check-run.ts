/** A run of the checks, with what earlier checks leave for later ones. */
import type { CrmDeal, CrmLead, CrmStage, Inspection } from '../../../shared/connectors/crms/crm.ts';
import type { Created } from './created.ts';
import { needed, type Subject } from './subject.ts';

export interface CheckRun {
  subject: Subject;
  created: Created;
  signal: AbortSignal;
  /** What checks found and created. Members are missing if their check failed. */
  found: {
    inspection?: Inspection;
    lead?: CrmLead;
    otherLeadId?: string | undefined;
    deal?: CrmDeal;
    otherDeal?: CrmDeal | undefined;
    activity?: string;
    /** The text with which a person sets up webhooks. */
    webhookSetup?: string | undefined;
    /** Of webhooks that exist. */
    webhookReference?: string | undefined;
    /** Whether a new deal was found again by the minute of its creation. */
    hasFoundDeal?: boolean;
  };
}

export interface Behavior {
  name: string;
  /** Throws if the CRM or its adapter behaves differently; `NotTried` if it cannot be tried. */
  holds(run: CheckRun): Promise<void>;
}

/** The first two open stages of the first pipeline. They are the same if it has one only. */
export function openStages({ found }: CheckRun): [CrmStage, CrmStage] {
  const { stages } = needed(found.inspection, 'an inspected account');
  const open = stages.filter(({ closes, pipeline }) => closes === null && pipeline === stages[0]?.pipeline);
  const first = needed(open[0], 'an open stage');
  return [first, open[1] ?? first];
}

const MAX_TRIES = 15;
const PAUSE_MS = 2000;

/** What `read` returns once it is as expected, or after half a minute: searches of vendors see changes late. */
export async function eventually<T>(
  { subject }: CheckRun,
  read: () => Promise<T>,
  isExpected: (value: T) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const value = await read();
    if (isExpected(value) || tries === MAX_TRIES) return value;
    await subject.later(PAUSE_MS);
  }
}

/** Vendors' times have whole seconds: a change after this pause has a later time. */
export const untilNextSecond = ({ subject }: CheckRun): Promise<void> => subject.later(1500);

/** An email address that only this run uses. */
export const addressOf = ({ subject: { prefix } }: CheckRun, letter: string): string =>
  `${prefix.replaceAll(' ', '-').toLowerCase()}-${letter}@example.com`;
