/** Makes a value once per key and keeps the newest `limit` of them, so that hostile variety costs time and not memory. */
export function createRemember<Value>(limit: number): (key: string, make: () => Value) => Value {
  const kept = new Map<string, Value>();
  return (key, make) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = make();
    if (kept.size >= limit) kept.delete(kept.keys().next().value ?? "");
    kept.set(key, value);
    return value;
  };
}
