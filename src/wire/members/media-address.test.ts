import { expect, test } from "vitest";
import { mediaProblem } from "./media-address.ts";

const ADDRESS = { form: "address", holds: null } as const;
const BYTES = { form: "bytes", holds: "document" } as const;
const IMAGE = { form: "address", holds: "image" } as const;

test.each([
  "https://example.com/x.png",
  "HTTPS://example.com/x.png?a=b@c#d",
  "https://[2001:db8::1]:8443/x",
  "data:image/png;base64,AAAA",
  "data:,",
])("%s is media that a provider may be told of [BOD-35]", (text) => {
  expect(mediaProblem(text, ADDRESS, "https")).toBeNull();
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
  expect(mediaProblem(text, ADDRESS, "https")).not.toBeNull();
});

test("bytes in base64 are no address, and an address in their place is one", () => {
  expect(mediaProblem("JVBERi0xLjQ=", BYTES, "https")).toBeNull();
  expect(mediaProblem("data:application/pdf;base64,JVBERi0xLjQ=", BYTES, "none")).toBeNull();
  expect(mediaProblem("file:///etc/passwd", BYTES, "https")).toContain("not file:");
});

test("an operator can have media inline only", () => {
  expect(mediaProblem("https://example.com/x.png", ADDRESS, "none")).toContain("Send the media inline");
  expect(mediaProblem("data:image/png;base64,AAAA", ADDRESS, "none")).toBeNull();
});

test.each(["image/png", "IMAGE/JPEG", "image/jpg", "image/gif", "image/webp", "image/heic"])(
  "%s may stand in a picture, and in a document [BOD-35]",
  (type) => {
    expect(mediaProblem(`data:${type};base64,AAAA`, IMAGE, "https")).toBeNull();
    expect(mediaProblem(`data:${type};name=x;base64,AAAA`, BYTES, "https")).toBeNull();
  },
);

test.each([
  "application/pdf",
  "text/plain",
  "text/csv",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
])("%s may stand in a document, and not in a picture [BOD-35]", (type) => {
  expect(mediaProblem(`data:${type};base64,AAAA`, BYTES, "https")).toBeNull();
  expect(mediaProblem(`data:${type};base64,AAAA`, IMAGE, "https")).toContain("isn't supported in an image");
});

test.each([
  "video/mp4",
  "audio/mp3",
  "application/zip",
  "application/octet-stream",
  "image/svg+xml",
  "",
  "image",
  "x",
  "image/png/video/mp4",
])("%j may stand in neither [BOD-35]", (type) => {
  expect(mediaProblem(`data:${type};base64,AAAA`, IMAGE, "https")).toContain("isn't supported in an image");
  expect(mediaProblem(`DATA:${type},AAAA`, BYTES, "https")).toContain("isn't supported in a document");
});
