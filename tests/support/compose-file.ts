import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const COMPOSE_FOLDER = join(import.meta.dirname, "../../deploy/compose");

/** A service of the compose file, as far as it is checked or acted out. */
export type Service = {
  image: string;
  command?: string[];
  profiles?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
};

export type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};

/** The compose file; `edit` changes its text before it is read. */
export const readCompose = (edit: (text: string) => string = (text) => text): Compose =>
  parse(edit(readFileSync(join(COMPOSE_FOLDER, "compose.yaml"), "utf8")), { merge: true }) as Compose;
