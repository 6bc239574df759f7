import type { DescribedCommand, DescribedOption, Values } from "./describe-commands.ts";

/** A script for fish 3 or newer. */
export function fishCompletion(commands: readonly DescribedCommand[]): string {
  const known = commands.filter(({ words }) => words !== "").map(({ words }) => quoted(words));
  return `# fish completion for tollgate
# Load it with: tollgate completion fish | source
function __tollgate_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        if contains -- "$next" ${known.join(" ")}
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
complete -c tollgate -f
${commands.flatMap(linesOf).join("\n")}
`;
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;

function linesOf({ words, options, commands, values }: DescribedCommand): string[] {
  const here = `complete -c tollgate -n ${quoted(`__tollgate_at ${quoted(words)}`)}`;
  return [
    ...commands.map(({ name, text }) => `${here} -a ${name} -d ${quoted(text)}`),
    ...(commands.length > 0 || values.kind === "any" ? [] : [`${here} ${offer(values)}`]),
    ...options.map((option) => `${here} ${flagsOf(option)} -d ${quoted(option.text)}`),
  ];
}

function flagsOf({ flags, values }: DescribedOption): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...(values === null ? [] : [values.kind === "file" ? "-r" : "-x", offer(values)])]
    .filter((word) => word !== "")
    .join(" ");
}

function offer(values: Values): string {
  switch (values.kind) {
    case "words":
      return `-a ${quoted(values.words.join(" "))}`;
    case "file":
      return "-F";
    case "folder":
      return "-a '(__fish_complete_directories)'";
    case "any":
    default:
      return "";
  }
}
