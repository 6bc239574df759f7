import { expect, test } from "vitest";
import { stsAnswer } from "../../../tests/support/clouds/strict-aws.ts";
import { readStsAnswer } from "./read-sts-answer.ts";

const HANDED = { AccessKeyId: "ASIA1", SecretAccessKey: "a/b+c", Token: "t==", Expiration: "2026-11-19T13:00:00Z" };
const GOOD = stsAnswer("AssumeRole", HANDED);

test.each([
  ["as documented", GOOD],
  ["on one line", GOOD.replaceAll(/\n\s*/g, "")],
  ["without the first line", GOOD.replace(/^.*\n/, "")],
])("the four fields of an answer %s are read", (_, text) => {
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: expiration,
  } = HANDED;

  expect(readStsAnswer("AssumeRole", text)).toEqual({ accessKeyId, secretAccessKey, sessionToken, expiration });
});

test.each([
  ["a page", "<html>hello</html>"],
  ["nothing", ""],
  ["the answer of another action", stsAnswer("AssumeRoleWithWebIdentity", HANDED)],
  ["text before it", `x${GOOD}`],
  ["text after it", `${GOOD}x`],
  ["only a part", GOOD.slice(0, -30)],
  [
    "credentials beside the result",
    GOOD.replace(/(<Credentials>[^]*<\/Credentials>)([^]*<\/AssumeRoleResult>)/, "$2$1"),
  ],
  ["credentials twice", GOOD.replace(/<Credentials>[^]*<\/Credentials>/, "$&$&")],
  ["credentials within credentials", GOOD.replace("<Credentials>", "<Credentials><Credentials>")],
  [
    "credentials in a comment",
    GOOD.replace("<Credentials>", "<!-- <Credentials>").replace("</Credentials>", "</Credentials> -->"),
  ],
  ["a comment", GOOD.replace("<Credentials>", "<!-- x --><Credentials>")],
  ["a field in CDATA", GOOD.replace("ASIA1", "<![CDATA[ASIA1]]>")],
  ["a field twice", GOOD.replace(/<AccessKeyId>.*<\/AccessKeyId>/, "$&$&")],
  ["a field less", GOOD.replace(/<SessionToken>.*<\/SessionToken>/, "")],
  ["a field more", GOOD.replace("</Credentials>", "<X>y</X></Credentials>")],
  ["text between fields", GOOD.replace("</Credentials>", "x</Credentials>")],
  ["an attribute", GOOD.replace("<AccessKeyId>", '<AccessKeyId a="b">')],
  ["an element in a field", GOOD.replace("ASIA1", "<b>ASIA1</b>")],
  ["an entity", GOOD.replace("ASIA1", "&#65;SIA1")],
])("an answer with %s is not read", (_, text) => {
  expect(text).not.toBe(GOOD);
  expect(readStsAnswer("AssumeRole", text)).toBeNull();
});

test("a field that comes twice instead of another is missing", () => {
  const text = GOOD.replace(/<Expiration>.*<\/Expiration>/, "<AccessKeyId>ASIA2</AccessKeyId>");

  expect(readStsAnswer("AssumeRole", text)).toMatchObject({ expiration: undefined });
});
