import { spawn } from "node:child_process";
import { once } from "node:events";
import { bareEnvironment } from "../child-environment.ts";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";

export type MotoProcess = {
  url: string;
  /** A user that may do everything, with its keys. */
  createUser: (name: string) => Promise<{ accessKeyId: string; secretAccessKey: string }>;
  /** From now on, signatures and permissions are checked, or no longer. */
  checkSignatures: (isChecked: boolean) => Promise<void>;
  stop: () => Promise<void>;
};

/** AWS as the package `moto` has it, which checks signatures with AWS's own signer for Python. */
export async function startMoto(folder: string): Promise<MotoProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn("python3", ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], {
    env: { ...bareEnvironment(), PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => (output = (output + bytes.toString()).slice(-5_000)));
  child.on("error", (error) => (output += error.message));
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/moto-api/config`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => child.exitCode !== null || (await isReady()), "moto is ready", 120_000);
  if (child.exitCode !== null) throw new Error(`moto did not start: ${output}`);

  async function iam(form: Record<string, string>): Promise<string> {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization:
          "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x",
      },
      body: new URLSearchParams({ Version: "2010-05-08", ...form }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${form["Action"]}: ${response.status} ${text}`);
    return text;
  }

  return {
    url,
    createUser: async (name) => {
      const statement = { Effect: "Allow", Action: "*", Resource: "*" };
      const PolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
      await iam({ Action: "CreateUser", UserName: name });
      await iam({ Action: "PutUserPolicy", UserName: name, PolicyName: "all", PolicyDocument });
      const text = await iam({ Action: "CreateAccessKey", UserName: name });
      const field = (of: string): string => new RegExp(`<${of}>([^<]+)<`).exec(text)?.[1] ?? "";
      return { accessKeyId: field("AccessKeyId"), secretAccessKey: field("SecretAccessKey") };
    },
    checkSignatures: async (isChecked) => {
      await fetch(`${url}/moto-api/reset-auth`, { method: "POST", body: isChecked ? "0" : "inf" });
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
