/** What is there at once where it can be, and a promise of it where it must be waited for. Used where every request passes, because promises add up. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with a value as soon as it is there, and at once when it is. */
export const after = <Value, Result>(value: Soon<Value>, goOn: (value: Value) => Soon<Result>): Soon<Result> =>
  value instanceof Promise ? value.then(goOn) : goOn(value);
