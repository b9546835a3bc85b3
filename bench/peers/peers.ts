// The peers by name.
import * as directus from './directus.ts';
import { type Peer, type PeerOptions, versionOf } from './peer.ts';
import * as platformatic from './platformatic.ts';
import * as postgraphile from './postgraphile.ts';

export interface PeerModule {
  start(options: PeerOptions): Promise<Peer>;
}

export const peers = { postgraphile, directus, platformatic } satisfies Record<string, PeerModule>;
export type PeerName = keyof typeof peers;

const packages: Record<PeerName, string> = {
  postgraphile: 'postgraphile',
  directus: 'directus',
  platformatic: '@platformatic/db',
};

export interface InstalledPeer {
  name: PeerName;
  version: string;
}

/** Installed peers; none before `npm run bench:peers:install`. */
export function installedPeers(): InstalledPeer[] {
  return (Object.keys(peers) as PeerName[]).flatMap((name) => {
    const version = versionOf(name, packages[name]);
    return version === undefined ? [] : [{ name, version }];
  });
}
