import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { LineProgram } from "../../support/line-program.ts";
import { installPythonPackages, startPython } from "../../support/python-environment.ts";
import type { Manners } from "./client.ts";
import { type ClientUnderTest, describeClients } from "./describe-clients.ts";
import { programClient } from "./program-client.ts";
import { PYTHON_PACKAGES } from "./versions.ts";

const { folder, missing } = await installPythonPackages("anthropic", PYTHON_PACKAGES.anthropic);

let program: LineProgram | undefined;
beforeAll(() => {
  if (folder !== null) program = startPython(folder, join(import.meta.dirname, "programs/anthropic_client.py"));
});
afterAll(() => program?.stop());

const started = (): LineProgram => {
  if (!program) throw new Error("not started");
  return program;
};

const manners: Manners = {
  errors: {
    invalid_credentials: "AuthenticationError",
    insufficient_credit: "APIStatusError",
    model_not_found: "NotFoundError",
    limit_reached: "RateLimitError",
    provider_unavailable: "InternalServerError",
  },
};

const variant = (how: "waiting" | "awaited"): ClientUnderTest => ({
  title: `anthropic (Python), ${how === "awaited" ? "asynchronous" : "synchronous"}`,
  client: programClient({
    dialect: "messages",
    program: started,
    words: { awaited: how === "awaited" },
    counts: "tokens",
  }),
  manners,
  missing,
});

describeClients(variant("waiting"), variant("awaited"));
