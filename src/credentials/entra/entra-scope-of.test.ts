import { expect, test } from "vitest";
import { entraScopeOf } from "./entra-scope-of.ts";

const HOSTS: [string, string][] = [
  ["acme.openai.azure.com", "https://cognitiveservices.azure.com/.default"],
  ["a-1.cognitiveservices.azure.com", "https://cognitiveservices.azure.com/.default"],
  ["acme.services.ai.azure.com", "https://ai.azure.com/.default"],
  ["acme.openai.azure.us", "https://cognitiveservices.azure.us/.default"],
  ["acme.cognitiveservices.azure.us", "https://cognitiveservices.azure.us/.default"],
];

test.each(HOSTS)("a token for %s has the scope %s", (host, scope) => {
  expect(entraScopeOf(host)).toBe(scope);
});

test.each(HOSTS)("there is none for what is near to %s", (host) => {
  const dot = host.indexOf(".");
  const [label, suffix] = [host.slice(0, dot), host.slice(dot + 1)];
  const inSuffix = Array.from({ length: suffix.length }, (_none, at) => label.length + 1 + at);
  const near = [
    suffix,
    `.${suffix}`,
    `${host}.`,
    `${host}\n`,
    ` ${host}`,
    `evil.${host}`,
    `${host}.evil.example`,
    `${host}:443`,
    `user@${host}`,
    `${host}/`,
    `-${host}`,
    `${label}-.${suffix}`,
    `${"a".repeat(64)}.${suffix}`,
    `${label}.evil.${suffix}`,
    `${label}evil${suffix}`,
    `${label}.evil${suffix}`,
    `${label}_.${suffix}`,
    host.toUpperCase(),
    host.replace(".azure.", ".azure.evil."),
    ...inSuffix.map((at) => host.slice(0, at) + host.slice(at + 1)),
    ...inSuffix.map((at) => `${host.slice(0, at)}/${host.slice(at)}`),
    ...inSuffix.map((at) => `${host.slice(0, at)}.${host.slice(at)}`),
  ];

  expect(near.filter((it) => entraScopeOf(it) !== null)).toEqual([]);
});

test.each([
  "",
  ".",
  "azure.com",
  "a.azure.com",
  "a.constructor",
  "toString",
  "api.openai.com",
  "a.openai.azure.cn",
  "127.0.0.1",
])("there is none for %s", (host) => {
  expect(entraScopeOf(host)).toBeNull();
});
