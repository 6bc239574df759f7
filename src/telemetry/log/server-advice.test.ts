import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Replication, ServerFacts } from "../../core/server-facts.ts";
import { adviceOn } from "./server-advice.ts";

const SYNCHRONOUS: Replication = {
  synchronousCommit: "on",
  synchronousStandbyNames: "ANY 1 (*)",
  standbys: 1,
  synchronousStandbys: 1,
  candidates: 1,
};
const SOUND: ServerFacts = {
  role: "tollgate",
  pooled: false,
  sessionDefaults: { statementTimeoutMs: 0, idleTransactionTimeoutMs: 0, isolation: "read committed" },
  wanted: { statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 10_000 },
  storage: "own",
  fsync: true,
  fullPageWrites: true,
  clockAheadMs: 0,
  clockErrorMs: 1,
  certificates: [],
  readAtMs: Date.UTC(2026, 0, 1),
  replication: SYNCHRONOUS,
};
const replicated = (change: Partial<Replication>): ServerFacts => ({
  ...SOUND,
  replication: { ...SYNCHRONOUS, ...change },
});
const limited = (statementTimeoutMs: number, idleTransactionTimeoutMs: number): ServerFacts => ({
  ...SOUND,
  pooled: true,
  sessionDefaults: { statementTimeoutMs, idleTransactionTimeoutMs, isolation: "read committed" },
});

/** With a certificate that lives for so many days and ends in so many. */
const ending = (usedFor: "database" | "database_client", days: number, ofDays = 90): ServerFacts => {
  const endsAtMs = SOUND.readAtMs + days * 86_400_000;
  return { ...SOUND, certificates: [{ usedFor, host: "", beginsAtMs: endsAtMs - ofDays * 86_400_000, endsAtMs }] };
};

test("a sound server is told nothing", () => {
  expect(adviceOn(SOUND)).toEqual([]);
});

test("Neon is told nothing of a disk and of standbys, since its storage servers keep the commits", () => {
  const neon = { ...replicated({ standbys: 0, synchronousStandbys: 0 }), storage: "neon", fsync: false } as const;

  expect(adviceOn(neon)).toEqual([]);
  expect(adviceOn({ ...neon, replication: { ...neon.replication, synchronousCommit: "off" } })).toMatchObject([
    { finding: "standby_unawaited" },
  ]);
});

test("a standby that the server does not show is taken to be there where commits wait for it", () => {
  expect(adviceOn(replicated({ standbys: null, synchronousStandbys: null }))).toEqual([]);
});

const FOUND: [facts: ServerFacts, level: string, finding: string, words: RegExp, fix: RegExp][] = [
  [{ ...SOUND, fsync: false }, "warn", "fsync_off", /charges can be lost/, /fsync = on/],
  [{ ...SOUND, fullPageWrites: false }, "warn", "full_page_writes_off", /damage/, /full_page_writes = on/],
  [
    replicated({ synchronousStandbyNames: "", standbys: 0, synchronousStandbys: 0 }),
    "info",
    "no_standby",
    /unless the storage is replicated/,
    /Archive WAL/,
  ],
  [
    replicated({ synchronousStandbyNames: "", standbys: null, synchronousStandbys: null }),
    "info",
    "standbys_unseen",
    /does not show its standbys to tollgate/,
    /managed-postgresql/,
  ],
  [
    replicated({ synchronousStandbyNames: " ", synchronousStandbys: 0 }),
    "warn",
    "standby_unnamed",
    /failover can lose/,
    /synchronous_standby_names/,
  ],
  [
    replicated({ synchronousCommit: "local" }),
    "warn",
    "standby_unawaited",
    /synchronous_commit is local/,
    /alter role "tollgate" set synchronous_commit = 'on';/,
  ],
  [replicated({ synchronousCommit: "off" }), "warn", "standby_unawaited", /synchronous_commit is off/, /alter role/],
  [replicated({ synchronousStandbys: 0 }), "warn", "standby_absent", /every charge waits/, /Start the standby/],
  [
    replicated({ standbys: 0, synchronousStandbys: null }),
    "warn",
    "standby_absent",
    /every charge waits/,
    /Start the standby/,
  ],
  [
    replicated({ synchronousStandbyNames: "ANY 2 (a, b, c)" }),
    "warn",
    "standby_absent",
    /waits for 2 synchronous standbys, and 1/,
    /Start the standbys/,
  ],
  [
    replicated({ synchronousStandbyNames: "FIRST 1 (a, b)" }),
    "warn",
    "standby_spare",
    /not connected \(1\): if one more is lost, every charge waits/,
    /take it out of synchronous_standby_names/,
  ],
  [{ ...SOUND, clockAheadMs: 3_240 }, "warn", "clock", /clock is 3\.2 s ahead of/, /NTP/],
  [{ ...SOUND, clockAheadMs: -61_000 }, "warn", "clock", /clock is 61\.0 s behind this/, /NTP/],
  [ending("database", 13), "warn", "certificate", /server ends on 2026-01-14/, /Renew it/],
  [ending("database_client", 2), "warn", "client_certificate", /client certificate .* 2026-01-03/, /restart Tollgate/],
  [
    { ...SOUND, sessionDefaults: { ...SOUND.sessionDefaults, isolation: "serializable" } },
    "warn",
    "isolation",
    /tollgate are serializable/,
    /alter role "tollgate" set default_transaction_isolation = 'read committed';/,
  ],
  [
    limited(0, 0),
    "warn",
    "pooled_without_limits",
    /no timeouts/,
    /alter role "tollgate" set statement_timeout = '5000ms'; alter role "tollgate" set idle_in_transaction_session_timeout = '10000ms';/,
  ],
  [limited(5_000, 0), "warn", "pooled_without_limits", /no timeouts/, /alter role/],
  [limited(600_000, 10_000), "warn", "pooled_without_limits", /no timeouts/, /alter role/],
];

test.each(FOUND)("%j is told, with the fix (%s %s)", (facts, level, finding, words, fix) => {
  expect(adviceOn(facts)).toEqual([
    { level, finding, message: expect.stringMatching(words) as string, fix: expect.stringMatching(fix) as string },
  ]);
});

test.each<[why: string, facts: ServerFacts]>([
  ["its clock is off by less than a second", { ...SOUND, clockAheadMs: 990 }],
  ["a slow answer leaves its clock in doubt", { ...SOUND, clockAheadMs: 1_900, clockErrorMs: 1_000 }],
  [
    "the role may not see which standby is synchronous, and one is connected",
    replicated({ synchronousStandbys: null }),
  ],
  [
    "every standby that is named is connected",
    replicated({ synchronousStandbyNames: 'FIRST 1 ("a, b", c)', standbys: 2, candidates: 2 }),
  ],
  ["a certificate has 15 days left", ending("database", 15)],
  ["a certificate of six days has three left", ending("database", 3, 6)],
  ["a pooler's sessions have limits of their own", limited(5_000, 10_000)],
  ["they are a little looser than ours", limited(15_000, 30_000)],
])("nothing is told when %s", (_why, facts) => {
  expect(adviceOn(facts)).toEqual([]);
});

test("the page about failures has a row for each finding, and no other", () => {
  const page = readFileSync(new URL("../../../docs/operate/failure-modes.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (info|warn) \|/gm)].map(([, finding, level]) => `${finding} ${level}`);

  expect(rows.toSorted()).toEqual([...new Set(FOUND.map(([, level, finding]) => `${finding} ${level}`))].toSorted());
});

test("a role with a quote in its name is quoted in what is to be run", () => {
  const [advice] = adviceOn({ ...limited(0, 0), role: 'odd"name' });

  expect(advice?.fix).toContain('alter role "odd""name" set');
});
