import type { ConsoleState } from "../../app/read-built-console.ts";
import { PLAIN, type Screen } from "../text/screen.ts";
import { facts } from "../text/table.ts";
import { DEFAULT_DEV_FOLDER, DEMO_FOLDER, type DevReady } from "./dev-folder.ts";
import { LIVE } from "./demo-folder.ts";

/** How to sign in to the console of the demo. */
export type DemoSignIn = { email: string; password: string; holder: string; model: string };

type Surroundings = {
  folder: string;
  logFile: string;
  call: string;
  screen?: Screen;
  /** Null: there is an owner already. */
  setupToken: string | null;
  console: ConsoleState;
  demo?: DemoSignIn;
};

/** What `dev` prints once everything answers: addresses, keys, and commands to paste. */
export function devWelcome(ready: DevReady, surroundings: Surroundings): string {
  const { folder, logFile, call, screen = PLAIN, demo } = surroundings;
  const { publicUrl, adminUrl, simulatorUrl, keys } = ready;
  const heading = (text: string): string => screen.paint("heading", text);
  const part = (title: string, pairs: [string, string][]): string => `${facts(title, pairs, screen)}\n`;
  const commands = [
    `${call} keys create --credit 5 --label demo`,
    `${call} keys list`,
    `${call} usage ${keys.credit.slice(0, PREFIX_CHARACTERS)}`,
  ];
  return `
${screen.paint("good", "Tollgate is ready.")}

${part(demo === undefined ? "Console" : "Console with demo data", consoleOf(ready, surroundings))}
${part(demo === undefined ? "Credit key" : `Credit key of ${demo.holder}`, [
  ["base URL", `${publicUrl}/v1`],
  ["key", keys.credit],
])}
${part("Token-budget key", [
  ["base URL", `${publicUrl}/token/v1`],
  ["key", keys.token_budget],
])}
${part("Links", [
  ["API docs", `${publicUrl}/docs`],
  ["admin API docs", `${adminUrl}/docs`],
  ["metrics", `${adminUrl}/metrics (admin token: adminToken in ${folder}/dev.json)`],
  ["simulated provider", `${simulatorUrl}/v1`],
  ["log", logFile],
])}
${heading("Send a request")}

  curl -N ${publicUrl}/v1/chat/completions \\
    -H "authorization: Bearer ${keys.credit}" -H "content-type: application/json" \\
    -d '{"model":"${demo?.model ?? "sim-steady"}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'

${[DEFAULT_DEV_FOLDER, DEMO_FOLDER].includes(folder) ? `${heading("In another terminal, in this folder")}\n\n${commands.map((line) => `  ${line}\n`).join("")}\n` : ""}${screen.paint("secondary", `${demo === undefined ? "" : `${LIVE_WORDS} `}Requests are listed below. Press Ctrl-C to stop.`)}
`;
}

const PREFIX_CHARACTERS = 12;
const LIVE_WORDS = `Made-up requests go on: at most ${LIVE.atOnce} at a time, ${LIVE.inAll.toLocaleString("en-US")} in all.`;

/** No address that would answer "not built", and no secret that nothing here could take. */
function consoleOf({ publicUrl, adminUrl }: DevReady, surroundings: Surroundings): [string, string][] {
  const { console: state, setupToken, demo } = surroundings;
  if (state === "unbuilt") return [["not built", "Run `npm run console` in the clone, then start dev again."]];
  if (state === "missing") return [["missing", "This package came without its console. Install the package again."]];
  const setup: [string, string][] =
    setupToken === null ? [] : [["setup token", `${setupToken}, to make yourself the owner`]];
  const signIn: [string, string][] =
    demo === undefined
      ? setup
      : [
          ["email", demo.email],
          ["password", demo.password],
        ];
  const holders = `${publicUrl}/console, with ${demo === undefined ? "a key" : "the credit key"} below`;
  return [["operators", `${adminUrl}/console`], ...signIn, ["key holders", holders]];
}
