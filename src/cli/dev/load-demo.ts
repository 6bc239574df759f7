import type * as Demo from "../../../demo/open-demo.ts";

/** In the published package this file is JavaScript, and the demo is one file beside it. */
const ENTRY = import.meta.url.endsWith(".ts") ? "../../../demo/open-demo.ts" : "./demo.js";

/** The demo is no part of the gateway, and only `dev --demo` loads it. */
export const loadDemo = (): Promise<typeof Demo> => import(ENTRY);
