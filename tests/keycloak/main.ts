/**
 * Goes with a gateway through what its guide says of Keycloak, and prints a line for each step. Exits with 1 when a step does not hold,
 * and with 3 when Keycloak cannot be had here, so that nothing was tried.
 */
import { parseArgs } from "node:util";
import { whyUnavailable } from "../support/postgres.ts";
import { installKeycloak, KEYCLOAK_VERSION, type KeycloakServer, runningAt, startKeycloak } from "./keycloak-server.ts";
import { CLIENT, createRealm, issuerAt } from "./realm.ts";
import { GROUP_NAMES, startStage } from "./stage.ts";
import type { Step } from "./step.ts";
import { apart } from "./steps/apart.ts";
import { changing } from "./steps/changing.ts";
import { entering } from "./steps/entering.ts";
import { failing } from "./steps/failing.ts";
import { leaving } from "./steps/leaving.ts";

const STEPS: readonly Step[] = [...entering, ...changing, ...leaving, ...failing, ...apart];

const USAGE = `npm run keycloak -- [options]

  --only PATTERN   steps whose name matches, as a regular expression
  --at URL         a Keycloak that is running, such as http://localhost:8080; its realm "acme" is replaced.
                   KEYCLOAK_PASSWORD is the password of its administrator "admin"
  --list           the steps
  --help           this text`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    at: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const NOT_RUN = 3;

if (values.help) console.log(USAGE);
else if (values.list) for (const { name } of STEPS) console.log(name);
else process.exitCode = await main();

async function main(): Promise<number> {
  const missing = whyUnavailable("15");
  if (missing !== null) return notRun(missing);
  const server = values.at === undefined ? await startInstalled() : runningAt(values.at);
  if (typeof server === "string") return notRun(server);
  try {
    return await play(server);
  } finally {
    await server.stop();
  }
}

function notRun(reason: string): number {
  console.log(`not run: ${reason}`);
  return NOT_RUN;
}

async function startInstalled(): Promise<KeycloakServer | string> {
  const { folder, missing } = await installKeycloak();
  if (folder === null) return missing;
  const server = await startKeycloak(folder);
  console.log(`Keycloak ${KEYCLOAK_VERSION} started in ${(server.startMs / 1_000).toFixed(0)} s`);
  return server;
}

async function play(server: KeycloakServer): Promise<number> {
  const stage = await startStage({ issuer: issuerAt(server.url), clientId: CLIENT.id, clientSecret: CLIENT.secret });
  try {
    const realm = await createRealm(server, { redirectUri: stage.redirectUri, groups: GROUP_NAMES });
    const steps = STEPS.filter(({ name }) => new RegExp(values.only, "i").test(name));
    let failed = 0;
    for (const { name, run } of steps) {
      const startedMs = performance.now();
      const seen = await run({ stage, realm, server }).catch((error: unknown) => {
        failed += 1;
        return error instanceof Error ? error : new Error(String(error));
      });
      const took = `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
      if (seen instanceof Error) console.log(`✗ ${name} (${took}): ${seen.stack}`);
      else console.log(seen === null ? `– ${name}: not run` : `✓ ${name} (${took}): ${seen}`);
    }
    console.log(`keycloak: ${steps.length} steps, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await stage.stop();
  }
}
