// Writes the optional members of each record into the table of docs/records.md, from the OpenAPI document of variant A.

const bodies = {
  lead: 'NewLead',
  deal: 'NewDeal',
  activity: 'NewActivity',
  user: 'NewUser',
  team: 'NewTeam',
} as const;

const NOTES: Readonly<Record<string, string>> = { member_ids: ' (only on creation)' };

interface Document {
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
}

/** The page with the last cell of each record's row in the section "Fields" rewritten: the members that the cells before do not name. */
export function withMembers(page: string, document = ''): string {
  const { schemas } = (JSON.parse(document) as Document).components;
  const withOptional = (_: string, cells: string, record: keyof typeof bodies) => {
    const members = Object.keys(schemas[bodies[record]]?.properties ?? {});
    const optional = members.filter((member) => !cells.includes(`\`${member}\``));
    return `${cells} ${optional.map((member) => `\`${member}\`${NOTES[member] ?? ''}`).join(', ')} |`;
  };
  return page.replace(/^## Fields\n[^#]*/m, (section) =>
    section.replaceAll(/^(\| (lead|deal|activity|user|team) \|.*\|)[^|\n]*\|$/gm, withOptional),
  );
}
