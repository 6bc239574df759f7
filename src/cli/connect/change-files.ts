import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CannotEdit } from "./cannot-edit.ts";
import type { FilePlan } from "./clients.ts";
import { type DiffLine, textDiff } from "./text-diff.ts";

/** What becomes of one file. `backup` is null where there was no file. */
export type FileChange = {
  path: string;
  outcome: "created" | "changed" | "unchanged";
  backup: string | null;
  diff: DiffLine[];
  /** It could be read by others, and now holds a key. */
  closed: boolean;
};

type Planned = FileChange & { text: string; mode: number; plan: FilePlan };

const MOST_BYTES = 1_048_576;
const OWNER_ONLY = 0o600;
const READ_BY_ALL = 0o644;

/** Decides for all files before the first is written: one that cannot be changed leaves the others as they are. */
export function planChanges(plans: readonly FilePlan[], now: Date): Planned[] {
  return plans.map((plan) => {
    const present = readOwn(plan.path);
    const text = plan.edit(present?.text ?? "");
    const outcome = present === null ? "created" : present.text === text ? "unchanged" : "changed";
    const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const mode =
      present === null && plan.isForAll ? READ_BY_ALL : present === null || plan.keepsKey ? OWNER_ONLY : present.mode;
    return {
      plan,
      path: plan.path,
      outcome,
      backup: outcome === "changed" ? `${plan.path}.bak-${stamp}` : null,
      diff: textDiff(present?.text ?? "", text),
      closed: present !== null && plan.keepsKey && (present.mode & 0o077) !== 0,
      text,
      mode,
    };
  });
}

export function writeChanges(planned: readonly Planned[]): void {
  for (const { path, outcome, backup, closed, text, mode, plan } of planned) {
    if (outcome === "unchanged") {
      if (closed) chmodSync(path, mode);
      continue;
    }
    mkdirSync(dirname(path), { recursive: true, mode: plan.isForAll ? 0o755 : 0o700 });
    if (backup !== null) {
      copyFileSync(path, backup);
      chmodSync(backup, OWNER_ONLY);
    }
    const unfinished = `${path}.${process.pid}.unfinished`;
    try {
      writeFileSync(unfinished, text, { mode, flag: "wx" });
      renameSync(unfinished, path);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}

/** A file of whoever runs this. A link may lead into a repository, where a key does not belong. */
function readOwn(path: string): { text: string; mode: number } | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) throw new CannotEdit("it is a symbolic link, which may lead into a repository");
  if (!stat.isFile()) throw new CannotEdit("it is not a regular file");
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    throw new CannotEdit(`it belongs to another user (uid ${stat.uid})`);
  if (stat.size > MOST_BYTES) throw new CannotEdit(`it is larger than ${MOST_BYTES.toLocaleString("en-US")} bytes`);
  return { text: readFileSync(path, "utf8"), mode: stat.mode & 0o777 };
}
