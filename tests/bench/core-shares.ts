import type { LoadResult } from "./load-job.ts";

/** Who used the two cores during a round, as shares of one core. `others` is what no part of the bench did. */
export type CoreShares = {
  proxy: number;
  provider: number;
  database: number;
  generator: number;
  othersOnProxyCore: number;
  othersOnLoadCore: number;
};

/** Kernel work and rounding of the counters look like somebody else's, up to this share. */
const NOISE_SHARE = 0.05;

export function coreSharesOf({ cpuMicros, durationMs }: LoadResult): CoreShares {
  const share = (micros: number): number => Math.max(0, micros / (durationMs * 1000));
  return {
    proxy: share(cpuMicros.proxy),
    provider: share(cpuMicros.provider),
    database: share(cpuMicros.database),
    generator: share(cpuMicros.generator),
    othersOnProxyCore: share(cpuMicros.proxyCore - cpuMicros.proxy),
    othersOnLoadCore: share(cpuMicros.loadCore - cpuMicros.provider - cpuMicros.database - cpuMicros.generator),
  };
}

/** Says so when something else ran on a core that mattered for long enough to be seen in the figures. */
export function disturbanceIn(shares: CoreShares): string | null {
  const { othersOnLoadCore } = shares;
  // Straight to the provider, nothing of the bench runs on the proxy's core.
  const othersOnProxyCore = shares.proxy === 0 ? 0 : shares.othersOnProxyCore;
  if (Math.max(othersOnProxyCore, othersOnLoadCore) <= NOISE_SHARE) return null;
  return `other work on the proxy's core ${percent(othersOnProxyCore)}, on the load's ${percent(othersOnLoadCore)}`;
}

export function describeShares(shares: CoreShares): string {
  const { proxy, provider, database, generator, othersOnProxyCore, othersOnLoadCore } = shares;
  return (
    `core 0: proxy ${percent(proxy)} others ${percent(othersOnProxyCore)}` +
    ` · core 1: provider ${percent(provider)} database ${percent(database)} generator ${percent(generator)} others ${percent(othersOnLoadCore)}`
  );
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
