import { homedir } from "node:os";
import { resolve } from "node:path";
import { Argument, type Command, Option } from "commander";
import { processEnvironment } from "../../config/read/process-environment.ts";
import { KEY_MODES, type KeyMode } from "../../core/people/key-mode.ts";
import { httpUrl } from "../arguments.ts";
import { acceptsSockets } from "../connect/accepts-sockets.ts";
import { CannotEdit } from "../connect/cannot-edit.ts";
import { type FileChange, planChanges, writeChanges } from "../connect/change-files.ts";
import { type Client, type ClientName, CLIENTS, type FilePlan, SIGN_IN_CLIENTS } from "../connect/clients.ts";
import { type ClientConnection, modeOf, NO_KEY, NO_MODEL, originOf, shownKey } from "../connect/connection.ts";
import { FLEET_CLIENTS } from "../connect/fleet-clients.ts";
import { type Listed, type OfferedModel, listModels } from "../connect/list-models.ts";
import { findRunningDev } from "../dev/dev-folder.ts";
import { isInTheClear } from "../input/in-the-clear.ts";
import { readCredential } from "../input/read-credential.ts";
import { CommandError } from "../report-failure.ts";
import { freshToken } from "../sign-in/fresh-token.ts";
import { refreshTokens } from "../sign-in/oauth-client.ts";
import { openSessionFile, sessionPath } from "../sign-in/session-file.ts";
import { connectText, connectView } from "../text/connect-text.ts";
import { printResult } from "../text/print.ts";
import { warn } from "../text/screen.ts";

type Options = {
  url?: string;
  keyStdin?: true;
  signIn?: true;
  fleet?: true;
  to?: string;
  mode?: KeyMode;
  model?: string;
  check?: boolean;
  write?: true;
  json?: true;
};

/** `tollgate connect CLIENT`: the settings of a client, printed or written into its own files. */
export function addConnectCommand(program: Command): void {
  program
    .command("connect")
    .addArgument(new Argument("<client>", "the client to set up").choices(Object.keys(CLIENTS)))
    .description("print the settings of a client for this gateway; --write puts them into the client's own files")
    .option("--url <url>", "URL of the gateway (default: that of `tollgate dev` running in this folder)", httpUrl)
    .option("--key-stdin", "read the key from standard input (default: the variable TOLLGATE_KEY)")
    .option("--sign-in", "use the session of `tollgate login` instead of a key: the client runs `tollgate token`")
    .option("--fleet", "settings for all users of a machine, who sign in themselves; --write needs the rights of root")
    .addOption(
      new Option("--mode <mode>", "what the key spends (default: by its first letters, tgc_ or tgt_)").choices(
        KEY_MODES,
      ),
    )
    .option("--model <id>", "model to use")
    .option("--check", "call the gateway's list of models, which is free, to test the URL and the key")
    .option("--no-check", "with --write: do not call the gateway first")
    .option("--write", "change the client's files, after a backup of each")
    .option("--to <file>", "with --fleet and --write: change this file instead of the one of this machine")
    .option("--json", "print JSON, without the key")
    .action(async (name: ClientName, options: Options) => {
      const client = clientOf(name, options);
      const connection = await readConnection(options);
      const isChecked = options.check ?? options.write;
      const listed = isChecked && !options.fleet ? await listModels(connection) : null;
      if (listed !== null) connection.limits = limitsOf(requireModel(listed, client, options));
      if (listed !== null && client.usesSockets) connection.sockets = await acceptsSockets(connection);
      const asked = (isChecked && (await client.ask?.(connection))) || null;
      if (asked?.verdict === "stop") throw new CommandError(notWritten(asked.line, options));
      if (options.write && client.needsModel && options.model === undefined) throw new CommandError("pass --model.");
      if (options.to !== undefined && !(options.fleet && options.write))
        throw new CommandError("--to is for --fleet with --write.");
      const changes = options.write ? write(client, connection, options.to) : null;
      const report = { name, client, connection, listed, changes, asked };
      printResult(connectView(report), { json: options.json === true, text: (screen) => connectText(report, screen) });
    });
}

function clientOf(name: ClientName, { signIn, fleet, keyStdin, mode }: Options): Client {
  if (!signIn && !fleet) return CLIENTS[name];
  const [option, clients] = fleet ? ["--fleet", FLEET_CLIENTS] : ["--sign-in", SIGN_IN_CLIENTS];
  if (keyStdin || mode !== undefined)
    throw new CommandError(`${option} needs no key. Leave --key-stdin and --mode out.`);
  const client = clients[name];
  if (client === undefined) {
    const lacks = fleet ? "has no settings for a whole machine" : "can't run a command for a token";
    throw new CommandError(`${CLIENTS[name].title} ${lacks}. ${option} is for ${Object.keys(clients).join(" and ")}.`);
  }
  return client;
}

const notWritten = (problem: string, { write: writes }: Options): string =>
  writes ? `${problem} Nothing was written. --no-check writes all the same.` : problem;

/** With a token of the session where the gateway is to be called; it is written nowhere. */
async function signedInConnection(url: string, options: Options): Promise<ClientConnection> {
  const origin = originOf(url, "credit");
  if (isInTheClear(origin))
    throw new CommandError(`${origin} is not https: everybody on the way could read the token.`);
  if (options.fleet) return { origin, key: NO_KEY, model: options.model ?? NO_MODEL, limits: null, sockets: null };
  const file = openSessionFile(sessionPath(homedir(), processEnvironment()));
  const key =
    (options.check ?? options.write)
      ? await freshToken(origin, { file, refresh: refreshTokens, nowMs: Date.now })
      : NO_KEY;
  return { origin, key, model: options.model ?? NO_MODEL, limits: null, sockets: null };
}

async function readConnection(options: Options): Promise<ClientConnection> {
  const dev = findRunningDev();
  const url = options.url ?? dev?.publicUrl;
  if (url === undefined)
    throw new CommandError("pass --url with the address of the gateway, such as --url https://gateway.example.com.");
  if (options.signIn || options.fleet) return signedInConnection(url, options);
  const given = options.keyStdin
    ? await readCredential(process.stdin, "--key-stdin")
    : processEnvironment()["TOLLGATE_KEY"];
  const key = given || (url === dev?.publicUrl ? dev.keys[options.mode ?? "credit"] : NO_KEY);
  if (key === NO_KEY && (options.write || options.check))
    throw new CommandError("there is no key. Set TOLLGATE_KEY to it, or pass it on standard input with --key-stdin.");
  const named = modeOf(key);
  if (named !== null && options.mode !== undefined && named !== options.mode)
    throw new CommandError(`${shownKey(key)} is a ${named} key. Leave --mode out.`);
  const origin = originOf(url, options.mode ?? named ?? "credit");
  if (key !== NO_KEY && isInTheClear(origin)) warn(`${origin} is not https: everybody on the way can read the key.`);
  return { origin, key, model: options.model ?? NO_MODEL, limits: null, sockets: null };
}

const MOST_NAMES = 20;

/** The model that was named, if one was. A name that the key may not use would be found out by the client's first request. */
function requireModel({ models, problem }: Listed, client: Client, options: Options): OfferedModel | null {
  const { model, write: writes } = options;
  if (problem !== null) throw new CommandError(notWritten(problem, options));
  const found = models.find(({ id }) => id === model);
  if (found !== undefined) return found;
  if (model === undefined && !(writes && client.needsModel)) return null;
  const ids = models.map(({ id }) => id);
  const names = `${ids.slice(0, MOST_NAMES).join(", ")}${ids.length > MOST_NAMES ? ` and ${ids.length - MOST_NAMES} more` : ""}`;
  if (ids.length === 0) throw new CommandError("this key may use no model. Ask the operator for one.");
  throw new CommandError(
    model === undefined
      ? `pass --model with one of the models this key may use: ${names}.`
      : `this key may not use a model ${JSON.stringify(model)}. It may use: ${names}.`,
  );
}

const limitsOf = (model: OfferedModel | null): ClientConnection["limits"] =>
  model?.contextWindow == null || model.maxOutputTokens === null
    ? null
    : { context: model.contextWindow, output: model.maxOutputTokens };

function write(client: Client, connection: ClientConnection, to?: string): FileChange[] {
  const environment = processEnvironment();
  const places = { home: homedir(), folder: process.cwd(), environment, platform: process.platform };
  const plans = client
    .files(connection, places)
    .map((plan) => (to === undefined ? plan : { ...plan, path: resolve(to) }));
  if (plans.length === 0)
    throw new CommandError(`${client.title} has no file for these settings.\n\n${client.paste(connection)}`);
  const planned = plans.flatMap((plan) => planOne(plan, client, connection));
  for (const { plan, text } of planned)
    if (plan === plans[0]) for (const warning of client.warnings?.(text) ?? []) warn(`${plan.path}: ${warning}`);
  writeChanges(planned);
  return planned;
}

function planOne(plan: FilePlan, client: Client, connection: ClientConnection): ReturnType<typeof planChanges> {
  try {
    return planChanges([plan], new Date());
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error;
    throw new CommandError(
      `${plan.path} was left as it is: ${error.message}. Nothing was written. Set this yourself:\n\n${client.paste(connection)}`,
    );
  }
}
