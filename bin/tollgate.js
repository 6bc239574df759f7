#!/usr/bin/env node
// Kept to syntax that old Nodes can read, so that a too old one gets a sentence and not a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 11)) {
  void import("../dist/main.js");
} else {
  process.stderr.write(
    "tollgate needs Node 24.11 or newer; this is Node " +
      process.versions.node +
      ".\nInstall a newer Node (https://nodejs.org/en/download) and run the same command again.\n",
  );
  process.exitCode = 1;
}
