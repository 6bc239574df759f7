import { DEFAULT_DEV_FOLDER, type DevReady } from "./dev-folder.ts";

type Kept = { folder: string; logFile: string };

/** What `dev` says once everything answers: where, with which key, and a line to paste. */
export function devWelcome({ publicUrl, adminUrl, simulatorUrl, keys }: DevReady, { folder, logFile }: Kept): string {
  return `
Tollgate is ready.

  credit key        ${publicUrl}/v1          ${keys.credit}
  token-budget key  ${publicUrl}/token/v1    ${keys.token_budget}

Try it:

  curl -N ${publicUrl}/v1/chat/completions \\
    -H "authorization: Bearer ${keys.credit}" -H "content-type: application/json" \\
    -d '{"model":"sim-steady","stream":true,"messages":[{"role":"user","content":"Hello"}]}'

  admin listener    ${adminUrl}
  simulated models  ${simulatorUrl}
  log               ${logFile}

${folder === DEFAULT_DEV_FOLDER ? COMMANDS_BESIDE : ""}Stop with Ctrl-C.
`;
}

/** Commands look for a `dev` in the usual folder alone. */
const COMMANDS_BESIDE = `In this folder, make more keys with \`tollgate keys create --credit 5\`, see what they spend with
\`tollgate usage\`, and offer real models with \`tollgate providers add\` and \`tollgate models add\`.
`;
