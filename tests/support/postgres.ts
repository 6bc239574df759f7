/** What tests need to run on real PostgreSQL servers of their own. */
export { whyUnavailable, type PostgresVersion } from "./postgres-binaries.ts";
export { startCluster, runAsServer, type Cluster, type ClusterOptions } from "./postgres-cluster.ts";
export { freshDatabase, type FreshDatabase } from "./fresh-database.ts";
