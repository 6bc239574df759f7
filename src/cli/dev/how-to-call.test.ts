import { expect, test } from "vitest";
import { howToCall } from "./how-to-call.ts";

test.each([
  ["in a clone", "/home/a/tollgate/src/main.ts", "npm run -s tollgate --"],
  [
    "from a clone elsewhere",
    "/srv/my clone/src/main.ts",
    "'/srv/my clone/scripts/with-node' node '/srv/my clone/src/main.ts'",
  ],
  ["from a package of this folder", "/home/a/tollgate/node_modules/.bin/tollgate", "npx tollgate"],
  [
    "from a package of this folder, by its file",
    "/home/a/tollgate/node_modules/tollgate/bin/tollgate.js",
    "npx tollgate",
  ],
  [
    "from a package of another folder",
    "/srv/node_modules/tollgate/bin/tollgate.js",
    "node /srv/node_modules/tollgate/bin/tollgate.js",
  ],
  ["installed on the path", "/usr/local/bin/tollgate", "tollgate"],
])("a command is offered as it can be pasted, %s", (_, main, call) => {
  expect(howToCall({ main, folder: "/home/a/tollgate", searched: "/usr/local/bin:/usr/bin" })).toBe(call);
});
