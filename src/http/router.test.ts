import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createRouter } from "./router.ts";

function routed(method: string, url: string): string {
  let answer = "nothing";
  const router = createRouter({
    notFound: (_request, _response, path, nearest) =>
      (answer = `404 ${path}${nearest === null ? "" : ` near ${nearest}`}`),
    methodNotAllowed: (_request, _response, path, allowed) => (answer = `405 ${path} ${allowed.join(",")}`),
  });
  router.add("GET", "/a", () => (answer = "GET a"));
  router.add("POST", "/a", () => (answer = "POST a"));
  router.add("GET", "/a/b", () => (answer = "GET a/b"));
  router.add("GET", "/v1/models/*", (_request, _response, below) => (answer = `GET model ${below}`));
  router.add("POST", "/v1/chat/completions", () => (answer = "POST chat"));
  router.handle({ method, url } as IncomingMessage, {} as ServerResponse);
  return answer;
}

test.each([
  ["GET", "/a", "GET a"],
  ["POST", "/a", "POST a"],
  ["GET", "/a/b?x=/a", "GET a/b"],
  ["GET", "/a?", "GET a"],
  ["PUT", "/a?x=1", "405 /a GET,HEAD,POST"],
  ["get", "/a", "405 /a GET,HEAD,POST"],
  ["HEAD", "/a", "GET a"],
  ["HEAD", "/v1/chat/completions", "405 /v1/chat/completions POST"],
  ["GET", "/v1/models/m", "GET model m"],
  ["GET", "/v1/models/vendor/m?x=1", "GET model vendor/m"],
  ["HEAD", "/v1/models/a%2Fb", "GET model a%2Fb"],
  ["PUT", "/v1/models/m", "405 /v1/models/m GET,HEAD"],
  ["GET", "/v1/models/", "404 /v1/models/"],
  ["GET", "/a/", "404 /a/ near /a"],
  ["GET", "/A", "404 /A near /a"],
  ["GET", "/%61", "404 /%61"],
  ["GET", "//a", "404 //a near /a"],
  ["GET", "", "404 "],
  ["GET", "*", "404 *"],
  ["GET", "http://gate.example:8080/a/b?x=1", "GET a/b"],
  ["GET", "ftp://gate.example/a", "404 ftp://gate.example/a"],
  ["GET", "/__proto__", "404 /__proto__"],
  ["constructor", "/a", "405 /a GET,HEAD,POST"],
])("%s %s is routed by its exact path, without its query: %s", (method, url, expected) => {
  expect(routed(method, url)).toBe(expected);
});

test.each([
  ["/v1/chat/completion", "/v1/chat/completions"],
  ["/v1/chat/completions/", "/v1/chat/completions"],
  ["/chat/completions", "/v1/chat/completions"],
  ["/V1/Chat/Completions", "/v1/chat/completions"],
  ["/v1/embeddings", null],
  ["/v1", "/v1/chat/completions"],
  ["/v1/", "/v1/chat/completions"],
  ["/v1/chat", "/v1/chat/completions"],
  [`/${"x".repeat(5_000)}`, null],
])("an unknown path %.40s is nearest to %s", (path, nearest) => {
  expect(routed("POST", path)).toBe(`404 ${path}${nearest === null ? "" : ` near ${nearest}`}`);
});
