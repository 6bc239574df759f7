/** What tests need to run on real PostgreSQL servers of their own. */
export { whyUnavailable } from "./postgres-binaries.ts";
export { startCluster, runAsServer, type Cluster } from "./postgres-cluster.ts";
export { freshDatabase, type FreshDatabase } from "./fresh-database.ts";
