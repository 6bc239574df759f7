import { type DescribedCommand, type Values, valueFlags } from "./describe-commands.ts";

/** A script for zsh: to be sourced, or to be put on the fpath as `_tollgate`. */
export function zshCompletion(commands: readonly DescribedCommand[]): string {
  return `#compdef tollgate
# zsh completion for tollgate
# Load it behind compinit with: source <(tollgate completion zsh)
_tollgate() {
  local at="" i
  local -a offers
  for ((i = 2; i < CURRENT; i++)); do
    case "\${words[i-1]}" in ${valueFlags(commands).join("|")}) continue ;; esac
    case "$at \${words[i]}" in
      ${commands
        .filter(({ words }) => words !== "")
        .map(({ words }) => `" ${words}"`)
        .join("|")}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ "\${funcstack[1]}" == "_tollgate" ]]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`;
}

const atOf = (words: string): string => (words === "" ? "" : ` ${words}`);
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const described = (name: string, text: string): string => quoted(`${name.replaceAll(":", String.raw`\:`)}:${text}`);

const valueCases = ({ words, options }: DescribedCommand): string[] =>
  options.flatMap(({ flags, values }) =>
    values === null
      ? []
      : [`    ${flags.map((flag) => `"${atOf(words)} ${flag}"`).join("|")}) ${offer(values)}; return ;;`],
  );

function commandCase({ words, options, commands, values }: DescribedCommand): string {
  const flags = options.flatMap(({ flags: names, text }) =>
    names.filter((name) => name.startsWith("--")).map((name) => described(name, text)),
  );
  const rest =
    commands.length > 0
      ? `offers=(${commands.map(({ name, text }) => described(name, text)).join(" ")}); _describe command offers`
      : offer(values);
  return `    "${atOf(words)}") if [[ "\${words[CURRENT]}" == -* ]]; then offers=(${flags.join(" ")}); _describe -o option offers; else ${rest}; fi ;;`;
}

function offer(values: Values): string {
  switch (values.kind) {
    case "words":
      return `compadd -- ${values.words.join(" ")}`;
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "any":
    default:
      return ":";
  }
}
