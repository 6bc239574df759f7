/** One meaning per exported type name: a reader who knows a word from one folder knows it in all of them. */
export type SourceText = { path: string; text: string };

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/;
/** An exception says why on the line above. */
const ARGUED = /^\/\/ Second of its name: .{20,}/;

/** Exported types of one name in several files. The simulator is apart: it stands for somebody else's program. */
export function repeatedTypeNames(sources: readonly SourceText[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of sources) {
    if (!/^(src|build|demo)\//.test(path) || path.startsWith("src/simulator/") || path.endsWith(".test.ts")) continue;
    const lines = text.split("\n");
    for (const [index, line] of lines.entries()) {
      const name = EXPORTED_TYPE.exec(line)?.[1];
      if (name === undefined || ARGUED.test(lines[index - 1] ?? "")) continue;
      places.set(name, [...(places.get(name) ?? []), `${path}:${index + 1}`]);
    }
  }
  return [...places]
    .filter(([, where]) => where.length > 1)
    .map(([name, where]) => `type ${name} is exported more than once: ${where.join(", ")}`);
}

const SECOND = "export type Fault = { planted: true };";

/** A check that reads nothing passes everything: a planted second type must be seen, and an argued one must pass. */
export function blindness(sources: readonly SourceText[]): string[] {
  const withPlanted = (text: string): string[] =>
    repeatedTypeNames([...sources, { path: "src/keys/planted.ts", text }]).filter((it) => it.includes("planted.ts"));
  const caught = withPlanted(SECOND).length === 1;
  const passed = withPlanted(`// Second of its name: planted, and argued where it stands.\n${SECOND}`).length === 0;
  if (caught && passed) console.log("house: caught a second exported type of one name");
  return [
    ...(caught ? [] : ["a planted second type of one name was not caught"]),
    ...(passed ? [] : ["a second type of one name was refused although it was argued"]),
  ];
}
