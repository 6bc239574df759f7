import { expect, test } from "vitest";
import { hostOf, splitHosts } from "./host-list.ts";

test("a URL with one host is left as it is", () => {
  expect(splitHosts("postgresql://u:p@h/db?sslmode=require")).toEqual(["postgresql://u:p@h/db?sslmode=require"]);
});

test("each listed host gets the whole rest of the URL, and the usual port when it names none", () => {
  expect(splitHosts("postgres://u:p%40,x@one:6432,two,[::1]:7000/db?a=b,c")).toEqual([
    "postgres://u:p%40,x@one:6432/db?a=b,c",
    "postgres://u:p%40,x@two:5432/db?a=b,c",
    "postgres://u:p%40,x@[::1]:7000/db?a=b,c",
  ]);
});

test("a URL that cannot be read is refused without repeating its password", () => {
  for (const url of ["mysql://u:secret@h/db", "postgres://u:secret@one,,two/db", "postgres://u:secret@one,:5432/db"]) {
    expect(() => splitHosts(url)).toThrow(/^(?!.*secret)/s);
  }
});

test("the name of a host never contains credentials", () => {
  expect(hostOf("postgres://u:secret@one:5432/db")).toBe("one:5432");
});
