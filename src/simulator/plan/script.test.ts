import { expect, test } from "vitest";
import { parseSettings, settingsOfModel } from "./script.ts";

test("everything behind the first plus of a model name is its script", () => {
  expect(settingsOfModel("sim-fast")).toBe("");
  expect(settingsOfModel("sim-fast+tokens=5+hash")).toBe("tokens=5+hash");
});

test("every setting is read", () => {
  const text =
    "tokens=50+rate=0.5+ttft=100+pause=3+fail=reset@5+usage=missing+malformed=2+answer=600+tool=get_weather+recording=a.1.chunks.txt+flush=each+hash+input=9+cached=4+retry=7+arguments=eyJwYXRoIjoiL2EifQ+once+failures=2+tools=weather,time+interleaved+words=3+thinking=8+thoughts=hidden+refusal";

  expect(parseSettings(text)).toEqual({
    tokens: 50,
    tokensPerSecond: 0.5,
    firstTokenMs: 100,
    pauseAfterTokens: 3,
    refuseStatus: null,
    interruption: { kind: "reset", afterTokens: 5 },
    usage: "missing",
    malformedAfterTokens: 2,
    answerBytes: 600,
    tool: "get_weather",
    toolArguments: '{"path":"/a"}',
    toolOnce: true,
    tools: ["weather", "time"],
    interleaved: true,
    wordTokens: 3,
    thinkingTokens: 8,
    thoughts: "hidden",
    refused: true,
    failures: 2,
    recording: "a.1.chunks.txt",
    flush: "each",
    hashed: true,
    inputTokens: 9,
    cachedTokens: 4,
    retryAfterSeconds: 7,
  });
});

test("a failure is a status before content, or a break at a place", () => {
  expect(parseSettings("fail=529")).toEqual({ refuseStatus: 529, interruption: null });
  expect(parseSettings("fail=error@0")).toEqual({
    refuseStatus: null,
    interruption: { kind: "error", afterTokens: 0 },
  });
  expect(parseSettings("fail=hang")).toEqual({ refuseStatus: null, interruption: { kind: "hang", afterTokens: null } });
  expect(() => parseSettings("fail=error")).toThrow(/needs a position/);
});

test.each([
  ["speed=3", "speed"],
  ["constructor=1", "constructor"],
  ["__proto__", "__proto__"],
  ["", undefined],
  ["tokens=5+", '""'],
  ["tokens", "tokens"],
  ["tokens=-1", "tokens"],
  ["tokens=1e3", "tokens"],
  ["tokens=1000001", "tokens"],
  ["tokens=5+tokens=6", "twice"],
  ["rate=fast", "rate"],
  ["fail=200", "fail"],
  ["fail=explode@3", "fail"],
  ["usage=odd", "usage"],
  ["flush=never", "flush"],
  ["hash=1", "hash"],
  ["tool=a b", "tool"],
  ["arguments=eyJ", "arguments"],
  ["arguments=WzFd", "arguments"],
  ["once=1", "once"],
  ["tools=", "tools"],
  ["tools=a,,b", "tools"],
  ["interleaved=yes", "interleaved"],
  ["words=some", "words"],
  ["thinking", "thinking"],
  ["thoughts=loud", "thoughts"],
  ["refusal=1", "refusal"],
  ["failures=all", "failures"],
  ["recording=../secret", "recording"],
  ["recording=/etc/passwd", "recording"],
  ["recording=.hidden", "recording"],
  ["recording=a%2fb", "recording"],
])("the script %j is refused by name, unless it is empty", (text, named) => {
  if (named === undefined) expect(parseSettings(text)).toEqual({});
  else expect(() => parseSettings(text)).toThrow(named);
});
