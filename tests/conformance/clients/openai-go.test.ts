import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { buildGoProgram } from "../../support/go-module.ts";
import { type LineProgram, startLineProgram } from "../../support/line-program.ts";
import type { Manners } from "./client.ts";
import { type ClientUnderTest, describeClients } from "./describe-clients.ts";
import { programClient } from "./program-client.ts";
import { GO_MODULES } from "./versions.ts";

const { folder, missing } = await buildGoProgram({
  name: "openai",
  source: join(import.meta.dirname, "programs/openai_client.go"),
  requires: GO_MODULES,
});

let program: LineProgram | undefined;
beforeAll(() => {
  if (folder !== null) program = startLineProgram({ words: [join(folder, "program")] });
});
afterAll(() => program?.stop());

const started = (): LineProgram => {
  if (!program) throw new Error("not started");
  return program;
};

/** The module has one error for every status. */
const ERROR = "*apierror.Error";

const manners: Manners = {
  errors: {
    invalid_credentials: ERROR,
    insufficient_credit: ERROR,
    model_not_found: ERROR,
    limit_reached: ERROR,
    provider_unavailable: ERROR,
  },
};

const variant = (dialect: "chat" | "responses"): ClientUnderTest => ({
  title: `openai-go, ${dialect}`,
  client: programClient({ dialect, program: started, words: { api: dialect } }),
  manners,
  missing,
});

describeClients(variant("chat"), variant("responses"));
