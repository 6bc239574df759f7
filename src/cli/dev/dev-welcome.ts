import { PLAIN, type Screen } from "../text/screen.ts";
import { facts } from "../text/table.ts";
import { DEFAULT_DEV_FOLDER, type DevReady } from "./dev-folder.ts";

type Surroundings = { folder: string; logFile: string; call: string; screen?: Screen };

/** What `dev` prints once everything answers: addresses, keys, and commands to paste. */
export function devWelcome(ready: DevReady, { folder, logFile, call, screen = PLAIN }: Surroundings): string {
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

${part("Credit key", [
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
    -d '{"model":"sim-steady","stream":true,"messages":[{"role":"user","content":"Hello"}]}'

${folder === DEFAULT_DEV_FOLDER ? `${heading("In another terminal, in this folder")}\n\n${commands.map((line) => `  ${line}\n`).join("")}\n` : ""}${screen.paint("secondary", "Requests are listed below. Press Ctrl-C to stop.")}
`;
}

const PREFIX_CHARACTERS = 12;
