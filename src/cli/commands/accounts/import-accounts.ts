import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { GatewayRefusalError } from "../../../admin-client/ask-gateway.ts";
import { readTextFile } from "../../../config/read/read-text-file.ts";
import { BUDGET_PERIODS, type BudgetPeriod, DEFAULT_PERIOD } from "../../../core/money/budget-period.ts";
import type { By } from "../../../core/people/by.ts";
import { Conflict } from "../../../core/conflict.ts";
import { Fault } from "../../../core/fault.ts";
import { KEY_MODES, type KeyMode } from "../../../core/people/key-mode.ts";
import type { AccountTree } from "../../../operator/accounts.ts";
import type { LimitOrder } from "../../../operator/money/limits.ts";
import type { Operator } from "../../../operator/operator.ts";
import { withOperator } from "../../open-operator.ts";
import { csvCell, type CsvRow, readCsv } from "../../input/read-csv.ts";
import { CommandError } from "../../report-failure.ts";
import { type ImportedAccount, importedAccountsText } from "../../text/accounts/account-import-text.ts";
import { printResult } from "../../text/print.ts";
import { amountIn } from "./limit-options.ts";

type Options = { apply?: true; secrets?: string; json?: true };
type Row = { line: number; path: string; kind: string; limit: LimitOrder | null; key: string | null; mode: KeyMode };

const COLUMNS = ["account", "kind", "limit", "unit", "period", "key", "mode"] as const;
const FILE_BYTES = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;
const NOT_FOUND = 404;
const MOST_LEVELS = 4;

/** `tollgate accounts import`: a list of people, each with a limit and a key. */
export function addAccountImportCommand(accounts: Command): void {
  accounts
    .command("import")
    .argument("<file>", `CSV with a first row of column names: ${COLUMNS.join(", ")}; only account is needed`)
    .description("create accounts with a limit and a key each, from a CSV file; --apply creates them")
    .option("--apply", "create what is missing and set the limits; without it, only show what would be done")
    .option(
      "--secrets <file>",
      "new file for the secrets of new keys, readable by you alone (needed where keys are made)",
    )
    .option("--json", "print JSON; secrets are not part of it")
    .action(async (file: string, options: Options, command: Command) => {
      const rows = readRows(readCsv(readTextFile(file, FILE_BYTES), COLUMNS));
      await withOperator(command, async (operator, by) => {
        const done = await importRows(operator, { rows, options, by });
        const report = { rows: done, applied: options.apply === true, secrets: options.secrets ?? null };
        printResult(report, { json: options.json === true, text: (screen) => importedAccountsText(report, screen) });
        if (done.some(({ problem }) => problem !== null)) process.exitCode = 1;
      });
    });
}

/** Every row is read before anything is changed. */
function readRows(rows: readonly CsvRow[]): Row[] {
  const read = rows.map(readRow);
  const seen = new Map<string, number>();
  for (const { line, path, key } of read) {
    const name = `${path}\n${key ?? ""}`.toLowerCase();
    const before = seen.get(name);
    if (before !== undefined)
      throw new CommandError(`row ${line}: row ${before} names ${path} with the same key already. Remove one of them.`);
    seen.set(name, line);
  }
  return read;
}

function readRow({ line, cells }: CsvRow): Row {
  const wrong = (problem: string): CommandError => new CommandError(`row ${line}: ${problem} Nothing was changed.`);
  const oneOf = <Word extends string>(column: string, words: readonly Word[], usual: Word): Word => {
    const text = (cells[column] ?? "").toLowerCase();
    const found = text === "" ? usual : words.find((word) => word === text);
    if (found === undefined) throw wrong(`${column} is ${JSON.stringify(text)}. Use ${words.join(", ")}.`);
    return found;
  };
  const names = (cells["account"] ?? "").split("/").map((name) => name.trim());
  if (names.some((name) => name === ""))
    throw wrong("account is missing. Give the names from the root down, such as Acme/Search/Ann.");
  if (names.length > MOST_LEVELS) throw wrong(`account has ${names.length} names; the limit is ${MOST_LEVELS}.`);
  const unit = oneOf("unit", ["credits", "tokens"], "credits") === "credits" ? "credit" : "tokens";
  const period: BudgetPeriod = oneOf("period", BUDGET_PERIODS, DEFAULT_PERIOD);
  const mode = oneOf("mode", KEY_MODES, unit === "credit" ? "credit" : "token_budget");
  return {
    line,
    path: names.join("/"),
    kind: cells["kind"] || "account",
    limit: limitOf(cells["limit"] ?? ""),
    key: cells["key"] || null,
    mode,
  };

  function limitOf(text: string): LimitOrder | null {
    if (text === "") return null;
    try {
      return { amount: amountIn(unit, text), unit, period, models: null };
    } catch (error) {
      if (error instanceof InvalidArgumentError) throw wrong(`limit is ${JSON.stringify(text)}. ${error.message}`);
      throw error;
    }
  }
}

type Order = { rows: readonly Row[]; options: Options; by: By };

async function importRows(operator: Operator, { rows, options, by }: Order): Promise<ImportedAccount[]> {
  const plans: { row: Row; plan: ImportedAccount }[] = [];
  for (const row of rows) plans.push({ row, plan: planOf(row, await treeAt(operator, row.path)) });
  if (!options.apply) return plans.map(({ plan }) => plan);
  const file = plans.some(({ plan }) => plan.key === "created") ? openSecrets(options.secrets) : null;
  try {
    const done: ImportedAccount[] = [];
    for (const { row, plan } of plans) done.push(await applyRow(operator, { row, plan, file, by }));
    return done;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** What is missing. A row that was imported before leaves nothing to do. */
function planOf({ line, path, limit, key }: Row, tree: AccountTree | null): ImportedAccount {
  const limited = tree?.account.counters.find(
    (counter) =>
      counter.kind === "limit" &&
      counter.unit === limit?.unit &&
      counter.period === limit.period &&
      counter.models === null,
  );
  const present = tree?.keys.some((one) => one.accountId === tree.account.id && one.label === key) ?? false;
  return {
    line,
    path,
    account: tree === null ? "created" : "present",
    limit: limit === null ? "none" : limited?.amount === limit.amount ? "present" : "set",
    key: key === null ? "none" : present ? "present" : "created",
    prefix: null,
    problem: null,
  };
}

async function treeAt({ accounts }: Operator, path: string): Promise<AccountTree | null> {
  try {
    return await accounts.show(path);
  } catch (error) {
    if (error instanceof Fault && error.code === "not_found") return null;
    if (error instanceof GatewayRefusalError && error.status === NOT_FOUND) return null;
    throw error;
  }
}

/** Before the first key is made, so that there is a place for its secret. */
function openSecrets(path: string | undefined): number {
  if (path === undefined)
    throw new CommandError("keys will be made. Name a new file for their secrets with --secrets. Nothing was changed.");
  try {
    const file = openSync(path, "wx", OWNER_ONLY);
    writeSync(file, "account,key,prefix,secret\n");
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new CommandError(`${path} is there already. Name a new file with --secrets. Nothing was changed.`, {
        cause: error,
      });
    throw error;
  }
}

type Application = { row: Row; plan: ImportedAccount; file: number | null; by: By };

/** What the present state of things rules out is told with its row, and the others go on. */
async function applyRow(operator: Operator, { row, plan, file, by }: Application): Promise<ImportedAccount> {
  try {
    if (plan.account === "created") await createPath(operator, row, by);
    if (row.limit !== null && plan.limit === "set") await operator.accounts.setLimit(row.path, row.limit, by);
    if (plan.key !== "created" || file === null) return plan;
    const { key, secret } = await operator.keys.create(keyOrder(row), by);
    writeSync(file, `${[row.path, row.key ?? "", key.prefix, secret ?? ""].map(csvCell).join(",")}\n`);
    fsyncSync(file);
    return { ...plan, prefix: key.prefix };
  } catch (error) {
    if (error instanceof Conflict || error instanceof Fault || error instanceof GatewayRefusalError)
      return { ...plan, problem: error.message };
    throw error;
  }
}

const keyOrder = ({ path, key, mode }: Row) => ({
  mode,
  account: path,
  label: key,
  providerScope: "all",
  models: null,
  tiers: null,
  regions: null,
  rpmLimit: null,
  expiresAtMs: null,
  credit: null,
  budget: null,
  period: null,
  existing: null,
});

/** With those above it that are missing. */
async function createPath(operator: Operator, { path, kind }: Row, by: By): Promise<void> {
  const names = path.split("/");
  for (const [place, name] of names.entries()) {
    const isLast = place === names.length - 1;
    if ((await treeAt(operator, names.slice(0, place + 1).join("/"))) !== null) continue;
    const parent = place === 0 ? null : names.slice(0, place).join("/");
    await operator.accounts.create({ name, parent, kind: isLast ? kind : "account" }, by);
  }
}
