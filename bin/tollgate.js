#!/usr/bin/env node
import { SERVE_FLAGS } from "./serve-flags.js";

// Kept to syntax that old Nodes can read, so that a too old one gets a sentence and not a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 11)) {
  restartWithFlags();
  void import("../dist/main.js");
} else {
  process.stderr.write(
    "tollgate needs Node 24.11 or newer; this is Node " +
      process.versions.node +
      ".\nInstall a newer Node (https://nodejs.org/en/download) and run the same command again.\n",
  );
  process.exitCode = 1;
}

/** In place, so that the process id and its signals stay. Where that cannot be done, it serves without them. */
function restartWithFlags() {
  const isTuned = process.execArgv
    .concat(process.env.NODE_OPTIONS || "")
    .some((word) => word.includes("semi-space-size"));
  if (process.argv[2] !== "serve" || isTuned || typeof process.execve !== "function") return;
  try {
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...SERVE_FLAGS, ...process.argv.slice(1)]);
  } catch {
    // Windows has no such call, and a sandbox may refuse it.
  }
}
