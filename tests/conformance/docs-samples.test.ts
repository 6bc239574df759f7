import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { installPythonPackages } from "../support/python-environment.ts";
import { requestsDuring } from "../support/request-log.ts";
import { PYTHON_PACKAGES } from "./clients/versions.ts";
import { childEnvironment } from "../support/child-environment.ts";

const PROJECT = join(import.meta.dirname, "../..");
const AT_ONCE = 2;
const PATIENT_MS = 300_000;

const python = {
  OpenAI: await installPythonPackages("openai", PYTHON_PACKAGES.openai),
  Anthropic: await installPythonPackages("anthropic", PYTHON_PACKAGES.anthropic),
};

/** The samples name models that stand for the reader's own; here they exist. */
const models: Record<string, TestModel> = {
  "your-model": { upstream: "sim+tokens=5" },
  "your-embedding-model": { upstream: "sim", dialect: "embeddings" },
};

let gateway: GatewayProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-samples-"));
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  gateway = await startGatewayProcess({ models });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Sample = { tab: string; operation: string; program: string };

/** The programs of the page in this tab, as a reader copies them. */
async function samplesIn(tab: string): Promise<Sample[]> {
  const page = await (await fetch(`${gateway.publicUrl}/docs`)).text();
  const marks: Record<string, string> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return page
    .split('<section id="')
    .slice(1)
    .flatMap((section) =>
      [...section.matchAll(/<details data-tab="([^"]+)".*?<code>(.*?)<\/code>/gs)].map(([, name = "", text = ""]) => ({
        tab: name,
        operation: section.slice(0, section.indexOf('"')),
        program: text.replaceAll(/&(quot|#39|lt|gt|amp);/g, (_entity, mark: string) => marks[mark] ?? ""),
      })),
    )
    .filter((sample) => sample.tab === tab);
}

type Ran = { code: number; output: string; errors: string };

function run(words: readonly [string, ...string[]], environment: Record<string, string>, input = ""): Promise<Ran> {
  const [command, ...args] = words;
  const env = { ...childEnvironment(), HOME: folder, ...environment };
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd: folder, env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output, errors }),
    );
    child.stdin?.end(input);
  });
}

const keyFor = ({ program }: Sample): string => gateway.keys[program.includes("/token") ? "token_budget" : "credit"];

/** Runs every sample, and expects each to print something and to make one successful request. */
async function runAll(samples: readonly Sample[], start: () => Promise<Ran[]>): Promise<void> {
  const { requests, result } = await requestsDuring(gateway, start);
  for (const [at, { program }] of samples.entries()) {
    expect({ ...result[at], output: "" }, program).toEqual({ code: 0, output: "", errors: "" });
    expect(result[at]?.output.trim(), program).not.toBe("");
  }
  expect(requests.map(({ status }) => status)).toEqual(samples.map(() => 200));
}

/** A few at a time. */
async function inTurn(samples: readonly Sample[], start: (sample: Sample, at: number) => Promise<Ran>): Promise<Ran[]> {
  const results: Ran[] = [];
  const waiting = [...samples.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results[next[0]] = await start(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Each in a process of its own, which is forked from one that has loaded the library: to load it takes a second. */
const FORKED = `
import importlib, json, os, sys, tempfile, traceback
importlib.import_module(sys.argv[1])
results = []
for sample in json.load(sys.stdin):
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            os.environ["TOLLGATE_KEY"] = sample["key"]
            code = 0
            try:
                exec(compile(sample["program"], "<string>", "exec"), {"__name__": "__main__"})
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        results.append({"code": code, "output": output.read(), "errors": errors.read()})
print(json.dumps(results))
`;

async function inPython(library: string, samples: readonly Sample[], packages: string): Promise<Ran[]> {
  const environment = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" };
  const input = JSON.stringify(samples.map((sample) => ({ program: sample.program, key: keyFor(sample) })));
  const { code, output, errors } = await run(["python3", "-c", FORKED, library], environment, input);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  return JSON.parse(output) as Ran[];
}

/** How many samples there are: of each operation its examples, and the first of them for the other kind of key. */
const COUNTS = { OpenAI: 15, Anthropic: 10 };

describe.each(["OpenAI", "Anthropic"] as const)("every sample for the %s SDK runs as it stands on the page", (sdk) => {
  const { folder: packages, missing } = python[sdk];
  // Reporters pass a file over in silence when all of it is skipped.
  if (missing) process.stderr.write(`skipped: samples for ${sdk} Python, which cannot be installed: ${missing}\n`);

  test.skipIf(missing)(
    "in Python",
    async () => {
      const samples = await samplesIn(`${sdk} Python`);

      expect(samples).toHaveLength(COUNTS[sdk]);
      await runAll(samples, () => inPython(sdk.toLowerCase(), samples, packages ?? ""));
    },
    PATIENT_MS,
  );

  test(
    "in JavaScript, and as TypeScript it has the right types",
    async () => {
      const samples = await samplesIn(`${sdk} JS/TS`);
      const place = join(folder, sdk);
      mkdirSync(place);
      const files = samples.map(({ program }, at) => {
        writeFileSync(join(place, `${at}.mjs`), program);
        writeFileSync(join(place, `${at}.mts`), program);
        return { script: join(place, `${at}.mjs`), typed: join(place, `${at}.mts`) };
      });

      expect(samples).toHaveLength(COUNTS[sdk]);
      await runAll(samples, () =>
        inTurn(samples, (sample, at) =>
          run([process.execPath, files[at]?.script ?? ""], { TOLLGATE_KEY: keyFor(sample) }),
        ),
      );
      const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "esnext"];
      const checked = await run(
        ["node_modules/.bin/tsc", ...options, "--types", "node", ...files.map(({ typed }) => typed)],
        {},
      );
      expect(checked).toEqual({ code: 0, output: "", errors: "" });
    },
    PATIENT_MS,
  );
});
