import type { SystemStatus } from "../api/generated/admin.ts";

const COMMIT_DIGITS = 12;

type Build = Pick<SystemStatus, "version" | "commit" | "schema">;

/** What runs, for a line at the foot of every page. */
export function buildWords({ version, commit, schema: { migration, edition } }: Build): string {
  const built = commit === null ? `Tollgate ${version}` : `Tollgate ${version} (${commit.slice(0, COMMIT_DIGITS)})`;
  const functions = edition === null ? "" : `, functions of edition ${edition}`;
  return `${built} · schema ${migration}${functions}`;
}
