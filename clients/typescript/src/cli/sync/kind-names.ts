// What the command line can sync, apart from the rules, which are loaded when a file is read.
export const kindNames = ['activities', 'collaborators', 'leads', 'deals'] as const;
export type KindName = (typeof kindNames)[number];
export type RecordsKindName = Extract<KindName, 'leads' | 'deals'>;

export const isRecordsKind = (name: KindName): name is RecordsKindName =>
  name === 'leads' || name === 'deals';
