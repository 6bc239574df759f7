/** Loaded before a program (`node --import`): its wall clock is wrong by what TEST_CLOCK_FILE says at the time. Durations are not. */
import { readFileSync } from "node:fs";

const file = process.env["TEST_CLOCK_FILE"] ?? "";
const right = Date.now;
let error = { sinceMs: 0, byMs: 0, perSecondMs: 0 };
const read = (): void => {
  try {
    error = JSON.parse(readFileSync(file, "utf8")) as typeof error;
  } catch {
    // It is being written.
  }
};
read();
setInterval(read, 200).unref();
const wrong = (): number => {
  const now = right();
  return Math.round(now + error.byMs + ((now - error.sinceMs) / 1_000) * error.perSecondMs);
};

globalThis.Date = class extends Date {
  constructor(...values: ConstructorParameters<typeof Date> | []) {
    if (values.length === 0) super(wrong());
    else super(...values);
  }
  static override now(): number {
    return wrong();
  }
} as DateConstructor;
