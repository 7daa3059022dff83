/** Completion for fish, with descriptions. */
import { paths, type CommandWord, type OptionWord, type Words } from "./words.ts";

export function fishScript(words: Words): string {
  return `# fish completion of margay, made by: margay completion fish
function __margay_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${paths(words).map(quoted).join(" ")}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c margay -f
${words.common.map((option) => optionLine("", option)).join("\n")}
${words.commands.flatMap(commandLines).join("\n")}
`;
}

function commandLines({ name, options, below, argument }: CommandWord): readonly string[] {
  const here = ` -n ${quoted(`__margay_at ${quoted(name === "" ? "" : ` ${name}`)}`)}`;
  const values = typeof argument === "object" ? argument : [];
  return [
    ...below.map(({ word, about }) => `complete -c margay${here} -a ${quoted(word)} -d ${quoted(about)}`),
    ...values.map((value) => `complete -c margay${here} -a ${quoted(value)}`),
    ...(argument === "file" ? [`complete -c margay${here} -F`] : []),
    ...(argument === "directory" ? [`complete -c margay${here} -a '(__fish_complete_directories)'`] : []),
    ...options.map((option) => optionLine(here, option)),
  ];
}

function optionLine(here: string, { names, about, value }: OptionWord): string {
  const flags = names.map((name) => (name.startsWith("--") ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`));
  return `complete -c margay${here}${flags.join("")}${values(value)} -d ${quoted(about)}`;
}

/** Between single quotes of fish a backslash and a quote are written with a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function values(value: OptionWord["value"]): string {
  if (value === "none") return "";
  if (value === "any") return " -x";
  if (value === "file") return " -r -F";
  return value === "directory" ? " -x -a '(__fish_complete_directories)'" : ` -x -a ${quoted(value.join(" "))}`;
}
