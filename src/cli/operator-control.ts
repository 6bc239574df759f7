import type { Control } from "../app.ts";

/** What the operator's commands can do, whether through a database or through a running gateway. */
export type OperatorControl = Omit<Control, "catalogue">;
