// The peers by name.
import type postgres from 'postgres';
import * as directus from './directus.ts';
import { type Peer, type PeerOptions, versionOf } from './peer.ts';
import * as platformatic from './platformatic.ts';

export interface PeerModule {
  start(options: PeerOptions): Promise<Peer>;
  fill(sql: postgres.Sql, rows: number): Promise<string[]>;
}

export const peers = { directus, platformatic } satisfies Record<string, PeerModule>;
export type PeerName = keyof typeof peers;

const packages: Record<PeerName, string> = { directus: 'directus', platformatic: '@platformatic/db' };

export interface InstalledPeer {
  name: PeerName;
  version: string;
}

/** Peers that can be started; none before `npm run bench:peers:install`. */
export function installedPeers(): InstalledPeer[] {
  return (Object.keys(peers) as PeerName[]).flatMap((name) => {
    const version = versionOf(packages[name]);
    return version === undefined ? [] : [{ name, version }];
  });
}
