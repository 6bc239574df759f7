import { expect, test } from "vitest";
import { mediaProblem } from "./media-address.ts";

test.each([
  "https://example.com/x.png",
  "HTTPS://example.com/x.png?a=b@c#d",
  "https://[2001:db8::1]:8443/x",
  "data:image/png;base64,AAAA",
  "data:,",
])("%s is media that a provider may be told of [BOD-35]", (text) => {
  expect(mediaProblem(text, "address", "https")).toBeNull();
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "file:///etc/passwd",
  "FILE:///etc/passwd",
  "gs://bucket/x",
  "s3://bucket/x",
  "ms://file-1",
  "ftp://example.com/x",
  "javascript:alert(1)",
  "//example.com/x",
  "/etc/passwd",
  "",
  " https://example.com/x",
  "\thttps://example.com/x",
  "ht\ntps://example.com/x",
  "https:\\\\example.com\\x",
  "https:/example.com/x",
  "https:example.com/x",
  "https:///example.com/x",
  "https://example.com\\@10.0.0.1/x",
  "https://user@example.com/x",
  "https://user:secret@example.com/x",
  "https://:secret@example.com/x",
  "https://exa mple.com/x",
  "https://example.com/\u0000x",
  `https://example.com/${"x".repeat(20_000)}`,
])("%j is not", (text) => {
  expect(mediaProblem(text, "address", "https")).not.toBeNull();
});

test("bytes in base64 are no address, and an address in their place is one", () => {
  expect(mediaProblem("JVBERi0xLjQ=", "bytes", "https")).toBeNull();
  expect(mediaProblem("data:application/pdf;base64,JVBERi0xLjQ=", "bytes", "none")).toBeNull();
  expect(mediaProblem("file:///etc/passwd", "bytes", "https")).toContain("not file:");
});

test("an operator can have media inline only", () => {
  expect(mediaProblem("https://example.com/x.png", "address", "none")).toContain("Send the media inline");
  expect(mediaProblem("data:image/png;base64,AAAA", "address", "none")).toBeNull();
});
