import { homedir } from "node:os";
import type { Command } from "commander";
import { processEnvironment } from "../../../config/read/process-environment.ts";
import { httpUrl } from "../../arguments.ts";
import { originOf } from "../../connect/connection.ts";
import { isInTheClear } from "../../input/in-the-clear.ts";
import { CommandError } from "../../report-failure.ts";
import { freshToken } from "../../sign-in/fresh-token.ts";
import { awaitTokens, refreshTokens, revokeToken, startSignIn } from "../../sign-in/oauth-client.ts";
import { openSessionFile, type SessionFile, sessionPath } from "../../sign-in/session-file.ts";
import { printText } from "../../text/print.ts";

type Options = { url?: string };

const URL_OPTION = ["--url <url>", "URL of the gateway (default: the one you are signed in at)"] as const;

const sessionFile = (): SessionFile => openSessionFile(sessionPath(homedir(), processEnvironment()));

/** `tollgate login`, `tollgate token` and `tollgate logout`: a session of a person instead of a key. */
export function addLoginCommands(program: Command): void {
  program
    .command("login")
    .description("sign in at a gateway through its identity provider, in a browser of yours")
    .requiredOption("--url <url>", "URL of the gateway", httpUrl)
    .action(async ({ url }: Required<Options>) => {
      const origin = signInOrigin(url);
      const started = await startSignIn(origin);
      process.stderr.write(
        `Open ${started.completePage || started.page}\nand compare the code: ${started.userCode}\n\nWaiting for you to approve…\n`,
      );
      const tokens = await awaitTokens(origin, started);
      await sessionFile().change((sessions) => Promise.resolve(new Map([...sessions, [origin, tokens]])));
      printText(
        `You are signed in at ${origin}. \`tollgate token\` prints a token; \`tollgate logout\` ends the session.`,
      );
    });
  program
    .command("token")
    .description("print an access token of your session, renewed if it is about to expire")
    .option(...URL_OPTION, httpUrl)
    .action(async ({ url }: Options) => {
      const file = sessionFile();
      printText(await freshToken(chosen(url, file), { file, refresh: refreshTokens, nowMs: Date.now }));
    });
  program
    .command("logout")
    .description("end your session at a gateway")
    .option(...URL_OPTION, httpUrl)
    .action(async ({ url }: Options) => {
      const file = sessionFile();
      const origin = chosen(url, file);
      await file.change(async (sessions) => {
        const session = sessions.get(origin);
        if (session === undefined) throw new CommandError(`you are not signed in at ${origin}.`);
        await revokeToken(origin, session.refreshToken);
        return new Map([...sessions].filter(([name]) => name !== origin));
      });
      printText(`Your session at ${origin} has ended.`);
    });
}

/** The gateway that was named, or the only one there is a session at. */
function chosen(url: string | undefined, file: SessionFile): string {
  if (url !== undefined) return signInOrigin(url);
  const [only, ...others] = file.read().keys();
  if (only === undefined) throw new CommandError("you are not signed in. Run `tollgate login --url URL`.");
  if (others.length > 0) throw new CommandError(`pass --url with one of ${[only, ...others].join(", ")}.`);
  return only;
}

function signInOrigin(url: string): string {
  const origin = originOf(url, "credit");
  if (isInTheClear(origin))
    throw new CommandError(`${origin} is not https: everybody on the way could read the token.`);
  return origin;
}
