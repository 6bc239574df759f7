/** Where a route runs, in a word of the operator's. Not `any`, which prices say for everywhere, nor what commands say for all and none. */
export const REGION = /^(?!(?:any|all|none)$)[a-z0-9][a-z0-9_-]{0,39}$/;

/** What a key and the accounts above it allow; null: anywhere. */
export type RegionLimits = { regions: readonly string[] | null; accountRegions: readonly string[] | null };

/** The regions that a key and all accounts above it allow; null: anywhere. */
export const allowedRegions = ({ regions, accountRegions }: RegionLimits): readonly string[] | null =>
  regions === null ? accountRegions : regions.filter((region) => accountRegions?.includes(region) ?? true);

/** Where nothing is limited, anything may be called. Else where a route runs has to be known. */
export const mayRun = (allowed: readonly string[] | null, { region }: { region?: string | null }): boolean =>
  allowed === null || (region !== null && region !== undefined && allowed.includes(region));

/** The routes that may be called. */
export const routesIn = <Route extends { region?: string | null }>(
  allowed: readonly string[] | null,
  routes: readonly Route[],
): readonly Route[] => (allowed === null ? routes : routes.filter((route) => mayRun(allowed, route)));
