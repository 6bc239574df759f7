import { delimiter, dirname, join, sep } from "node:path";

type Surroundings = { main: string; folder: string; searched: string };

/**
 * What to write before the words of a command, so that it can be pasted as it is: in a clone there is no `tollgate` to be found,
 * and where the package is installed in this folder npx finds it. `searched` is the PATH.
 */
export function howToCall({ main, folder, searched }: Surroundings): string {
  const [clone] = main.split(join(sep, "src", "main.ts"));
  if (clone !== undefined && clone !== main)
    return clone === folder
      ? "npm run -s tollgate --"
      : `${quoted(join(clone, "scripts/with-node"))} node ${quoted(main)}`;
  if (main.startsWith(join(folder, "node_modules", sep))) return "npx tollgate";
  return searched.split(delimiter).includes(dirname(main)) ? "tollgate" : `node ${quoted(main)}`;
}

const quoted = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
