/** Runs before every file of tests: in the gate, properties draw by the seed of the run too. */
import fc from "fast-check";
import { runSeed } from "./run-seed.ts";

if (process.env["TEST_SEED"] !== undefined) fc.configureGlobal({ seed: runSeed() });
