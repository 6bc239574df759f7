import { queryOptions, useQuery } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";
import type { Account, ListedKey, Model, Provider, RequestRow } from "../../api/generated/admin.ts";
import { accountsQuery } from "../accounts/accounts-query.ts";

export const STEPS = ["owner", "provider", "models", "key", "request"] as const;
export type Step = (typeof STEPS)[number];

/** What there is of a new gateway. All of it is read from the API: the steps can be left and taken up again, here or by command. */
export type Setup = {
  providers: readonly Provider[];
  models: readonly Model[];
  accounts: readonly Account[];
  keys: readonly ListedKey[];
  /** The last request that was answered; null: none was. */
  request: RequestRow | null;
};

const MOST = 1000;
const FEW = 100;
const ASKED_EVERY_MS = 3000;

const providersQuery = queryOf("GET /admin/v1/providers", { query: { limit: MOST } });
const modelsQuery = queryOf("GET /admin/v1/models", { query: { limit: MOST } });
const keysQuery = queryOf("GET /admin/v1/keys", { query: { limit: FEW } });
export const lastRequestQuery = queryOptions({
  ...queryOf("GET /admin/v1/requests", { query: { limit: 1, code: "ok" } }),
  refetchInterval: ({ state }) => ((state.data?.data.length ?? 0) > 0 ? false : ASKED_EVERY_MS),
});

/** `setup` is undefined until all of it has come. */
export function useSetup(): { setup: Setup | undefined; error: Error | null; retry: () => void } {
  const [providers, models, accounts, keys, requests] = [
    useQuery(providersQuery),
    useQuery(modelsQuery),
    useQuery(accountsQuery),
    useQuery(keysQuery),
    useQuery(lastRequestQuery),
  ];
  const all = [providers, models, accounts, keys, requests];
  const retry = (): void => void Promise.all(all.map(({ refetch }) => refetch()));
  const error = all.find((one) => one.error !== null)?.error ?? null;
  if (!providers.data || !models.data || !accounts.data || !keys.data || !requests.data)
    return { setup: undefined, error, retry };
  const setup = {
    providers: providers.data.data,
    models: models.data.data,
    accounts: accounts.data,
    keys: keys.data.data.filter(({ status }) => status === "active"),
    request: requests.data.data[0] ?? null,
  };
  return { setup, error, retry };
}

export const isUsable = ({ published, obstacles }: Model): boolean => published && obstacles.length === 0;

export const isDone = (step: Step, { providers, models, keys, request }: Setup): boolean =>
  ({
    owner: true,
    provider: providers.some(({ credential_problem: problem }) => problem === null),
    models: models.some(isUsable),
    key: keys.length > 0,
    request: request !== null,
  })[step];

/** Where to go on; null: all is done. */
export const nextStep = (setup: Setup): Step | null => STEPS.find((step) => !isDone(step, setup)) ?? null;
