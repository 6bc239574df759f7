import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createRouter } from "./router.ts";

function routed(method: string, url: string): string {
  let answer = "nothing";
  const router = createRouter({
    notFound: (_request, _response, path) => (answer = `404 ${path}`),
    methodNotAllowed: (_request, _response, path, allowed) => (answer = `405 ${path} ${allowed.join(",")}`),
  });
  router.add("GET", "/a", () => (answer = "GET a"));
  router.add("POST", "/a", () => (answer = "POST a"));
  router.add("GET", "/a/b", () => (answer = "GET a/b"));
  router.handle({ method, url } as IncomingMessage, {} as ServerResponse);
  return answer;
}

test.each([
  ["GET", "/a", "GET a"],
  ["POST", "/a", "POST a"],
  ["GET", "/a/b?x=/a", "GET a/b"],
  ["GET", "/a?", "GET a"],
  ["PUT", "/a?x=1", "405 /a GET,POST"],
  ["get", "/a", "405 /a GET,POST"],
  ["GET", "/a/", "404 /a/"],
  ["GET", "/A", "404 /A"],
  ["GET", "/%61", "404 /%61"],
  ["GET", "//a", "404 //a"],
  ["GET", "", "404 "],
  ["GET", "*", "404 *"],
  ["GET", "http://gate.example:8080/a/b?x=1", "GET a/b"],
  ["GET", "ftp://gate.example/a", "404 ftp://gate.example/a"],
  ["GET", "/__proto__", "404 /__proto__"],
  ["constructor", "/a", "405 /a GET,POST"],
])("%s %s is routed by its exact path, without its query: %s", (method, url, expected) => {
  expect(routed(method, url)).toBe(expected);
});
