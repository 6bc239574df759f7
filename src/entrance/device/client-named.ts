const KNOWN: readonly { agent: RegExp; name: string }[] = [
  { agent: /^claude-code\/(\d[\w.-]{0,30})/, name: "Claude Code" },
  { agent: /^tollgate\/(\d[\w.-]{0,30})/, name: "Tollgate command line" },
];
const LONGEST = 60;

/** The name and version of a client by its `user-agent`, which is its own word; of one that is not known, the word itself. */
export function clientNamed(agent: string): string {
  for (const { agent: pattern, name } of KNOWN) {
    const version = pattern.exec(agent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return agent.trim().slice(0, LONGEST) || "a client that does not name itself";
}
