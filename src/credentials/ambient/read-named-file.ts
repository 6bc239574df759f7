import { isAbsolute } from "node:path";
import { AmbientError, type AmbientSources } from "./ambient.ts";

/** A variable may hold the credential itself by mistake: only what could be nothing but a path is repeated. */
const PATH = /^[^\p{Cc}{}"]{1,1024}$/u;

/** Reads a file that a variable, or a member of a file, names. Its content never appears in the error. */
export async function readNamedFile(sources: AmbientSources, name: string, path: string): Promise<string> {
  if (!isPath(path)) throw new AmbientError(`${name} must be the absolute path of a file.`);
  let text: string;
  try {
    text = await sources.readFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new AmbientError(
      `${name} names ${path}, which cannot be read (${code ?? message}). Check the path and who may read it.`,
    );
  }
  const trimmed = text.trim();
  if (trimmed === "") throw new AmbientError(`${name} names ${path}, which is empty.`);
  return trimmed;
}

/** With its path, if that is what it holds. */
export const nameOfFile = (name: string, path: string): string => (isPath(path) ? `${name} (${path})` : name);

const isPath = (path: string): boolean => isAbsolute(path) && PATH.test(path);
