// The optional texts of a lead, in the order in which they are shown. Schemas, responses, the console and tests derive from this list.

/** What each text means, where its name does not say it. */
export const leadTexts = {
  phone: null,
  company: null,
  position: null,
  source: 'Where the lead came from.',
} as const;

export type LeadText = keyof typeof leadTexts;

export const leadTextNames = Object.keys(leadTexts) as LeadText[];
