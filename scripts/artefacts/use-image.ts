import { until } from "../../tests/support/until.ts";
import type { Engine } from "./engine.ts";

type Finding = { what: string; got: string };
export type UseOptions = { engine: Engine; image: string; port: number };

const HARDENED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
const HEALTH = ["/usr/bin/node", "/opt/tollgate/healthcheck.js"];
const TOKEN = "0123456789abcdef0123456789abcdef";
/** A bound for what hangs, on a machine with other work. */
const PATIENCE_MS = 300_000;
const MODEL = "sim-steady+tokens=600+rate=20";

/** Starts what an image of the gateway needs beside it, uses the image, and returns what was seen. Throws when it is wrong. */
export async function useImage({ engine, image, port }: UseOptions): Promise<Finding[]> {
  const name = (part: string): string => `artefact-${process.pid}-${part}`;
  const network = name("net");
  const findings: Finding[] = [];
  const see = (what: string, got: string, wanted: RegExp): void => {
    if (!wanted.test(got)) throw new Error(`${what}: ${got} (wanted ${wanted.source})`);
    findings.push({ what, got: got.replaceAll(/\s+/g, " ").trim().slice(0, 160) });
  };
  const url = `postgres://tollgate:secret@${name("postgres")}:5432/tollgate`;
  // A busy machine may take longer to connect than the default allows.
  const patience = ["-e", "TOLLGATE_DATABASE_CONNECT_TIMEOUT_MS=30000", "-e", "SIMULATED_PROVIDER_KEY=any"];
  const settings = [...patience, "-e", `DATABASE_URL=${url}`, "-e", `TOLLGATE_ADMIN_TOKEN=${TOKEN}`];
  const exec = (...words: string[]) => engine.tryPodman("exec", name("gateway"), ...words);
  const inside = (script: string): string => exec("/usr/bin/node", "-e", script).output;
  const start = (...words: string[]): string =>
    engine.podman(
      "run",
      "-d",
      "--name",
      name("gateway"),
      "--network",
      network,
      ...HARDENED,
      ...settings,
      "-p",
      `127.0.0.1:${port}:8080`,
      image,
      "serve",
      ...words,
    );
  const ready = () => until(() => exec(...HEALTH).status === 0, "the health check passes", PATIENCE_MS);
  const remove = (part: string) => engine.tryPodman("rm", "-f", "-t", "5", name(part));

  engine.podman("network", "create", network);
  try {
    const database = ["-e", "POSTGRES_USER=tollgate", "-e", "POSTGRES_DB=tollgate", "-e", "POSTGRES_PASSWORD=secret"];
    engine.podman(
      "run",
      "-d",
      "--name",
      name("postgres"),
      "--network",
      network,
      ...database,
      "docker.io/library/postgres:18",
    );
    const isReady = ["exec", name("postgres"), "pg_isready", "-q", "-h", "127.0.0.1", "-U", "tollgate"];
    await until(() => engine.tryPodman(...isReady).status === 0, "PostgreSQL is ready", PATIENCE_MS);
    engine.podman(
      "run",
      "-d",
      "--name",
      name("simulator"),
      "--network",
      network,
      image,
      "simulate",
      "--host",
      "0.0.0.0",
    );

    const early = engine.tryPodman("run", "--rm", "--network", network, ...HARDENED, ...settings, image);
    see(
      "serve on an empty database ends with 1 and the fix",
      `${early.status} ${early.output}`,
      /^1 .*tollgate migrate/s,
    );
    engine.podman("run", "--rm", "--network", network, ...HARDENED, ...settings, image, "migrate");
    start();
    see("the health check before the gateway listens", String(exec(...HEALTH).status), /^[01]$/);
    await ready();

    see("PID 1", inside("console.log(require('fs').readFileSync('/proc/1/cmdline','utf8'))"), /tollgate.*serve/s);
    const status = inside("console.log(require('fs').readFileSync('/proc/1/status','utf8'))");
    see("user of PID 1", /^Uid:.*$/m.exec(status)?.[0] ?? "", /^Uid:\s+65532\s+65532/);
    see("capabilities of PID 1", /^CapEff:.*$/m.exec(status)?.[0] ?? "", /0000000000000000$/);
    see("no new privileges", /^NoNewPrivs:.*$/m.exec(status)?.[0] ?? "", /1$/);
    see("a write to the root", inside("require('fs').writeFileSync('/opt/x','')"), /EROFS/);
    see("a shell", exec("sh", "-c", "true").output, /not found|no such file/i);
    see("files that their group or others may write", inside(WRITABLE), /^\[\]\s*$/);

    const provider = [
      "providers",
      "add",
      "sim",
      "--url",
      `http://${name("simulator")}:9100/v1`,
      "--credential",
      "env:SIMULATED_PROVIDER_KEY",
    ];
    see("tollgate providers add", exec("tollgate", ...provider).output, /sim/);
    const limits = ["--context", "128000", "--max-output", "16384", "--input", "1", "--output", "4"];
    const model = ["models", "add", "m", "--provider", "sim", "--upstream-model", MODEL, "--format", "chat", ...limits];
    see("tollgate models add", exec("tollgate", ...model).output, /\bm\b/);
    const created = exec("tollgate", "keys", "create", "--credit", "5").output;
    const [secret = ""] = /tgc_[A-Za-z0-9]{30,}/.exec(created) ?? [];

    const drained = await streamWhileStopping({ engine, container: name("gateway"), port, secret });
    see("a stream that was open at SIGTERM", drained.stream, /data: \[DONE\]\s*$/);
    see("the health check while draining", drained.health, /^1 (503|.*ECONNREFUSED)/);
    see(
      "exit code after the drain",
      engine.podman("inspect", "--format", "{{.State.ExitCode}}", name("gateway")),
      /^0$/,
    );
    remove("gateway");

    start("--workers", "2");
    await ready();
    // One that ends before all listen ends the whole start.
    const listening = (): number =>
      engine.tryPodman("logs", name("gateway")).output.split('"worker listening"').length - 1;
    await until(() => listening() === 2, "both workers listen", PATIENCE_MS);
    inside(KILL_A_WORKER);
    await until(() => inside(STATES) === "worker worker\n", "a killed worker is replaced", PATIENCE_MS);
    see("children of PID 1 after a worker was killed", inside(STATES), /^worker worker\s$/);
    engine.podman("stop", "-t", "350", name("gateway"));
    see("exit code with workers", engine.podman("inspect", "--format", "{{.State.ExitCode}}", name("gateway")), /^0$/);
    remove("gateway");

    start();
    await ready();
    engine.podman("stop", "-t", "30", name("postgres"));
    await until(() => exec(...HEALTH).status === 1, "the health check sees the database go", PATIENCE_MS);
    see("the health check without a database", exec(...HEALTH).output, /^503 /);
    see("the same for /livez", String(exec(...HEALTH, "/livez").status), /^0$/);
    return findings;
  } finally {
    for (const part of ["gateway", "simulator", "postgres"]) remove(part);
    engine.tryPodman("network", "rm", network);
  }
}

/** A stream's client stops the container at its first event, and keeps reading. */
async function streamWhileStopping(options: { engine: Engine; container: string; port: number; secret: string }) {
  const { engine, container, port, secret } = options;
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  let stream = "";
  let health = "";
  let stopped = false;
  for await (const bytes of response.body) {
    stream += Buffer.from(bytes).toString();
    if (stopped) continue;
    // The signal of `podman stop`, which itself would allow no health check from then on.
    engine.podman("kill", "--signal", "TERM", container);
    stopped = true;
    const look = (): boolean => {
      const seen = engine.tryPodman("exec", container, ...HEALTH);
      health = `${seen.status} ${seen.output}`;
      return seen.status !== 0;
    };
    await until(look, "the health check sees the drain", PATIENCE_MS);
  }
  engine.podman("wait", container);
  return { stream, health };
}

const WRITABLE = `const fs=require('fs');const found=[];for(const top of ['/usr','/opt','/etc'])
for(const e of fs.readdirSync(top,{recursive:true,withFileTypes:true})){const path=e.parentPath+'/'+e.name;
const s=fs.lstatSync(path);if(!s.isSymbolicLink()&&(s.mode&0o022))found.push(path)}console.log(JSON.stringify(found))`;
const CHILDREN = `const fs=require('fs');const kids=fs.readFileSync('/proc/1/task/1/children','utf8').trim().split(' ').filter(Boolean);
const stateOf=(pid)=>/^State:\\s+(\\w)/m.exec(fs.readFileSync('/proc/'+pid+'/status','utf8'))[1];`;
const KILL_A_WORKER = `${CHILDREN}process.kill(Number(kids[0]),'SIGKILL')`;
const STATES = `${CHILDREN}console.log(kids.map((pid)=>stateOf(pid)==='Z'?'zombie':'worker').join(' '))`;
