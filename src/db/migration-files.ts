import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Something about the migrations that a person must put right. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

export type MigrationFile = { number: number; name: string; sha256: string; sql: string };

export type AppliedMigration = { number: number; name: string; sha256: string };

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** Reads `0001_name.sql` and its successors, in order and without a gap. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  if (names.length === 0) throw new MigrationError(`there are no migrations in ${folder}`);
  const files = await Promise.all(names.map((name) => readMigration(folder, name)));
  for (const [index, { number, name }] of files.entries()) {
    const before = files[index - 1];
    if (before?.number === number) throw new MigrationError(`${before.name} and ${name} have the same number`);
    if (number !== index + 1) throw new MigrationError(`migration ${index + 1} is missing: ${name} comes in its place`);
  }
  return files;
}

async function readMigration(folder: string, fileName: string): Promise<MigrationFile> {
  const number = FILE_NAME.exec(fileName)?.[1];
  if (number === undefined) throw new MigrationError(`${fileName} is not named like 0001_what_it_does.sql`);
  // A checkout may change line endings; that is no change of the migration.
  const sql = (await readFile(join(folder, fileName), "utf8")).replaceAll("\r\n", "\n");
  const sha256 = createHash("sha256").update(sql).digest("hex");
  return { number: Number(number), name: fileName.slice(0, -".sql".length), sha256, sql };
}

/** The files still to be applied. Throws when what was applied is not what the files say. */
export function pendingOf(files: readonly MigrationFile[], applied: readonly AppliedMigration[]): MigrationFile[] {
  for (const [index, row] of applied.entries()) {
    if (row.number !== index + 1)
      throw new MigrationError(`the database says ${row.name} was applied, but not number ${index + 1}`);
    const file = files[index];
    if (!file) {
      throw new MigrationError(
        `the database is newer than this program: it has ${row.name}; run a program that knows it`,
      );
    }
    if (file.sha256 !== row.sha256) {
      throw new MigrationError(
        `${file.name} was changed after it was applied; restore the file and write a new migration`,
      );
    }
  }
  return files.slice(applied.length);
}
