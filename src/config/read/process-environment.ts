import type { Environment } from "./variable-names.ts";

/** The environment as it was handed to the process. Only here is it touched; everyone else is given what they need of it. */
export const processEnvironment = (): Environment => process.env;
