import { randomBytes } from "node:crypto";
import { createDemo } from "./create-demo.ts";
import { BY_COMMAND } from "../src/cli/open-operator.ts";
import { grouped } from "../src/cli/text/cell.ts";
import { type DemoState, writeDemoState } from "../src/cli/dev/demo-folder.ts";

type Order = Pick<Parameters<typeof createDemo>[0], "database" | "credentials" | "simulatorUrl" | "credentialRef"> & {
  folder: string;
  seed: string;
  days: number;
  stderr?: NodeJS.WriteStream;
};

/** Seeds the database of a folder, once, and says on standard error how far it is. */
export async function seedFolder({ folder, seed, days, stderr = process.stderr, ...parts }: Order): Promise<DemoState> {
  const password = randomBytes(9).toString("base64url");
  const begun: DemoState = { state: "seeding", seed, password, secrets: {} };
  writeDemoState(folder, begun);
  const startedMs = performance.now();
  if (!stderr.isTTY) stderr.write(`Seeding ${days} days of made-up traffic.\n`);
  const { requests, secrets } = await createDemo({
    ...parts,
    by: BY_COMMAND,
    password,
    seed,
    endMs: Date.now(),
    days,
    tell: (day, done) => {
      if (stderr.isTTY) stderr.write(`\rSeeding made-up traffic: day ${day} of ${days}, ${grouped(done)} requests`);
    },
  });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  stderr.write(
    `${stderr.isTTY ? "\r" : ""}Seeded ${grouped(requests)} requests of ${days} days in ${seconds} s.          \n`,
  );
  const state: DemoState = { ...begun, state: "seeded", secrets: Object.fromEntries(secrets) };
  writeDemoState(folder, state);
  return state;
}
