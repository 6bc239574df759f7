import type { Usage } from "./usage.ts";

/** Who used the two cores during a slice, as shares of one core. `others` is what no part of the bench did. */
export type CoreShares = {
  subject: number;
  database: number;
  load: number;
  othersOnProxyCore: number;
  othersOnLoadCore: number;
};

export function coreSharesOf(used: Usage, elapsedMs: number): CoreShares {
  const share = (micros: number): number => Math.max(0, micros / (elapsedMs * 1000));
  const subject = used.subject.mainMicros + used.subject.otherMicros;
  return {
    subject: share(subject),
    database: share(used.databaseMicros),
    load: share(used.loadMicros),
    othersOnProxyCore: share(used.proxyCoreMicros - subject),
    othersOnLoadCore: share(used.loadCoreMicros - used.loadMicros - used.databaseMicros),
  };
}

export function describeShares({ subject, database, load, othersOnProxyCore, othersOnLoadCore }: CoreShares): string {
  return (
    `core 0: itself ${percent(subject)} others ${percent(othersOnProxyCore)}` +
    ` · core 1: load ${percent(load)} PostgreSQL ${percent(database)} others ${percent(othersOnLoadCore)}`
  );
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
