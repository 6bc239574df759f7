import { Client } from "pg";
import type { Cluster } from "./postgres-cluster.ts";

const OWNER = "plain_owner";
const TAMPERER = "tamperer";

/**
 * Makes the administrator that RDS, Cloud SQL and the like give: it can create roles and databases, and is neither a superuser nor a
 * member of a predefined role. Answers its address. Beside it stands a role that can do the same and pass over triggers.
 */
export async function createPlainOwner({ superuserUrl, urlAs }: Cluster): Promise<(database?: string) => string> {
  const superuser = new Client({ connectionString: superuserUrl });
  await superuser.connect();
  try {
    await superuser.query(`create role ${OWNER} login createdb createrole`);
    await superuser.query(`alter database postgres owner to ${OWNER}`);
    await superuser.query(`create role ${TAMPERER} login in role ${OWNER}`);
    await superuser.query(`grant set on parameter session_replication_role to ${TAMPERER}`);
  } finally {
    await superuser.end();
  }
  return (database = "postgres") => urlAs(OWNER, database);
}

/** The same database, as the role that tests damage the journal with. */
export function asTamperer(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = TAMPERER;
  return url.href;
}
