import { Pool } from "undici";
import type { Overhear } from "../core/request/overhear.ts";

export type Pools = {
  /** Listens to every call; absent, nobody does. */
  overhear?: Overhear | undefined;
  of: (origin: string, connectTimeoutMs: number) => Pool;
  /** Whether it has as many connections as it may have. */
  isFull: (pool: Pool) => boolean;
  close: () => Promise<void>;
};

type PoolsOptions = { connectionsPerOrigin: number; overhear?: Overhear | undefined };

/** One pool of connections per provider origin. Origins come from the catalogue, so there are few. */
export function createPools({ connectionsPerOrigin, overhear }: PoolsOptions): Pools {
  const pools = new Map<string, Pool>();
  return {
    overhear,
    of: (origin, connectTimeoutMs) => {
      const name = `${origin} ${connectTimeoutMs}`;
      let pool = pools.get(name);
      if (!pool) {
        pool = new Pool(origin, {
          connections: connectionsPerOrigin,
          pipelining: 1,
          // Over HTTP/2 a hundred answers share a connection, and new calls are put on it for as long as nobody has noticed that
          // it is dead: where a middlebox forgets one in silence, all of them would time out.
          allowH2: false,
          connect: { timeout: connectTimeoutMs },
          keepAliveTimeout: 30_000,
        });
        pools.set(name, pool);
      }
      return pool;
    },
    isFull: (pool) => pool.stats.connected >= connectionsPerOrigin,
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}
