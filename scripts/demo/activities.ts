// The CRM's report: collaborators and their activities.
import type { Placar } from '../../clients/typescript/src/index.ts';
import type { Made } from './create-demo-data.ts';
import { people } from './people.ts';

/** Number of activities per person and code: the demo missions' codes, and one code without a mission. */
const DONE: readonly Record<string, number>[] = [
  { '001': 9, '002': 6, '003': 4 },
  { '001': 7, '002': 8, '003': 2 },
  { '001': 11, '002': 3, '003': 3 },
  { '001': 4, '002': 4, '003': 1 },
  { '001': 12, '002': 5, '003': 5 },
  { '001': 6, '002': 1 },
  { '001': 3, '002': 2, '003': 1, '950': 1 },
  { '001': 2 },
];

export async function reportActivities(placar: Placar): Promise<Made> {
  const collaborators = await placar.collaborators.sync(
    people.map(({ name, email, team }, index) => ({ external_id: `crm-${index + 1}`, name, email, team })),
  );
  const activities = await placar.activities.sync(
    people.flatMap(({ email }, index) =>
      Object.entries(DONE[index] ?? {}).flatMap(([code, times]) =>
        Array.from({ length: times }, (_, count) => ({
          activity_code: code,
          external_id: `demo-${index}-${code}-${count}`,
          collaborator_email: email,
        })),
      ),
    ),
  );
  return { collaborators: collaborators.created, activities: activities.processed };
}
