// The life of a lead. A new one is `new`; any status follows any other, but nothing leaves `converted`.

export const leadStatuses = ['new', 'contacted', 'qualified', 'unqualified', 'converted'] as const;
export type LeadStatus = (typeof leadStatuses)[number];

/** Only converting a lead leads to it, and nothing leads away. */
export const FINAL_LEAD_STATUS = 'converted' satisfies LeadStatus;

/** What changes of leads emit. Becoming `converted` is `lead.converted`, any other status `lead.status_changed`. */
export const leadEvents = [
  'lead.created',
  'lead.updated',
  'lead.status_changed',
  'lead.converted',
  'lead.merged',
  'lead.deleted',
] as const;
