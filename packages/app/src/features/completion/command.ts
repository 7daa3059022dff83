/** `margay completion SHELL`: what a shell needs to complete commands, or the man page, made of the table of commands. */
import { RuntimeError } from "@margay/core";
import { nearest, systemClock } from "@margay/core/internal";
import { EXIT, type Cli, type CommandSpec, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { manPage } from "./man.ts";
import { wordsOf, type Words } from "./words.ts";
import { zshScript } from "./zsh.ts";

const MAKERS: Readonly<Record<string, (words: Words, cli: Cli) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  man: (words, { t, environment }) => manPage(words, t, new Date(dayOf(environment.env["SOURCE_DATE_EPOCH"]))),
};

/** @param epoch Seconds, by which builds are made alike: https://reproducible-builds.org/specs/source-date-epoch/ */
function dayOf(epoch: string | undefined): number {
  return epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : systemClock().now();
}

/** @param all The table of commands. */
export const runCompletion =
  (all: () => readonly CommandSpec[]): Run =>
  (cli, { args: [shell = ""] }) => {
    const make = Object.hasOwn(MAKERS, shell) ? MAKERS[shell] : undefined;
    if (make === undefined) return Promise.reject(unknownShell(cli, shell));
    const text = make(wordsOf(all(), cli.t), cli);
    cli.terminal.out(cli.json ? jsonLine({ shell, text }) : text);
    return Promise.resolve(EXIT.done);
  };

function unknownShell({ t }: Cli, shell: string): RuntimeError {
  const near = nearest(shell, Object.keys(MAKERS));
  const hint = near === undefined ? "" : t("error.didYouMean", { name: near });
  const at = { name: "shell", value: safeText(shell), expected: Object.keys(MAKERS).join(", ") };
  return new RuntimeError("usage.wrong", `${t("usage.invalid", { ...at, command: "margay completion" })}${hint}`);
}
