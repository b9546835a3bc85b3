// The lifecycle of a lead. A new lead is `new`. Any status can change to any other, except that `converted` is final.

export const leadStatuses = ['new', 'contacted', 'qualified', 'unqualified', 'converted'] as const;
export type LeadStatus = (typeof leadStatuses)[number];

/** Set only by converting the lead, and final. */
export const FINAL_LEAD_STATUS = 'converted' satisfies LeadStatus;

/** Events of leads. Converting emits `lead.converted`; any other status change emits `lead.status_changed`. */
export const leadEvents = [
  'lead.created',
  'lead.updated',
  'lead.status_changed',
  'lead.converted',
  'lead.merged',
  'lead.deleted',
] as const;
