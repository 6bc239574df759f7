import type { Command } from "commander";

/** What the help of a command says beyond its options: a line to start from, and what exit code 1 means where it is not a failure. */
type Note = { example: string; exit1?: string };

/** By the words of the command. A test holds the keys against the commands, and parses every example. */
export const COMMAND_NOTES: Readonly<Record<string, Note>> = {
  dev: { example: "tollgate dev --port 8080" },
  serve: { example: "tollgate serve --migrate --workers 4" },
  migrate: { example: "tollgate migrate --status", exit1: "with --status: a migration is pending" },
  "keys create": { example: "tollgate keys create --credit 20 --label anna" },
  "keys list": { example: "tollgate keys list --all" },
  "keys show": { example: "tollgate keys show tgc_a034Fq4J" },
  "keys suspend": { example: "tollgate keys suspend tgc_a034Fq4J" },
  "keys resume": { example: "tollgate keys resume tgc_a034Fq4J" },
  "keys disable": { example: "tollgate keys disable tgc_a034Fq4J" },
  "keys enable": { example: "tollgate keys enable tgc_a034Fq4J" },
  "keys revoke": { example: "tollgate keys revoke tgc_a034Fq4J" },
  "keys update": { example: "tollgate keys update tgc_a034Fq4J --rpm 60 --add-model gpt-4.1-mini" },
  "keys rotate": { example: "tollgate keys rotate tgc_a034Fq4J --overlap 7d" },
  "keys import": {
    example: "tollgate keys import keys.jsonl --from litellm --apply",
    exit1: "a key was refused",
  },
  "keys move": { example: "tollgate keys move tgc_a034Fq4J --to Acme/Ads" },
  "keys adopt": { example: "tollgate keys adopt tgc_a034Fq4J --into Acme/Search" },
  "keys limit": { example: "tollgate keys limit tgc_a034Fq4J 20 --period day" },
  "accounts create": { example: "tollgate accounts create Acme/Search --kind team" },
  "accounts list": { example: "tollgate accounts list --all" },
  "accounts show": { example: "tollgate accounts show Acme" },
  "accounts move": { example: "tollgate accounts move Acme/Search/Ann --to Acme/Ads" },
  "accounts suspend": { example: "tollgate accounts suspend Acme/Search" },
  "accounts resume": { example: "tollgate accounts resume Acme/Search" },
  "accounts disable": { example: "tollgate accounts disable Acme/Search" },
  "accounts enable": { example: "tollgate accounts enable Acme/Search" },
  "accounts close": { example: "tollgate accounts close Acme/Search" },
  "accounts close-purse": { example: "tollgate accounts close-purse Acme/Search" },
  "accounts topup": { example: "tollgate accounts topup Acme 1000 --ref invoice-1042" },
  "accounts tiers": { example: "tollgate accounts tiers Acme/Search flex" },
  "accounts regions": { example: "tollgate accounts regions Acme/Search eu" },
  "accounts limit": { example: "tollgate accounts limit Acme/Search 500 --period month" },
  "accounts import": {
    example: "tollgate accounts import people.csv --apply --secrets secrets.csv",
    exit1: "a row was refused",
  },
  "accounts statement": { example: "tollgate accounts statement Acme/Search --month 2026-11 --csv" },
  margins: { example: "tollgate margins --by account --from 2026-11-01 --to 2026-11-30" },
  "costs list": { example: "tollgate costs list --all" },
  "costs set": { example: "tollgate costs set openai gpt-4.1-mini --input 0.40 --output 1.60 --from 2026-11-01" },
  "costs remove": { example: "tollgate costs remove openai gpt-4.1-mini" },
  reconcile: {
    example: "tollgate reconcile usage.json costs.json --day 2026-11-16 --map names.yaml --costs costs.yaml",
    exit1: "something differs",
  },
  "notices list": { example: "tollgate notices list --dead" },
  "notices endpoints": { example: "tollgate notices endpoints" },
  "notices test": { example: "tollgate notices test", exit1: "a webhook did not accept the sample" },
  "notices retry": { example: "tollgate notices retry --all" },
  "notices thresholds": { example: "tollgate notices thresholds Acme/Search 50,80,100" },
  "audit list": { example: "tollgate audit list --actor ann@acme.example --from 2026-11-01" },
  "audit show": { example: "tollgate audit show 019a84d2-c6b8-7c1e-9d3f-0a5b7e2c4d60" },
  "audit export": { example: "tollgate audit export --format csv --from 2026-11-01" },
  whoami: { example: "tollgate whoami" },
  "people list": { example: "tollgate people list --all" },
  "people show": { example: "tollgate people show ann@acme.example" },
  "people add": { example: "tollgate people add ann@acme.example --role operator --at Acme/Search --password" },
  "people update": { example: "tollgate people update ann@acme.example --account Acme/Search/Ann" },
  "people password": { example: "tollgate people password ann@acme.example" },
  "people grant": { example: "tollgate people grant ann@acme.example viewer" },
  "people revoke": { example: "tollgate people revoke ann@acme.example operator --at Acme/Search" },
  "people remove": { example: "tollgate people remove ann@acme.example" },
  "tokens create": { example: "tollgate tokens create ann@acme.example --name nightly --role viewer --days 30" },
  "tokens list": { example: "tollgate tokens list --person ann@acme.example" },
  "tokens revoke": { example: "tollgate tokens revoke 019a84d2-c6b8-7c1e-9d3f-0a5b7e2c4d60" },
  "sessions list": { example: "tollgate sessions list ann@acme.example" },
  "sessions end": { example: "tollgate sessions end ann@acme.example" },
  "clients list": { example: "tollgate clients list --person ann@acme.example" },
  "clients end": { example: "tollgate clients end ann@acme.example" },
  topup: { example: "tollgate topup tgc_a034Fq4J 25 --ref invoice-1042" },
  budget: { example: "tollgate budget tgt_b7Xk2mPq 5_000_000 --period month" },
  usage: { example: "tollgate usage tgc_a034Fq4J --days 30" },
  "live show": { example: "tollgate live show --account Acme/Search" },
  "live cancel": { example: "tollgate live cancel req_019a84d2c6b87c1e9d3f0a5b7e2c4d60" },
  "requests list": { example: "tollgate requests list --account Acme/Search --outcome error" },
  "requests show": { example: "tollgate requests show req_019a84d2c6b87c1e9d3f0a5b7e2c4d60" },
  "requests export": { example: "tollgate requests export --account Acme --from 2026-11-01" },
  series: { example: "tollgate series --account Acme --by model --from 2026-11-01" },
  tail: { example: "tollgate tail --errors --account Acme/Search" },
  "ledger show": { example: "tollgate ledger show tgc_a034Fq4J --limit 20" },
  "ledger outstanding": { example: "tollgate ledger outstanding" },
  "ledger move": { example: "tollgate ledger move 42 --to-account Acme/Search" },
  "ledger verifications": { example: "tollgate ledger verifications" },
  "ledger verify": { example: "tollgate ledger verify", exit1: "a balance differs from the journal" },
  "ledger adopt": { example: "tollgate ledger adopt --apply", exit1: "adoption is needed and --apply is missing" },
  "ledger quarantine list": { example: "tollgate ledger quarantine list" },
  "ledger quarantine release": {
    example: "tollgate ledger quarantine release req_019a84d2c6b87c1e9d3f0a5b7e2c4d60",
    exit1: "a request is still in quarantine, or was not in it",
  },
  "ledger periods": {
    example: "tollgate ledger periods --apply",
    exit1: "limits are ahead and --apply is missing, or requests of them are still running",
  },
  "ledger partitions": { example: "tollgate ledger partitions --repair 2027-01-31" },
  "catalogue apply": { example: "tollgate catalogue apply catalogue.yaml" },
  "catalogue prices": { example: "tollgate catalogue prices gpt-4.1-mini" },
  "providers add": { example: "tollgate providers add openai --preset openai --credential-stdin < openai-key.txt" },
  "providers list": { example: "tollgate providers list" },
  "providers test": { example: "tollgate providers test openai --model gpt-4.1-mini", exit1: "the call failed" },
  "providers certify": {
    example: "tollgate providers certify openai --model gpt-4.1-mini --spend 0.50 --report openai.md",
    exit1: "a trial failed, or the run ended early",
  },
  "providers rekey": { example: "tollgate providers rekey", exit1: "a stored credential could not be decrypted" },
  "providers remove": { example: "tollgate providers remove openai" },
  "models add": {
    example:
      "tollgate models add mini --provider openai --upstream-model gpt-4.1-mini --format chat --input 0.40 --output 1.60",
  },
  "models show": { example: "tollgate models show gpt-5.6" },
  "models list": { example: "tollgate models list --match 'gpt-*'" },
  "models price": { example: "tollgate models price mini --input 0.50 --from 2027-01-31" },
  "models publish": { example: "tollgate models publish 'groq/*'" },
  "models unpublish": { example: "tollgate models unpublish mini" },
  "models routes": { example: "tollgate models routes mini remove openai/gpt-4.1-mini" },
  "models alarms": {
    example:
      'tollgate models alarms mini accept usage_estimated --reason "its server does not count tokens" --until 2027-01-31',
  },
  "models import": {
    example: "tollgate models import prices.json --provider openai --markup 1.2 --apply",
    exit1: "with --diff: the list differs from what is in force",
  },
  doctor: {
    example: "tollgate doctor --workers 4 --url https://llm.example.com",
    exit1: "a check failed; warnings do not count",
  },
  "config show": { example: "tollgate config show" },
  "import litellm": { example: "tollgate import litellm config.yaml --prices model_prices.json --apply" },
  login: { example: "tollgate login --url https://gateway.example.com" },
  token: { example: "tollgate token" },
  logout: { example: "tollgate logout" },
  connect: {
    example: "tollgate connect claude-code --url https://gateway.example.com --model claude-sonnet-5 --write",
  },
  logs: { example: "tollgate logs tollgate.log --level warn" },
  simulate: { example: "tollgate simulate --port 9100" },
  completion: { example: "tollgate completion bash" },
};

/** The words that lead to a command: `ledger quarantine list`. */
export const wordsOf = (command: Command): string =>
  command.parent === null ? "" : `${wordsOf(command.parent)} ${command.name()}`.trim();

/** Every command that does something, and not the groups they stand in. */
export const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Puts the example and the exit code into the help of each command. */
export function addNotes(program: Command): void {
  for (const command of leavesOf(program)) {
    const note = COMMAND_NOTES[wordsOf(command)];
    if (note === undefined) continue;
    const exit = note.exit1 === undefined ? "" : `\nExit code 1: ${note.exit1}.\n`;
    command.addHelpText("after", `${exit}\nExample:\n  ${note.example}`);
  }
}
