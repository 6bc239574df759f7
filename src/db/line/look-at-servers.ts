import { hostOf, splitHosts } from "../postgres/host-list.ts";
import { askServer } from "../postgres/postgres-client.ts";

/** What one listed server said. `error` is why it said nothing. */
export type ServerLook = { host: string; state: "primary" | "standby" | "unreachable"; error: unknown };

type Limits = { connectTimeoutMs: number; statementTimeoutMs: number };

/** Asks every server that a URL lists, each on a connection of its own. Changes nothing. */
export const lookAtServers = (url: string, limits: Limits): Promise<ServerLook[]> =>
  Promise.all(
    splitHosts(url).map(async (one): Promise<ServerLook> => {
      const host = hostOf(one);
      try {
        return { host, state: (await askServer(one, limits)) === null ? "standby" : "primary", error: null };
      } catch (error) {
        return { host, state: "unreachable", error };
      }
    }),
  );
