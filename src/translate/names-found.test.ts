import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../tests/support/processor-time.ts";
import { NamesFound, wantNames } from "./names-found.ts";

const NAMES = ["content", "con", "usage", "error"];
const WANTED = wantNames(NAMES);

/** Where a name stands by the runtime's own search, as the ends of all places. */
function placesOf(text: Buffer, name: string): number[] {
  const quoted = `"${name}"`;
  const places: number[] = [];
  for (let at = text.indexOf(quoted); at !== -1; at = text.indexOf(quoted, at + 1)) places.push(at + quoted.length);
  return places;
}

function foundOf(names: NamesFound, name: number): number[] {
  const places: number[] = [];
  for (let place = names.placeOf(name); place !== -1; place = names.placeOf(name, place)) {
    places.push(names.endOf(place));
  }
  return places;
}

test("every name is found where a search for it alone finds it", () => {
  const words = ["content", "con", "usage", "error", '"', "\\", ":", "é", "x", "\n"];
  const text = fc.array(fc.constantFrom(...words, ...NAMES.map((name) => `"${name}"`)), { maxLength: 30 });
  const names = new NamesFound(WANTED);
  fc.assert(
    fc.property(text, (parts) => {
      const bytes = Buffer.from(parts.join(""));
      names.search(bytes, 0, bytes.length);
      for (const [index, name] of NAMES.entries()) {
        expect(foundOf(names, index)).toEqual(placesOf(bytes, name));
        expect(names.has(index)).toBe(bytes.includes(`"${name}"`));
      }
    }),
  );
});

test("a name that stands half a million times is gone through in a moment", () => {
  const names = new NamesFound(WANTED);
  const bytes = Buffer.from('"usage"'.repeat(500_000));
  let places: ReturnType<typeof foundOf> = [];

  const spentMs = processorMs(() => {
    names.search(bytes, 0, bytes.length);
    places = foundOf(names, 2);
  });

  expect(places).toHaveLength(500_000);
  expect(spentMs).toBeLessThan(5_000);
});

test("nothing is found before the range, and a search forgets the one before", () => {
  const names = new NamesFound(WANTED);
  const bytes = Buffer.from('{"usage":1}{"error":2}\n');
  names.search(bytes, 0, 11);
  expect([names.has(2), names.has(3)]).toEqual([true, false]);
  names.search(bytes, 11, bytes.length);

  expect([names.has(2), names.has(3)]).toEqual([false, true]);
});
