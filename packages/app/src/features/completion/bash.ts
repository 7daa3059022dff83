/** Completion for bash 4 and newer: words alone, since bash shows no descriptions. */
import { namesOf, paths, quoted, type CommandWord, type OptionWord, type Value, type Words } from "./words.ts";

export function bashScript(words: Words): string {
  return `# bash completion of margay, made by: margay completion bash
_margay() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${paths(words).map(quoted).join("|")}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at|$prev" in
${words.commands.flatMap(({ name, options }) => valueCases(name, options)).join("\n")}
  esac
  case "$prev" in
${valueCases(undefined, words.common).join("\n")}
  esac
  case "$at" in
${words.commands.map((command) => commandCase(command, words)).join("\n")}
  esac
}
complete -F _margay margay
`;
}

/** What follows an option; of a switch nothing does. */
function valueCases(name: string | undefined, options: readonly OptionWord[]): readonly string[] {
  return options
    .filter(({ value }) => value !== "none")
    .map(({ names, value }) => {
      const typed = names.map((one) => quoted(name === undefined ? one : `${path(name)}|${one}`)).join("|");
      return `    ${typed}) ${replies(value)}; return ;;`;
    });
}

function commandCase(command: CommandWord, { common }: Words): string {
  const options = namesOf([...command.options, ...common], () => true).join(" ");
  const words = command.below.map(({ word }) => word).join(" ");
  const other = words === "" ? replies(command.argument) : replies(words.split(" "));
  return `    ${quoted(path(command.name))})
      if [[ $cur == -* ]]; then ${replies(options.split(" "))}; else ${other}; fi ;;`;
}

function replies(value: Value): string {
  if (value === "none" || value === "any") return ":";
  if (value === "file") return `compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur")`;
  if (value === "directory") return `compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur")`;
  return `mapfile -t COMPREPLY < <(compgen -W ${quoted(value.join(" "))} -- "$cur")`;
}

function path(name: string): string {
  return name === "" ? "" : ` ${name}`;
}
