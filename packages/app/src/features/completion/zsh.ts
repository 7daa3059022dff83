/** Completion for zsh, with descriptions: as a file of `fpath`, or read by `eval` and `source`. */
import { paths, quoted, type CommandWord, type OptionWord, type Value, type Words } from "./words.ts";

export function zshScript(words: Words): string {
  return `#compdef margay
# zsh completion of margay, made by: margay completion zsh
_margay() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] at= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${paths(words).map(pattern).join("|")}) at="$at $word" ;;
    esac
  done
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
if [[ $funcstack[1] == _margay ]]; then _margay "$@"; else compdef _margay margay; fi
`;
}

/** A pattern that means these letters; a \`|\` in quotes is none that divides. */
function pattern(text: string): string {
  return quoted(text);
}

function valueCases(name: string | undefined, options: readonly OptionWord[]): readonly string[] {
  return options
    .filter(({ value }) => value !== "none")
    .map(({ names, value }) => {
      const typed = names.map((one) => pattern(name === undefined ? one : `${path(name)}|${one}`)).join("|");
      return `    (${typed}) ${replies(value)}; return ;;`;
    });
}

function commandCase(command: CommandWord, { common }: Words): string {
  const options = [...command.options, ...common].flatMap(({ names, about }) => names.map((word) => ({ word, about })));
  const other = command.below.length > 0 ? described("command", command.below) : replies(command.argument);
  return `    (${pattern(path(command.name))})
      if [[ $cur == -* ]]; then ${described("option", options)}; else ${other}; fi ;;`;
}

/** `_describe` takes \`word:what it is\`. */
function described(tag: string, words: readonly { readonly word: string; readonly about: string }[]): string {
  const entries = words.map(({ word, about }) => quoted(`${word.replaceAll(":", "\\:")}:${about}`));
  return `found=(${entries.join(" ")}); _describe -t ${tag}s ${tag} found`;
}

function replies(value: Value): string {
  if (value === "none" || value === "any") return ":";
  if (value === "file") return "_files";
  if (value === "directory") return "_files -/";
  return `compadd -- ${value.map(quoted).join(" ")}`;
}

function path(name: string): string {
  return name === "" ? "" : ` ${name}`;
}
