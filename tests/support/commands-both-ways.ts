/** One command that is run on the database and through the admin API, to things of its own each time. */
export type Row = {
  command: string;
  /** `WAY` is a word that differs between the two; `$name` is what an earlier row or a file has kept. */
  words?: readonly string[];
  /** What it reads is the same for both, to the letter. */
  same?: true;
  keep?: Readonly<Record<string, (answer: never) => string>>;
  /** By name; their paths are kept under it without its dot. */
  files?: Readonly<Record<string, string>>;
  /** What is piped in. */
  input?: string;
  /** The exit code; 0 unless told. */
  code?: number;
};

const json = (...words: string[]): string[] => [...words, "--json"];
const status = (command: string, target: string): Row => ({ command, words: json(target) });
const prefix = ({ key }: { key: { prefix: string } }): string => key.prefix;

const MONTH = new Date().toISOString().slice(0, 7);
const CATALOGUE = JSON.stringify({
  providers: [{ name: "acme-WAY", base_url: "http://127.0.0.1:9/v1", credential: "none" }],
  models: [
    {
      id: "fast-WAY",
      provider: "acme-WAY",
      max_output_tokens: 4096,
      price: { input: "1", output: "2" },
      routes: [{ provider: "acme-WAY", upstream_model: "m", format: "chat", cost: { input: "0.4", output: "0.8" } }],
    },
  ],
});
const PRICES = JSON.stringify({
  "listed-WAY": {
    litellm_provider: "acme",
    mode: "chat",
    input_cost_per_token: 0.000001,
    output_cost_per_token: 0.000002,
    max_input_tokens: 1000,
    max_output_tokens: 1000,
  },
});
const LITELLM_KEY = JSON.stringify({
  token: "a".repeat(64),
  key_alias: "old",
  key_name: "sk-...abcd",
  spend: 0,
  max_budget: 5,
  models: [],
});
const LITELLM = `model_list:
  - model_name: gpt-WAY
    litellm_params: { model: openai/gpt-4.1-mini, api_key: os.environ/OPENAI_API_KEY }
`;

/** In this order: later ones use what earlier ones made. */
export const BOTH_WAYS: readonly Row[] = [
  { command: "accounts create", words: json("Org-WAY", "--kind", "organisation") },
  { command: "accounts create", words: json("Org-WAY/Team", "--kind", "team") },
  { command: "accounts create", words: json("Org-WAY/Other", "--kind", "team") },
  { command: "accounts topup", words: json("Org-WAY", "100", "--ref", "paid-WAY") },
  { command: "accounts limit", words: json("Org-WAY/Team", "50", "--period", "day") },
  { command: "accounts tiers", words: json("Org-WAY/Team", "flex,priority") },
  { command: "accounts regions", words: json("Org-WAY/Team", "eu,ch") },
  { command: "catalogue apply", words: json("$cataloguejson"), files: { "catalogue.json": CATALOGUE } },
  { command: "keys create", words: json("--account", "Org-WAY/Team", "--label", "ann"), keep: { key: prefix } },
  { command: "keys create", words: json("--label", "lone"), keep: { lone: prefix } },
  { command: "keys create", words: json("--mode", "token_budget", "--budget", "5000"), keep: { tokens: prefix } },
  { command: "keys show", words: json("$key") },
  { command: "keys list", words: json("--all"), same: true },
  status("keys suspend", "$key"),
  status("keys resume", "$key"),
  status("keys disable", "$key"),
  status("keys enable", "$key"),
  { command: "keys update", words: json("$key", "--rpm", "60", "--label", "Ann") },
  { command: "keys rotate", words: json("$key", "--overlap", "0"), keep: { key: prefix } },
  { command: "keys limit", words: json("$key", "5", "--period", "day") },
  { command: "keys move", words: json("$key", "--to", "Org-WAY/Other") },
  { command: "keys adopt", words: json("$lone", "--into", "Org-WAY/Team") },
  { command: "keys import", words: json("$keysjsonl", "--from", "litellm"), files: { "keys.jsonl": LITELLM_KEY } },
  { command: "topup", words: json("$key", "5", "--ref", "key-paid-WAY"), code: 1 },
  { command: "budget", words: json("$tokens", "7000", "--ref", "budget-WAY") },
  { command: "usage", words: json("$key") },
  { command: "usage", words: json(), same: true },
  { command: "accounts list", words: json("--all"), same: true },
  { command: "accounts show", words: json("Org-WAY") },
  { command: "accounts move", words: json("Org-WAY/Other", "--name", "Ads") },
  status("accounts suspend", "Org-WAY/Ads"),
  status("accounts resume", "Org-WAY/Ads"),
  status("accounts disable", "Org-WAY/Ads"),
  status("accounts enable", "Org-WAY/Ads"),
  { command: "accounts statement", words: json("Org-WAY", "--month", MONTH) },
  { command: "accounts close-purse", words: json("Org-WAY"), code: 1 },
  {
    command: "accounts import",
    words: json("$peoplecsv"),
    files: { "people.csv": "account,kind\nOrg-WAY/Bo,person\n" },
  },
  { command: "accounts create", words: json("Org-WAY/Team/Ann", "--kind", "person") },
  { command: "people add", words: json("ann-WAY@x.example", "--role", "operator", "--at", "Org-WAY/Team") },
  { command: "people add", words: json("not an address"), code: 1 },
  { command: "people list", words: json("--all"), same: true },
  { command: "people show", words: json("ann-WAY@x.example") },
  { command: "people update", words: json("ann-WAY@x.example", "--name", "Ann", "--account", "Org-WAY/Team/Ann") },
  { command: "people grant", words: json("ann-WAY@x.example", "viewer") },
  { command: "people grant", words: json("ann-WAY@x.example", "viewer") },
  { command: "people revoke", words: json("ann-WAY@x.example", "operator", "--at", "Org-WAY/Team") },
  { command: "people password", words: json("ann-WAY@x.example"), input: "a phrase of some length" },
  { command: "people password", words: json("ann-WAY@x.example"), input: "too short", code: 1 },
  {
    command: "tokens create",
    words: json("ann-WAY@x.example", "--name", "nightly", "--role", "viewer", "--days", "30"),
    keep: { token: ({ token }: { token: { id: string } }) => token.id },
  },
  { command: "tokens list", words: json("--all"), same: true },
  { command: "tokens list", words: json("--person", "ann-WAY@x.example") },
  { command: "tokens revoke", words: json("$token") },
  { command: "sessions list", words: json("ann-WAY@x.example") },
  { command: "sessions end", words: json("ann-WAY@x.example") },
  {
    command: "sessions end",
    words: json("ann-WAY@x.example", "--except", "019fbe00-0000-7000-8000-000000000000"),
  },
  { command: "clients list", words: json("--all"), same: true },
  { command: "clients list", words: json("--person", "ann-WAY@x.example") },
  { command: "clients list", words: json("--account", "Org-WAY") },
  { command: "clients end", words: json("ann-WAY@x.example") },
  {
    command: "clients end",
    words: json("ann-WAY@x.example", "019fbe00-0000-7000-8000-000000000000"),
  },
  { command: "people remove", words: json("ann-WAY@x.example") },
  { command: "people remove", words: json("ann-WAY@x.example"), code: 1 },
  { command: "notices list", words: json(), same: true },
  { command: "notices list", words: json("--account", "Org-WAY", "--state", "dead", "--cause", "used") },
  { command: "notices endpoints", words: json() },
  { command: "notices test", words: json(), code: 1 },
  { command: "notices retry", words: json("--all") },
  { command: "notices thresholds", words: json("Org-WAY/Team", "50,80") },
  { command: "ledger show", words: json("--account", "Org-WAY") },
  { command: "ledger outstanding", words: json(), same: true },
  { command: "ledger move", words: json("1"), code: 1 },
  { command: "ledger verify", words: json(), same: true },
  { command: "ledger verifications", words: json() },
  { command: "costs set", words: json("acme-WAY", "m", "--input", "0.5", "--output", "1", "--from", "2026-11-01") },
  { command: "costs set", words: json("acme-WAY", "unknown", "--input", "0.5", "--output", "1"), code: 1 },
  {
    command: "reconcile",
    words: json("$usagecsv", "--day", "2026-11-16", "--map", "$namesyaml"),
    files: {
      "usage.csv": "date,meterName,meterCategory,unitOfMeasure,quantity\n2026-11-16,in,Foundry Models,1M,0.5\n",
      "names.yaml": "azure: { provider: acme-WAY, names: { in: { model: m, kind: input } } }\n",
    },
    code: 1,
  },
  { command: "costs list", words: json(), same: true },
  { command: "costs remove", words: json("acme-WAY", "m") },
  { command: "margins", words: json("--from", "2026-11-01", "--to", "2026-11-02"), same: true },
  { command: "ledger quarantine list", words: json(), same: true },
  { command: "ledger quarantine release", words: json("req_019a84d2c6b87c1e9d3f0a5b7e2c4d60"), code: 1 },
  { command: "catalogue prices", words: json("fast-WAY") },
  { command: "providers add", words: json("bolt-WAY", "--url", "http://127.0.0.1:9/v1", "--credential", "none") },
  { command: "providers list", words: json(), same: true },
  { command: "providers test", words: json("bolt-WAY", "--model", "m"), code: 1 },
  { command: "providers rekey", words: json(), code: 1 },
  { command: "providers remove", words: json("bolt-WAY") },
  {
    command: "models add",
    words: json(
      "slow-WAY",
      "--provider",
      "acme-WAY",
      "--upstream-model",
      "s",
      "--format",
      "chat",
      "--context",
      "1000",
      "--max-output",
      "1000",
      "--input",
      "1",
      "--output",
      "2",
    ),
  },
  { command: "models list", words: json(), same: true },
  { command: "models show", words: json("slow-WAY") },
  { command: "models price", words: json("slow-WAY", "--input", "3") },
  { command: "models unpublish", words: json("slow-WAY") },
  { command: "models publish", words: json("slow-WAY") },
  { command: "models routes", words: json("slow-WAY") },
  { command: "models alarms", words: json("slow-WAY") },
  {
    command: "models import",
    words: json("$pricesjson", "--from", "litellm", "--provider", "acme-WAY", "--vendor", "acme"),
    files: { "prices.json": PRICES },
  },
  { command: "import litellm", words: json("$litellmyaml"), files: { "litellm.yaml": LITELLM } },
  {
    command: "audit list",
    words: json("--limit", "5"),
    same: true,
    keep: { entry: ({ data }: { data: { id: string }[] }) => data[0]?.id ?? "" },
  },
  { command: "audit show", words: json("$entry"), same: true },
  { command: "audit export", words: ["--format", "csv"], same: true },
  { command: "requests list", words: json("--all"), same: true },
  { command: "requests show", words: json("req_019a84d2c6b87c1e9d3f0a5b7e2c4d60"), code: 1 },
  { command: "requests export", words: ["--outcome", "error"], same: true },
  { command: "series", words: json("--from", "2026-11-01", "--to", "2026-11-02", "--by", "model"), same: true },
  { command: "series", words: json("--to", "2026-11-02", "--model", "fast-WAY", "--provider", "acme-WAY") },
  { command: "live show", words: json() },
  { command: "live cancel", words: json("req_019a84d2c6b87c1e9d3f0a5b7e2c4d60"), code: 1 },
  status("accounts close", "Org-WAY/Ads"),
  status("keys revoke", "$key"),
];

/** Why a command has no row above. */
export const NOT_BOTH_WAYS: Readonly<Record<string, string>> = {
  dev: "runs a gateway of its own",
  serve: "runs a gateway on the database",
  migrate: "changes the tables of the database",
  "ledger adopt": "compares the servers of the database",
  "ledger partitions": "changes the tables of the database",
  "ledger periods": "needs the database itself, as a clock that was ahead is a matter of its server",
  doctor: "looks at this machine, its settings and the database",
  "providers certify": "runs a gateway of its own for minutes, and reads one provider as `providers list` does",
  whoami: "says which way it goes, which has a test of its own",
  "config show": "shows the settings of this machine",
  connect: "sets up a client on this machine",
  login: "signs in at the public listener",
  token: "prints what `login` got",
  logout: "ends what `login` got",
  tail: "runs until it is stopped",
  logs: "reads a file",
  simulate: "runs a provider",
  completion: "prints a script",
};
