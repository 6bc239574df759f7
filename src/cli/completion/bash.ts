import { type DescribedCommand, type Values, valueFlags } from "./describe-commands.ts";

/** A script for bash 3.2 or newer. */
export function bashCompletion(commands: readonly DescribedCommand[]): string {
  return `# bash completion for tollgate
# Load it with: source <(tollgate completion bash)
_tollgate() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i-1]}" in ${valueFlags(commands).join("|")}) continue ;; esac
    case "$at \${COMP_WORDS[i]}" in
      ${commands
        .filter(({ words }) => words !== "")
        .map(({ words }) => `" ${words}"`)
        .join("|")}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${commands.map(commandCase).join("\n")}
  esac
}
complete -F _tollgate tollgate
`;
}

const atOf = (words: string): string => (words === "" ? "" : ` ${words}`);

const valueCases = ({ words, options }: DescribedCommand): string[] =>
  options.flatMap(({ flags, values }) =>
    values === null
      ? []
      : [`    ${flags.map((flag) => `"${atOf(words)} ${flag}"`).join("|")}) ${offer(values)} return ;;`],
  );

function commandCase({ words, options, commands, values }: DescribedCommand): string {
  const flags = options.flatMap((option) => option.flags.filter((flag) => flag.startsWith("--"))).join(" ");
  const rest = commands.length > 0 ? offer({ kind: "words", words: commands.map(({ name }) => name) }) : offer(values);
  return `    "${atOf(words)}") if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "${flags}" -- "$cur")); else ${rest || ":; "}fi ;;`;
}

/** One command line with a semicolon and a space behind it; empty where nothing can be offered. */
function offer(values: Values): string {
  switch (values.kind) {
    case "words":
      return `COMPREPLY=($(compgen -W "${values.words.join(" ")}" -- "$cur")); `;
    case "file":
      return `compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur")); `;
    case "folder":
      return `compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$cur")); `;
    case "any":
    default:
      return "";
  }
}
