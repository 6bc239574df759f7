/** Loaded before a program (`node --import`): its wall clock is wrong by TEST_CLOCK_SKEW_MS. Durations are not. */
const skewMs = Number(process.env["TEST_CLOCK_SKEW_MS"] ?? "0");
const right = Date.now;
const wrong = (): number => right() + skewMs;

globalThis.Date = class extends Date {
  constructor(...values: ConstructorParameters<typeof Date> | []) {
    if (values.length === 0) super(wrong());
    else super(...values);
  }
  static override now(): number {
    return wrong();
  }
} as DateConstructor;
