import { inTime } from "../../core/in-time.ts";
import { createDiagnose } from "../../db/diagnose.ts";
import { whyNotAdopted } from "../../db/line/adopt-line.ts";
import { readSchemaState } from "../../db/schema/migrate.ts";
import { requireServing } from "../../db/schema/newer-schema.ts";
import { MigrationError, readFunctions, readMigrations } from "../../db/schema-files.ts";
import { readRights } from "../../db/schema/privileges.ts";
import { HANGS, troubleOf } from "../../db/trouble.ts";
import { type Check, failed, ok, skipped, warning } from "../check.ts";
import { inNumbers } from "../figures.ts";
import { configOf, databaseOf } from "../patient.ts";

const SHOWN = 5;
/** The same as a gateway rehearses, and so long it may take. */
const REHEARSE = "select rehearse_v1(true)";
const LOOK_AFTER_MS = 1_000;
const COMMIT_MS = 2_000;
/** Any will do: nobody says anything on it. */
const CHANNEL = "tollgate_doctor";

/** Whether the database has the tables, and lets this role do what a gateway does. */
export const DATABASE_CHECKS: readonly Check[] = [
  {
    id: "database-migrations",
    title: "migrations",
    finds:
      "Migrations are pending, were changed after they were applied, or come from a newer version with which this one cannot serve.",
    fix: "Run `tollgate migrate` as the owner of the tables.",
    after: ["database-reachable"],
    run: async (patient) => {
      const { schemaFolder: folder } = patient;
      try {
        const { pending, newer } = await readSchemaState(databaseOf(patient), { folder });
        requireServing(newer);
        if (newer !== null) return ok(`newer than this version, which can serve with it: it has ${newer.name}`);
        const current = (await readMigrations(folder)).at(-1)?.name ?? "";
        return pending.length === 0 ? ok(`up to date at ${current}`) : failed(`not applied: ${listed(pending)}`);
      } catch (error) {
        if (!(error instanceof MigrationError)) throw error;
        return failed(error.message, "Install the version that the message names, or restore the file it names.");
      }
    },
  },
  {
    id: "database-ledger",
    title: "charges",
    finds:
      "The server would refuse charges: its database is a copy and the ledger's current server is another one, or a clock is far off.",
    fix: "Correct database.url. After a restore, run `tollgate ledger adopt` and follow what it says.",
    after: ["database-migrations"],
    run: async (patient) => {
      const reason = await whyNotAdopted(databaseOf(patient));
      if (reason !== null) return failed(reason);
      await databaseOf(patient).ping();
      return ok("this is the ledger's current server, and it accepts charges");
    },
  },
  {
    id: "database-commits",
    title: "commits",
    finds:
      "What a request writes cannot be committed: a full disk, a lost synchronous standby, a lock, a read-only server, a missing right.",
    fix: "See the reason; docs/operate/failure-modes.md#the-ledger-is-down.",
    after: ["database-migrations"],
    run: async (patient) => {
      const database = databaseOf(patient);
      const rehearsed = database.query(REHEARSE).then(() => null, troubleOf);
      const early = await inTime(LOOK_AFTER_MS, rehearsed, HANGS);
      // Most of what makes it wait is to be seen from outside, long before it fails.
      const seen = early === HANGS ? await createDiagnose(database)().catch(() => null) : null;
      const trouble = seen ?? (early === HANGS ? await inTime(COMMIT_MS, rehearsed, HANGS) : early);
      if (trouble === null) return ok("what a request writes is committed");
      const { words, fix, sqlState } = trouble;
      return failed(sqlState === null ? words : `${words} (SQLSTATE ${sqlState})`, fix);
    },
  },
  {
    id: "database-role",
    title: "role and grants",
    finds:
      "The role lacks a right that the gateway needs, is a superuser, or may rewrite the journal; or another role may read or change the digests of keys.",
    fix: "As the owner of the tables, run `tollgate migrate --serving-role NAME` (docs/operate/database-roles.md).",
    after: ["database-migrations"],
    run: async (patient) => {
      const rights = await readRights(databaseOf(patient), await readFunctions(patient.schemaFolder));
      const { role, owner, missing, excess } = rights;
      const grant = `As ${owner}, run \`tollgate migrate --serving-role ${role}\`.`;
      if (missing.length > 0) return failed(`${role} may not ${listed(missing)}`, grant);
      if (rights.isSuperuser)
        return warning(`${role} is a superuser`, "Create a role for Tollgate: see docs/operate/database-roles.md.");
      if (excess.length > 0) return warning(`${role} may rewrite the journal: ${listed(excess)}`, grant);
      if (rights.strangers.length > 0)
        return warning(
          `the digests of keys are open to other roles: ${listed(rights.strangers)}`,
          "Keep Tollgate's tables out of schemas that a platform publishes (docs/operate/managed-postgresql.md#supabase), and revoke what these roles have.",
        );
      return ok(rights.isOwner ? `${role}, which owns the tables` : `${role}, with the rights of a serving role`);
    },
  },
  {
    id: "database-listen",
    title: "notifications",
    finds: "NOTIFY does not arrive, as through a pooler in transaction mode: changes of keys take effect late.",
    fix: "Set database.direct_url to an address of the server that does not lead through the pooler.",
    after: ["database-reachable"],
    run: async (patient) => {
      let hears: boolean | null = null;
      const listener = {
        notified: () => undefined,
        refresh: () => undefined,
        hears: (is: boolean) => void (hears = is),
      };
      const subscription = await databaseOf(patient).listen([CHANNEL], listener);
      await subscription.close();
      if (hears === null) return skipped("no notification could be sent");
      const way = configOf(patient).database.directUrl === null ? "database.url" : "database.direct_url";
      return hears ? ok(`arrive through ${way}`) : warning(`do not arrive through ${way}: is it a pooler?`);
    },
  },
];

function listed(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(", ")}${rest > 0 ? ` and ${inNumbers(rest)} more` : ""}`;
}
