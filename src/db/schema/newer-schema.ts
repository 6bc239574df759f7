import { type AppliedMigration, type Edition, MigrationError } from "../schema-files.ts";

/** As the database has it; `servesFrom` and `program` as of a migration. */
export type AppliedEdition = {
  edition: number;
  sha256: string;
  servesFrom: number | null;
  program: string | null;
  appliedAt: Date;
};

/**
 * What a newer program has applied to the database. `name`: the first of it, or the first that keeps this program from serving. `serves`:
 * whether this program can serve. `program`: the version that was the last to apply anything, so it can serve; null: it is not known.
 */
export type Newer = { name: string; serves: boolean; program: string | null };

type Program = { migration: number; edition: Edition | null };
type Unknown = { name: string; serves: boolean; program: string | null; appliedAt: Date };

/**
 * Of what the database has, the part that this program does not know, and whether each of it lets this program serve. What does not say so
 * does not.
 */
export function newerThan(
  { migration, edition }: Program,
  database: { migrations: readonly AppliedMigration[]; editions: readonly AppliedEdition[] },
): Newer | null {
  const unknown: Unknown[] = [
    ...database.migrations.map(({ number, name, servesFrom, ...rest }) => ({
      ...rest,
      name,
      serves: (servesFrom ?? number) <= migration,
    })),
    ...database.editions
      .filter((one) => edition !== null && one.edition > edition.edition)
      .map(({ edition: number, servesFrom, ...rest }) => ({
        ...rest,
        name: `functions of edition ${number}`,
        serves: (servesFrom ?? number) <= (edition?.edition ?? 0),
      })),
  ];
  const [first] = unknown;
  if (first === undefined) return null;
  const inTheWay = unknown.find(({ serves }) => !serves);
  const last = unknown.reduce((one, other) => (other.appliedAt >= one.appliedAt ? other : one));
  return { name: (inTheWay ?? first).name, serves: inTheWay === undefined, program: last.program };
}

/** What an older program says that has changed nothing. */
export const newerThanThis = (newer: Newer): string =>
  `The database is newer than this program: it has ${newer.name}. Nothing was changed. ${
    newer.serves ? "This program can serve with it." : `This program cannot serve with it: ${adviceFor(newer)}.`
  }`;

export function requireServing(newer: Newer | null): void {
  if (newer === null || newer.serves) return;
  throw new MigrationError(
    `the database is newer than this program: it has ${newer.name}, with which this program cannot serve; ${adviceFor(newer)}`,
  );
}

const adviceFor = ({ program }: Newer): string =>
  program === null ? "install the version that applied it" : `install Tollgate ${program} or newer`;
