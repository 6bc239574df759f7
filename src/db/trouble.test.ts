import { expect, test } from "vitest";
import { DatabaseBusyError, NotPrimaryError } from "./database-error.ts";
import { troubleOf } from "./trouble.ts";

const failing = (code: string, message = "canary of a request"): Error => Object.assign(new Error(message), { code });

test.each([
  ["53100", "a disk of PostgreSQL is full"],
  ["25006", "the database is read-only"],
  ["53300", "PostgreSQL has no connection left"],
  ["55P03", "calls wait for a lock for too long"],
  ["57014", "calls take longer than database.statement_timeout_ms and are cancelled"],
  ["08006", "the connection to the database breaks"],
  ["ECONNREFUSED", "nothing listens at the address of the database"],
  ["ENOTFOUND", "the host name of the database cannot be resolved"],
  ["CERT_HAS_EXPIRED", "the TLS certificate of the database has expired"],
  ["EMFILE", "this process may open no more files"],
])("%s is said in words, with what to do", (code, words) => {
  const trouble = troubleOf(failing(code));

  expect(trouble.words).toBe(words);
  expect(trouble.fix).not.toBe("");
  expect(trouble.sqlState).toBe(/\d/.test(code) ? code : null);
});

test("no pool has a connection: the reason for which none can be made comes first", () => {
  expect(troubleOf(new DatabaseBusyError("none became free")).words).toBe("no database connection becomes free");
  expect(troubleOf(new DatabaseBusyError("none", { cause: failing("ENOTFOUND") })).words).toContain(
    "cannot be resolved",
  );
});

test("no server takes writes", () => {
  expect(troubleOf(new NotPrimaryError("db-2 is a standby")).words).toBe("no server of database.url accepts writes");
});

test("what nobody foresaw is still said to be wrong, and its message, which may quote a request, is not repeated", () => {
  for (const error of [
    failing("P0001"),
    failing("XX000"),
    failing("EWEIRD"),
    new Error("canary"),
    "canary",
    undefined,
  ]) {
    const trouble = troubleOf(error);
    expect(trouble.words).not.toBe("");
    expect(JSON.stringify(trouble)).not.toContain("canary");
  }
});
