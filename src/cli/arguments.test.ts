import { expect, test } from "vitest";
import { isoDate } from "./arguments.ts";

test.each([
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2027-01-31T18:00Z", "2027-01-31T18:00:00.000Z"],
  ["2027-01-31T18:00:00.5+02:00", "2027-01-31T16:00:00.500Z"],
  ["2027-01-31T23:30:00-02:00", "2027-02-01T01:30:00.000Z"],
])("the date %s is the moment %s, wherever it is written", (text, moment) => {
  expect(isoDate(text)).toBe(moment);
});
