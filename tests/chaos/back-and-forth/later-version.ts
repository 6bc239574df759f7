import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { editionOf, readEdition, readFunctions, readMigrations } from "../../../src/db/schema-files.ts";
import { MAIN } from "../../support/run-tollgate.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export type LaterVersion = AsyncDisposable & {
  main: string;
  version: string;
  migration: string;
  /** A table that its migration changes. */
  table: string;
};

/**
 * This program as its next minor version could be: with another version, a migration that widens the tables of running requests, and every
 * function defined anew. Its migration says that this version can serve on its tables, unless told otherwise.
 */
export async function makeLaterVersion({ compatible = true } = {}): Promise<LaterVersion> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-later-"));
  const place = dirname(MAIN);
  cpSync(place, join(folder, relative(ROOT, place)), { recursive: true });
  cpSync(join(ROOT, "schema"), join(folder, "schema"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const description = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const version = nextMinor(description.version);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...description, version }));
  const migration = await addMigration(join(folder, "schema"), compatible);
  await renewFunctions(join(folder, "schema"));
  return {
    main: join(folder, relative(ROOT, MAIN)),
    version,
    migration,
    table: "hold",
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

const nextMinor = (version: string): string => {
  const [major, minor] = version.split(".");
  return `${major}.${Number(minor) + 1}.0`;
};

async function addMigration(schema: string, compatible: boolean): Promise<string> {
  const last = (await readMigrations(schema)).at(-1)?.number ?? 0;
  const [number, before] = [last + 1, last].map((one) => String(one).padStart(4, "0"));
  const name = `${number}_later`;
  const lines = [
    "-- Why: as a later version would.",
    "-- Locks: the tables of running requests, for a moment.",
    ...(compatible ? [`-- Compatible: programs from ${before} on.`] : []),
    "alter table balance add column later_note text;",
    "alter table hold add column later_mark int not null default 7;",
    "alter table key add column later_note text;",
    "alter table model add column later_note text;",
    "create table later_thing (id int primary key);",
  ];
  writeFileSync(join(schema, `migrations/${name}.sql`), `${lines.join("\n")}\n`);
  return name;
}

/** Each has another text, so each is defined anew while requests call it; and there is one more. */
async function renewFunctions(schema: string): Promise<void> {
  for (const path of globSync("functions/**/*.sql", { cwd: schema })) {
    const sql = readFileSync(join(schema, path), "utf8");
    writeFileSync(join(schema, path), sql.replace("$$\n", "$$$$\n-- As the later version has it.\n"));
  }
  mkdirSync(join(schema, "functions/later/answer"), { recursive: true });
  writeFileSync(
    join(schema, "functions/later/answer/later_v1.sql"),
    "-- The later version alone has it.\ncreate or replace function later_v1() returns int language sql as 'select 7';\n",
  );
  const edition = await readEdition(schema);
  const next = { ...edition, edition: (edition?.edition ?? 0) + 1, sha256: editionOf(await readFunctions(schema)) };
  writeFileSync(join(schema, "edition.json"), JSON.stringify(next));
}
