import { expect, test } from "vitest";
import { isVertexHost } from "./is-vertex-host.ts";

const HOSTS = [
  "aiplatform.googleapis.com",
  "us-central1-aiplatform.googleapis.com",
  "northamerica-northeast1-aiplatform.googleapis.com",
  "europe-west12-aiplatform.googleapis.com",
  "aiplatform.us.rep.googleapis.com",
  "aiplatform.eu.rep.googleapis.com",
];

test.each(HOSTS)("tokens of Google may go to %s", (host) => {
  expect(isVertexHost(host)).toBe(true);
});

test.each(HOSTS)("and to nothing that is near to %s", (host) => {
  const places = Array.from({ length: host.length }, (_none, at) => at);
  const near = [
    `${host}.`,
    `${host}\n`,
    ` ${host}`,
    `.${host}`,
    `evil.${host}`,
    `evil${host}`,
    `${host}.evil.example`,
    `${host}:443`,
    `user@${host}`,
    `${host}/`,
    host.toUpperCase(),
    host.replaceAll(".", "-"),
    host.replace("googleapis.com", "googleapis.com.evil.example"),
    host.replace("googleapis", "googleapis-com"),
    host.replace("googleapis.com", "evil.com"),
    host.replace("aiplatform", "storage"),
    host.replace("aiplatform", "aiplatform.evil"),
    ...places.map((at) => host.slice(0, at) + host.slice(at + 1)).filter((cut) => !/^[a-z]+-[a-z]+\d{1,2}-/.test(cut)),
    ...places.map((at) => `${host.slice(0, at)}/${host.slice(at)}`),
    ...places.map((at) => `${host.slice(0, at)}.${host.slice(at)}`),
  ];

  expect(near.filter((it) => isVertexHost(it))).toEqual([]);
});

test.each([
  "",
  "googleapis.com",
  "global-aiplatform.googleapis.com",
  "aiplatform.asia.rep.googleapis.com",
  "us-aiplatform.googleapis.com",
])("nor to %s", (host) => {
  expect(isVertexHost(host)).toBe(false);
});
