import { type Command, InvalidArgumentError, Option } from "commander";
import { KEY_MODES, type KeyMode } from "../../core/key-mode.ts";
import { DEFAULT_DEV_FOLDER } from "../dev-folder.ts";
import { type KeyControl, type KeyRow, openKeyControl } from "../key-control.ts";
import { loadSettings } from "../open-database.ts";
import { printResult, table } from "../print.ts";

type CreateOptions = {
  mode: KeyMode;
  label?: string;
  provider: string;
  model?: string[];
  rpm?: number;
  expires?: string;
  json?: true;
};

/** `tollgate keys create | list | revoke`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("make, list and revoke API keys");

  keys
    .command("create")
    .description("make a key; its secret is printed once and kept nowhere")
    .addOption(new Option("--mode <mode>", "how the key pays").choices(KEY_MODES).default("credit"))
    .option("--label <text>", "a name for people")
    .option("--provider <name>", "restrict the key to one provider", "all")
    .option("--model <id...>", "restrict the key to these models")
    .option("--rpm <number>", "requests per minute (kept with the key; not enforced yet)", positiveInteger)
    .option("--expires <date>", "when the key stops working, such as 2027-01-31T00:00:00Z", isoDate)
    .option("--json", "print JSON")
    .action(async (options: CreateOptions, command: Command) => {
      await withControl(command, async (control) => {
        const made = await control.create({
          mode: options.mode,
          label: options.label ?? null,
          provider_scope: options.provider,
          models: options.model ?? null,
          rpm_limit: options.rpm ?? null,
          expires_at: options.expires ?? null,
        });
        if (!options.json) {
          process.stderr.write(`made ${made.key.mode} key ${made.key.prefix}…; its secret is shown this once:\n`);
        }
        printResult(made, { json: options.json === true, text: () => made.secret });
      });
    });

  keys
    .command("list")
    .description("list keys, newest first")
    .option("--limit <number>", "how many at most", positiveInteger, 100)
    .option("--after <id>", "go on after this key")
    .option("--json", "print JSON")
    .action(async (options: { limit: number; after?: string; json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const rows = await control.list({
          limit: options.limit,
          ...(options.after === undefined ? {} : { after: options.after }),
        });
        printResult({ data: rows }, { json: options.json === true, text: () => listing(rows) });
      });
    });

  keys
    .command("revoke <id-or-prefix>")
    .description("stop a key for good")
    .option("--json", "print JSON")
    .action(async (idOrPrefix: string, options: { json?: true }, command: Command) => {
      await withControl(command, async (control) => {
        const key = await control.revoke(idOrPrefix);
        printResult({ key }, { json: options.json === true, text: () => `revoked ${key.prefix}… (${key.id})` });
      });
    });
}

async function withControl(command: Command, work: (control: KeyControl) => Promise<void>): Promise<void> {
  const control = openKeyControl(
    loadSettings(command.optsWithGlobals<{ config?: string }>().config),
    DEFAULT_DEV_FOLDER,
  );
  try {
    await work(control);
  } finally {
    await control.close();
  }
}

function listing(rows: readonly KeyRow[]): string {
  if (rows.length === 0) return "no keys yet; make one with `tollgate keys create`";
  return table(
    ["PREFIX", "MODE", "STATUS", "LABEL", "PROVIDER", "RPM", "EXPIRES", "ID"],
    rows.map((row) => [
      row.prefix,
      row.mode,
      row.status,
      row.label ?? "-",
      row.provider_scope,
      String(row.rpm_limit ?? "-"),
      row.expires_at ?? "-",
      row.id,
    ]),
  );
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return value;
}

function isoDate(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError("It must be a date such as 2027-01-31T00:00:00Z.");
  return new Date(time).toISOString();
}
