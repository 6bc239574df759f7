import { Client } from "pg";

/** One thing that operators look at. */
export type OperatorRead = { kind: "list" | "series" | "export" | "lookup"; name: string; path: string };

const DAY_MS = 86_400_000;

type Planted = { key: string; account: string; team: string; request: string; model: string };

/** What was planted and is asked for: the busiest key, its accounts, and a request from the middle of the records. */
const PLANTED = `
  select k.key_id::text as key, k.accounts[1]::text as account, k.accounts[2]::text as team,
         (select id::text from request where key_id = k.key_id and code = 'ok'
            and id >= uuid_floor(now() - interval '15 days') order by id limit 1) as request,
         (select model from request where key_id = k.key_id and model is not null order by id desc limit 1) as model
    from planted_key k order by k.n limit 1`;

/** Every list, series, export page and lookup of the admin API over what was planted. */
export async function operatorReads(databaseUrl: string): Promise<OperatorRead[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Planted>(PLANTED);
  await client.end();
  const [planted] = rows;
  if (planted === undefined) throw new Error("nothing was planted: run tests/bench/plant-records.ts first");
  return [...lists(planted), ...series(planted), ...exportsAndLookups(planted)];
}

const lists = ({ key, account, team, model }: Planted): OperatorRead[] =>
  (
    [
      ["keys", "keys?limit=100"],
      ["accounts", "accounts?limit=100"],
      ["models", "models?limit=100"],
      ["providers", "providers?limit=100"],
      ["notices", "notices?limit=100"],
      ["audit", "audit?limit=100"],
      ["audit of a team", `audit?limit=100&account=${team}`],
      ["audit of an organisation", `audit?limit=100&account=${account}`],
      ["people", "people?limit=100"],
      ["quarantine", "ledger/quarantine?limit=100"],
      ["live", "live"],
      ["requests", "requests?limit=100"],
      ["requests, 1,000 rows", "requests?limit=1000"],
      ["requests of 20 days ago", `requests?limit=100&to=${ago(20)}`],
      ["requests of a key", `requests?limit=100&key=${key}`],
      ["requests of a team", `requests?limit=100&account=${team}`],
      ["requests of an organisation", `requests?limit=100&account=${account}`],
      ["requests of a model", `requests?limit=100&model=${model}`],
      ["requests with status 429", "requests?limit=100&status=429"],
      ["requests with a rare code", "requests?limit=100&code=internal_error"],
      ["requests, three filters", `requests?limit=100&account=${team}&model=${model}&code=upstream_error`],
      ["journal of a key", `keys/${key}/journal?limit=100`],
      ["journal of a team", `accounts/${team}/journal?limit=100`],
      ["journal of an organisation", `accounts/${account}/journal?limit=100`],
    ] as const
  ).map(([name, path]) => ({ kind: "list", name, path }));

const series = ({ key, account, team, model }: Planted): OperatorRead[] => [
  ...(
    [
      ["an hour", 1 / 24],
      ["a day", 1],
      ["7 days", 7],
      ["30 days", 30],
    ] as const
  ).flatMap(([span, days]) =>
    (
      [
        ["all", ""],
        ["organisation", `&account=${account}`],
        ["team", `&account=${team}`],
        ["key", `&key=${key}`],
      ] as const
    ).map(([name, of]) => ({
      kind: "series" as const,
      name: `${name}, ${span}`,
      path: `series?from=${ago(days)}&to=${ago(0)}${of}`,
    })),
  ),
  ...[1, 7, 30].flatMap((days) =>
    ["model", "provider", "code", "account", "key"].map((by) => ({
      kind: "series" as const,
      name: `organisation by ${by}, ${days === 1 ? "a day" : `${days} days`}`,
      path: `series?from=${ago(days)}&to=${ago(0)}&account=${account}&by=${by}`,
    })),
  ),
  ...[1, 7, 30].flatMap((days) =>
    ["provider", "code", "account", "key"].map((by) => ({
      kind: "series" as const,
      name: `a model by ${by}, ${days === 1 ? "a day" : `${days} days`}`,
      path: `series?from=${ago(days)}&to=${ago(0)}&model=${model}&by=${by}`,
    })),
  ),
  { kind: "series", name: "usage of all, 30 days", path: "usage?days=30" },
  {
    kind: "series",
    name: "usage of an organisation by key, 30 days",
    path: `accounts/${account}/usage?days=30&by=key`,
  },
  { kind: "series", name: "usage of a key, 30 days", path: `keys/${key}/usage?days=30` },
];

const exportsAndLookups = ({ key, account, request, model }: Planted): OperatorRead[] => [
  { kind: "export", name: "audit log of a day as CSV", path: `audit/export.csv?from=${ago(3)}&to=${ago(2)}` },
  {
    kind: "export",
    name: "statement of an organisation",
    path: `accounts/${account}/statements/${ago(0).slice(0, 7)}`,
  },
  { kind: "lookup", name: "a request", path: `requests/req_${request.replaceAll("-", "")}` },
  { kind: "lookup", name: "a key", path: `keys/${key}` },
  { kind: "lookup", name: "credit outstanding", path: "ledger/outstanding" },
  { kind: "lookup", name: "a model", path: `models/${model}` },
  { kind: "lookup", name: "an account", path: `accounts/${account}` },
];

/** To the minute, as people ask. */
function ago(days: number): string {
  const ms = Date.now() - days * DAY_MS;
  return new Date(ms - (ms % 60_000)).toISOString();
}
